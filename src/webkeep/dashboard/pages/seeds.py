"""Seeds of a collection: taken in by a table or an outline, changed, moved, deleted; and the history of one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.page_context import Visitor, note_outcome, page_of
from webkeep.dashboard.pages.collections import find_collection
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service import check_sent_plan
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionSeed, RefusedLine, SeedEntry, read_outline, read_seed_table
from webkeep.service.run import take_seeds_in

MAX_TABLE_BYTES = 32 << 20
"""Of a table or an outline that is sent: some hundred thousand seeds."""
SET_OPTIONS = ("scope", "depth", "browser")
"""What the form of a seed sets; other settings, which came by a table, stay."""


@dataclass(frozen=True, slots=True)
class RefusedSeed:
    """A line, or one of several seeds, that none was made of."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class SeedsTaken:
    """What came of seeds that were sent."""

    added: int
    known: int
    refused: tuple[RefusedSeed, ...]


async def import_seeds(request: Request) -> Response:
    """Take seeds in, and tell every line that is broken by its number."""
    facts, page = await find_collection(request), page_of(request)
    text = await _read_sent_text(await read_form(request))
    found = await asyncio.to_thread(list, _read_entries(text, build_check(page.visitor)))
    refused = [each for each in found if isinstance(each, RefusedLine)]
    entries = [each for each in found if isinstance(each, SeedEntry)]
    service = page.service
    added = await asyncio.to_thread(
        take_seeds_in, service.collections, service.schedules, facts.name, entries, service.clock.now()
    )
    told = tuple(RefusedSeed(each.number, each.reason) for each in refused)
    note_outcome(request, SeedsTaken(len(added), len(entries) - len(added), told))
    if not refused:
        return see_other(f"/collections/{facts.name}")
    return render(request, "seeds_taken.html", facts=facts, added=len(added), known=len(entries) - len(added),
                  refused=refused)  # fmt: skip


async def _read_sent_text(form: FormData) -> str:
    sent = form.get("file")
    content = await sent.read() if isinstance(sent, UploadFile) else b""
    text = content.decode("utf-8", "replace") or text_of(form, "table")
    if not text.strip():
        raise UsageError("there are no seeds in it; choose a file, or write a URL in each line")
    return text


def _read_entries(text: str, check: Callable[[SeedEntry], SeedEntry]) -> Iterator[SeedEntry | RefusedLine]:
    if text.lstrip("\ufeff \r\n\t").startswith("<"):
        return read_outline(text, check)
    return read_seed_table(text.split("\n"), check)


def build_check(visitor: Visitor) -> Callable[[SeedEntry], SeedEntry]:
    """What a visitor may name in seeds; an administrator may name private addresses."""
    is_local_allowed = visitor.may(Permission.ADMINISTER)

    def check(entry: SeedEntry) -> SeedEntry:
        plan = check_sent_plan({**entry.settings, "seeds": [entry.url]}, is_local_allowed)
        del plan["seeds"]
        return replace(entry, settings=plan)

    return check


async def show_seed(request: Request) -> Response:
    """The settings of a seed, and what was captured of it when."""
    seed, page = await _find_seed(request), page_of(request)
    jobs = await asyncio.to_thread(page.service.jobs.jobs_of_seed, seed.id)
    listed = await asyncio.to_thread(page.service.collections.list_collections)
    targets = [
        each for each in listed if each.name != seed.collection and page.visitor.may(Permission.CURATE, each.name)
    ]
    return render(request, "seed.html", seed=seed, jobs=jobs, targets=targets)


async def change_seed(request: Request) -> Response:
    """Keep other settings and notes of a seed."""
    seed, form, page = await _find_seed(request), await read_form(request), page_of(request)
    kept = {name: value for name, value in seed.settings.items() if name not in SET_OPTIONS}
    given = {name: text_of(form, name) for name in SET_OPTIONS}
    entry = SeedEntry(seed.url, {**kept, **{name: value for name, value in given.items() if value}})
    checked = build_check(page.visitor)(entry)
    parse_plan({**checked.settings, "seeds": [seed.url]})
    changed = replace(seed, settings=checked.settings, notes=text_of(form, "notes"))
    await asyncio.to_thread(page.service.collections.change_seed, changed)
    return see_other(f"/collections/{seed.collection}/seeds/{seed.id}")


async def delete_seed(request: Request) -> Response:
    """Capture a seed no more; what was captured of it stays."""
    seed = await _find_seed(request)
    await asyncio.to_thread(page_of(request).service.collections.delete_seed, seed)
    return see_other(f"/collections/{seed.collection}")


async def move_seed(request: Request) -> Response:
    """Have a seed belong to another collection, which one must be allowed to change as well."""
    seed, form, page = await _find_seed(request), await read_form(request), page_of(request)
    target = text_of(form, "target")
    if not page.visitor.may(Permission.CURATE, target):
        raise HTTPException(403)
    moved = await asyncio.to_thread(page.service.collections.move_seed, seed, target)
    return see_other(f"/collections/{moved.collection}/seeds/{moved.id}")


async def _find_seed(request: Request) -> CollectionSeed:
    seed = await asyncio.to_thread(page_of(request).service.collections.seed, request.path_params["seed"])
    if seed is None or seed.collection != request.path_params["collection"]:
        raise HTTPException(404)
    return seed
