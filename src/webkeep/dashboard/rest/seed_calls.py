"""Calls about the seeds of a collection: listed, taken in, changed, moved, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from starlette.exceptions import HTTPException

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.page_cursor import (
    DEFAULT_LISTED_ROWS,
    check_limit,
    cut_piece,
    read_moment_cursor,
    write_cursor,
)
from webkeep.dashboard.pages import seeds
from webkeep.dashboard.pages.sent_seeds import MAX_TABLE_BYTES
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.dashboard.rest.collection_calls import find_facts
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionSeed, SeedEntry
from webkeep.service.jobs import JobState
from webkeep.service.run import take_seeds_in
from webkeep.service.schedules import parse_times


@dataclass(frozen=True, slots=True)
class SeedAnswer:
    """A seed of a collection."""

    id: str
    collection: str
    url: str
    archive: Annotated[str, "the archive that everything of its site is in"]
    settings: Annotated[Mapping[str, Any], "what its plan says, by the names of options"]
    notes: str
    created: Moment
    last_state: Annotated[JobState | None, "of its newest job"]


@dataclass(frozen=True, slots=True)
class SeedQuery:
    """Which seeds are listed."""

    url: Annotated[str, "the one with this URL"] = ""
    q: Annotated[str, "words that stand in its URL or its notes"] = ""
    state: Annotated[str, "of its newest job; never for those that have had none"] = ""
    limit: Annotated[int, "from 1 to 1000"] = DEFAULT_LISTED_ROWS
    cursor: Annotated[str, "the value next of the piece before"] = ""


@dataclass(frozen=True, slots=True)
class SeedPiece:
    """A piece of the seeds of a collection, in the order in which they came in."""

    seeds: tuple[SeedAnswer, ...]
    next: Annotated[str | None, "the cursor of the next piece; null at the end"]


@dataclass(frozen=True, slots=True)
class SentSeed:
    """A seed to take in."""

    url: str
    settings: Annotated[Mapping[str, Any], "by the names of options"] = field(default_factory=dict)
    notes: str = ""
    schedule: Annotated[str, "every 6h, or cron; empty for never"] = ""


@dataclass(frozen=True, slots=True)
class SentSeeds:
    """Seeds to take in."""

    seeds: tuple[SentSeed, ...]


@dataclass(frozen=True, slots=True)
class SentTable:
    """A table (CSV) or an outline (OPML) as text; or what a server tells of."""

    table: str = ""
    source_url: Annotated[str, "the address of a sitemap, a feed or a set of an OAI-PMH repository"] = ""
    source_kind: Annotated[str, "feed, sitemap or oai-pmh"] = ""


@dataclass(frozen=True, slots=True)
class SeedChange:
    """What is to be otherwise with a seed; the rest stays."""

    scope: str | None = None
    depth: str | None = None
    browser: str | None = None
    max_urls: str | None = None
    delay: str | None = None
    login: Annotated[str | None, "the id of a login of the collection; empty for none"] = None
    schedule: Annotated[str | None, "one more schedule, as every 6h"] = None
    notes: str | None = None


@dataclass(frozen=True, slots=True)
class SeedMove:
    """Where a seed is to belong."""

    target: Annotated[str, "the name of another collection"]


def find_seed(asked: ApiRequest) -> SeedAnswer:
    """The seed that a path names."""
    seed = _get_seed(asked)
    last = asked.page.service.jobs.jobs_of_seed(seed.id, 1)
    return _describe(seed, last[0].state if last else None)


def _get_seed(asked: ApiRequest) -> CollectionSeed:
    seed = asked.page.service.collections.seed(asked.path["seed"])
    if seed is None or seed.collection != asked.path["collection"]:
        raise HTTPException(404)
    return seed


def _describe(seed: CollectionSeed, state: JobState | None) -> SeedAnswer:
    named = (seed.id, seed.collection, seed.url, seed.archive)
    return SeedAnswer(*named, seed.settings, seed.notes, seed.created, state)


def list_seeds(asked: ApiRequest) -> SeedPiece:
    """A piece of the seeds of a collection."""
    service, query, name = asked.page.service, asked.query, find_facts(asked).name
    if query.url:
        seed = service.collections.find_seed(name, parse_plan({"seeds": [query.url]}).seeds[0])
        found = [seed] if seed else []
    else:
        after = read_moment_cursor(query.cursor)
        limit = check_limit(query.limit) + 1
        found = service.collections.seeds_page(name, limit, after, query.q.strip(), query.state)
    piece, following = cut_piece(found, query.limit, lambda each: write_cursor(each.created.micros, each.url))
    states = service.jobs.last_states([each.id for each in piece])
    return SeedPiece(tuple(_describe(each, states.get(each.id)) for each in piece), following)


def take_seeds(asked: ApiRequest, sent: SentSeeds) -> seeds.SeedsTaken:
    """Take seeds in; those that are refused are told, and cost no other."""
    service, name, check = asked.page.service, find_facts(asked).name, seeds.build_check(asked.page.visitor)
    entries, refused = [], []
    for number, each in enumerate(sent.seeds, 1):
        try:
            check(SeedEntry(each.url))  # as it was sent: the plan would leave a password out of it, and say nothing
            plan = parse_plan({**each.settings, "seeds": [each.url]})
            if each.schedule:
                parse_times(each.schedule, service.clock.now())
            entries.append(check(SeedEntry(plan.seeds[0], each.settings, each.notes, each.schedule)))
        except UsageError as error:
            refused.append(seeds.RefusedSeed(number, str(error)))
    added = take_seeds_in(service.collections, service.schedules, name, entries, service.clock.now())
    return seeds.SeedsTaken(len(added), len(entries) - len(added), tuple(refused))


def read_known_settings(asked: ApiRequest) -> dict[str, object]:
    """What the form of a seed says where nobody says anything else."""
    seed = _get_seed(asked)
    return {"notes": seed.notes, **{name: seed.settings.get(name) for name in seeds.SET_OPTIONS}}


_SEEDS, _SEED = "/collections/{collection}/seeds", "/collections/{collection}/seeds/{seed}"
_READ, _CURATE = Permission.READ, Permission.CURATE

SEED_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", _SEEDS, _READ, "The seeds of a collection.", SeedPiece, list_seeds, SeedQuery),
    ApiCall("POST", _SEEDS, _CURATE, "Take seeds in.", seeds.SeedsTaken, body=SentSeeds, change=take_seeds,
            max_body_bytes=MAX_TABLE_BYTES),
    ApiCall("POST", _SEEDS + "/table", _CURATE, "Take seeds in out of a table or an outline.", seeds.SeedsTaken,
            body=SentTable, form=seeds.import_seeds, max_body_bytes=MAX_TABLE_BYTES),
    ApiCall("GET", _SEED, _READ, "One seed.", SeedAnswer, find_seed, pages=(seeds.show_seed,)),
    ApiCall("PATCH", _SEED, _CURATE, "Change the settings and notes of a seed.", SeedAnswer, find_seed,
            body=SeedChange, form=seeds.change_seed, known=read_known_settings),
    ApiCall("DELETE", _SEED, _CURATE, "Capture a seed no more; what was captured of it stays.",
            form=seeds.delete_seed, pages=(seeds.show_deletion,)),
    ApiCall("POST", _SEED + "/capture", _CURATE, "Capture one seed as soon as it is its turn.",
            form=seeds.capture_seed),
    ApiCall("POST", _SEED + "/move", _CURATE, "Have a seed belong to another collection.", SeedAnswer, find_seed,
            body=SeedMove, form=seeds.move_seed, leads_to=_SEED),
)  # fmt: skip
"""All of them."""
