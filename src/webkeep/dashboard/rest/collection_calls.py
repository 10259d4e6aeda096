"""Calls about collections: listed, made, described anew, captured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.page_cursor import DEFAULT_LISTED_ROWS, check_limit, cut_piece, read_cursor, write_cursor
from webkeep.dashboard.pages import collections, public_collections
from webkeep.dashboard.public_replay import search_words
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.dashboard.rest.job_calls import JobAnswer, describe_job
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service import check_sent_plan
from webkeep.service.accounts import Permission
from webkeep.service.collections import (
    CollectionFacts,
    CollectionPurpose,
    CollectionSeed,
    CompletenessFigure,
    SeedEntry,
    check_no_password,
)
from webkeep.service.jobs import DEFAULT_PRIORITY, JobOrder
from webkeep.service.run import measure_collections, submit_orders


@dataclass(frozen=True, slots=True)
class CompletenessAnswer:
    """How complete a collection is, by what it is for."""

    held: int
    wanted: int
    share: float | None
    together: Annotated[int, "resources that stood together at one moment, of captures that looked twice"]
    looked_at_twice: int
    seeds_missed: Annotated[int, "seeds whose newest capture did not reach them, or that were never captured"]


@dataclass(frozen=True, slots=True)
class CollectionAnswer:
    """A collection."""

    name: str
    title: str
    description: str
    subjects: tuple[str, ...]
    creator: str
    rights: str
    purpose: CollectionPurpose
    archives: int
    quota: Annotated[int | None, "bytes that it may take of the disk"]
    is_public: bool
    left_out: Annotated[tuple[str, ...], "collections whose pages are left out"]
    seeds: int
    completeness: CompletenessAnswer


@dataclass(frozen=True, slots=True)
class WordsQuery:
    """What is looked for."""

    q: Annotated[str, "words that all stand in a page"]


@dataclass(frozen=True, slots=True)
class WordHit:
    """A page that was captured and has some words in it."""

    url: str
    moment: Annotated[Moment, "when it was captured"]
    title: str
    excerpt: Annotated[str, "part of its text"]


@dataclass(frozen=True, slots=True)
class WordHits:
    """The pages that have some words in them, each once."""

    pages: tuple[WordHit, ...]


@dataclass(frozen=True, slots=True)
class CollectionQuery:
    """Which collections are listed."""

    limit: Annotated[int, "from 1 to 1000"] = DEFAULT_LISTED_ROWS
    cursor: Annotated[str, "the value next of the piece before"] = ""


@dataclass(frozen=True, slots=True)
class CollectionPiece:
    """A piece of the list of collections, by name."""

    collections: tuple[CollectionAnswer, ...]
    next: Annotated[str | None, "the cursor of the next piece; null at the end"]


@dataclass(frozen=True, slots=True)
class NewCollection:
    """A collection to begin."""

    name: Annotated[str, "in addresses: small letters, digits and dashes"]
    title: str
    description: str = ""
    subjects: tuple[str, ...] = ()
    creator: str = ""
    rights: str = ""
    purpose: CollectionPurpose = CollectionPurpose.INTENSIVE
    quota: Annotated[str, "as 50GB; empty for none"] = ""
    is_public: bool = False
    left_out: Annotated[tuple[str, ...], "collections whose pages are left out"] = ()


@dataclass(frozen=True, slots=True)
class CollectionChange:
    """What is to be said of a collection; the rest stays."""

    title: str | None = None
    description: str | None = None
    subjects: tuple[str, ...] | None = None
    creator: str | None = None
    rights: str | None = None
    purpose: CollectionPurpose | None = None
    quota: Annotated[str | None, "as 50GB; empty for none; an administrator's to give"] = None
    is_public: bool | None = None
    left_out: Annotated[tuple[str, ...] | None, "collections whose pages are left out"] = None


@dataclass(frozen=True, slots=True)
class CollectionRemoval:
    """A collection to remove."""

    name: Annotated[str, "its name once more"]
    for_good: Annotated[bool, "whether its archives are deleted, and not put aside"] = False


@dataclass(frozen=True, slots=True)
class PictureChoice:
    """Whose picture stands for a collection."""

    page: Annotated[str, "the URL of a page that is held; empty for one of its seeds"] = ""


@dataclass(frozen=True, slots=True)
class SeedsMove:
    """Where all seeds of a collection are to belong."""

    target: Annotated[str, "the name of another collection"]


@dataclass(frozen=True, slots=True)
class SubmissionOrder:
    """Seeds to capture as soon as it is their turn."""

    seeds: Annotated[tuple[str, ...], "URLs; new ones are taken in; without any, all seeds of the collection"] = ()
    plan: Annotated[Mapping[str, Any], "what else holds for new seeds, by the names of options"] = field(
        default_factory=dict
    )
    priority: Annotated[int, "higher ones go first"] = DEFAULT_PRIORITY


@dataclass(frozen=True, slots=True)
class SubmissionAnswer:
    """The jobs that were entered, or that waited to do the same already."""

    jobs: tuple[JobAnswer, ...]
    waiting: Annotated[int, "so many at the end of these waited to do the same already"]


def describe_collections(asked: ApiRequest, listed: Sequence[CollectionFacts]) -> tuple[CollectionAnswer, ...]:
    """What programs are told of collections."""
    figures = measure_collections(asked.page.service.collections, asked.page.service.jobs, listed)
    visible = asked.page.visitor.visible_collections()
    return tuple(_describe(each, *figure, visible) for each, figure in zip(listed, figures, strict=True))


def _describe(
    facts: CollectionFacts, seeds: int, figure: CompletenessFigure, visible: Collection[str] | None
) -> CollectionAnswer:
    together = figure.together, figure.looked_at_twice
    completeness = CompletenessAnswer(figure.held, figure.wanted, figure.share, *together, figure.seeds_missed)
    said = (facts.name, facts.title, facts.description, facts.subjects, facts.creator, facts.rights, facts.purpose)
    left_out = tuple(name for name in facts.left_out if visible is None or name in visible)
    return CollectionAnswer(*said, facts.archives, facts.quota, facts.is_public, left_out, seeds, completeness)


def find_collection(asked: ApiRequest) -> CollectionAnswer:
    """The collection that a path names."""
    return describe_collections(asked, [find_facts(asked)])[0]


def find_facts(asked: ApiRequest) -> CollectionFacts:
    """What is said of the collection that a path names; 404 where there is none."""
    return collections.get_facts(asked.page.service, asked.path["collection"])


def list_collections(asked: ApiRequest) -> CollectionPiece:
    """A piece of the list of those that one may see."""
    query, limit = asked.query, check_limit(asked.query.limit)
    names = asked.page.visitor.visible_collections()
    after = read_cursor(query.cursor, (str,))
    found = asked.page.service.collections.list_page(names, limit + 1, after[0] if after else "")
    piece, following = cut_piece(found, limit, lambda facts: write_cursor(facts.name))
    return CollectionPiece(describe_collections(asked, piece), following)


def read_known_facts(asked: ApiRequest) -> dict[str, object]:
    """What the form of a collection says where nobody says anything else."""
    facts = find_facts(asked)
    names = ("title", "description", "subjects", "creator", "rights", "purpose", "quota", "is_public", "left_out")
    return {name: getattr(facts, name) for name in names}


def submit_seeds(asked: ApiRequest, order: SubmissionOrder) -> SubmissionAnswer:
    """Enter a job for each seed, in their order."""
    service, facts = asked.page.service, find_facts(asked)
    now = service.clock.now()
    seeds = _take_in(asked, facts.name, order, now) if order.seeds else service.collections.seeds(facts.name)
    if not seeds:
        raise UsageError(f"{facts.name} has no seeds yet; name some, or take some in first")
    orders = [JobOrder(facts.name, seed.archive, seed.plan, seed=seed.id, priority=order.priority) for seed in seeds]
    submitted = submit_orders(service.jobs, orders, now)
    jobs = tuple(describe_job(job) for job in submitted.added + submitted.waiting)
    return SubmissionAnswer(jobs, len(submitted.waiting))


def _take_in(asked: ApiRequest, name: str, order: SubmissionOrder, now: Moment) -> list[CollectionSeed]:
    service, is_local_allowed = asked.page.service, asked.page.visitor.may(Permission.ADMINISTER)
    if "seeds" in order.plan:
        raise UsageError("the plan names seeds; name them beside it")
    plans = [check_sent_plan({**order.plan, "seeds": [url]}, is_local_allowed) for url in order.seeds]
    for url in order.seeds:
        check_no_password(url)
    urls = [parse_plan(plan).seeds[0] for plan in plans]
    settings = [{key: value for key, value in plan.items() if key != "seeds"} for plan in plans]
    service.collections.add_seeds(name, [SeedEntry(*each) for each in zip(urls, settings, strict=True)], now)
    found = (service.collections.find_seed(name, url) for url in dict.fromkeys(urls))
    return [seed for seed in found if seed is not None]


def search_collection(asked: ApiRequest) -> WordHits:
    """The pages of a collection that have some words in them."""
    hits = search_words(asked.page.service, find_facts(asked), asked.query.q.strip())
    return WordHits(tuple(WordHit(hit.url, hit.moment, hit.title, _plain(hit.excerpt)) for hit in hits))


def _plain(excerpt: str) -> str:
    return excerpt.replace("\x02", "").replace("\x03", "")


COLLECTION_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", "/collections", Permission.SIGNED_IN, "Collections, by name.", CollectionPiece, list_collections,
            CollectionQuery, pages=(collections.list_collections,)),
    ApiCall("POST", "/collections", Permission.ADMINISTER, "Begin a collection.", CollectionAnswer, find_collection,
            body=NewCollection, form=collections.make_collection, leads_to="/collections/{collection}"),
    ApiCall("GET", "/collections/{collection}", Permission.READ, "One collection.", CollectionAnswer, find_collection,
            pages=(collections.show_collection,)),
    ApiCall("PATCH", "/collections/{collection}", Permission.CURATE, "Say something else of a collection.",
            CollectionAnswer, find_collection, body=CollectionChange, form=collections.change_collection,
            known=read_known_facts),
    ApiCall("GET", "/collections/{collection}/pages", Permission.READ, "Pages of a collection that have some words.",
            WordHits, search_collection, WordsQuery),
    ApiCall("POST", "/collections/{collection}/jobs", Permission.CURATE, "Capture seeds: some, or all of them.",
            SubmissionAnswer, body=SubmissionOrder, change=submit_seeds, pages=(collections.capture_collection,)),
    ApiCall("DELETE", "/collections/{collection}", Permission.ADMINISTER, "Remove a collection; its archives are put "
            "aside.", body=CollectionRemoval, form=collections.remove_collection, pages=(collections.show_removal,)),
    ApiCall("POST", "/collections/{collection}/move-seeds", Permission.ADMINISTER, "Have all seeds belong to another "
            "collection.", body=SeedsMove, form=collections.move_seeds),
    ApiCall("POST", "/collections/{collection}/picture", Permission.CURATE, "Take the picture of a collection.",
            body=PictureChoice, form=public_collections.choose_picture),
)  # fmt: skip
"""All of them."""
