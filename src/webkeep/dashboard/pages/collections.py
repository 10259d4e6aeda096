"""Collections: their list, the page of one, what is said of it, its capture, and the page that everybody may see."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.crawl.plan import parse_size
from webkeep.dashboard.collection_pictures import picture_path
from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.page_cursor import cut_piece, read_cursor, write_cursor
from webkeep.dashboard.public_replay import public_replay
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service import run
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionFacts, CollectionPurpose, CompletenessFigure
from webkeep.service.jobs import MOVING_STATES, JobState
from webkeep.service.run import Service, collection_bytes, describe_archives, measure_collections, submit_seeds
from webkeep.service.store import NEVER_CAPTURED

_SHOWN_COLLECTIONS = 100
"""Collections on one page of their list; further ones are on the next."""
_SHOWN_SEEDS = 200
"""Seeds on one page of a collection; further ones are on the next."""


async def list_collections(request: Request) -> Response:
    """Collections that one may see, by name, with how complete each is."""
    after = read_cursor(request.query_params.get("cursor", ""), (str,))
    rows, following = await asyncio.to_thread(_list_rows, page_of(request), after[0] if after else "")
    return render(request, "collections.html", rows=rows, following=following, is_first=after is None)


def _list_rows(
    page: PageContext, after: str
) -> tuple[list[tuple[CollectionFacts, int, CompletenessFigure]], str | None]:
    service = page.service
    found = service.collections.list_page(page.visitor.visible_collections(), _SHOWN_COLLECTIONS + 1, after)
    facts, following = cut_piece(found, _SHOWN_COLLECTIONS, lambda each: write_cursor(each.name))
    figures = measure_collections(service.collections, service.jobs, facts)
    return [(each, *figure) for each, figure in zip(facts, figures, strict=True)], following


async def show_new_collection(request: Request) -> Response:
    """The form by which a collection is begun."""
    others = await asyncio.to_thread(_list_others, page_of(request), "")
    return render(request, "collection_form.html", facts=None, purposes=list(CollectionPurpose), others=others)


async def make_collection(request: Request) -> Response:
    """Begin a collection."""
    form, page = await read_form(request), page_of(request)
    service = page.service
    values = {**_read_facts(form), "quota": _read_quota(form), "left_out": _read_left_out(form, page)}
    facts = CollectionFacts(text_of(form, "name"), **values)
    await asyncio.to_thread(service.collections.create, facts, service.clock.now())
    return see_other(f"/collections/{facts.name}")


async def show_edit(request: Request) -> Response:
    """The form by which something else is said of a collection."""
    facts = await find_collection(request)
    others = await asyncio.to_thread(_list_others, page_of(request), facts.name)
    return render(request, "collection_form.html", facts=facts, purposes=list(CollectionPurpose), others=others)


def _list_others(page: PageContext, name: str) -> list[CollectionFacts]:
    """Collections that one may see but one, whose pages may be left out."""
    visible = page.visitor.visible_collections()
    found = page.service.collections.list_collections()
    return [each for each in found if each.name != name and (visible is None or each.name in visible)]


async def change_collection(request: Request) -> Response:
    """Say something else of a collection; its quota is an administrator's to give."""
    form, page, known = await read_form(request), page_of(request), await find_collection(request)
    quota = _read_quota(form) if page.visitor.may(Permission.ADMINISTER) else known.quota
    left_out = _read_left_out(form, page, known.left_out)
    values = {"archives": known.archives, "picture": known.picture, "left_out": left_out, **_read_facts(form)}
    facts = CollectionFacts(known.name, quota=quota, **values)
    await asyncio.to_thread(_keep_facts, page.service, facts)
    return see_other(f"/collections/{facts.name}")


def _keep_facts(service: Service, facts: CollectionFacts) -> None:
    service.collections.update(facts)
    describe_archives(service.folder, facts)
    public_replay.refresh(service)


def _read_facts(form: FormData) -> dict[str, Any]:
    title = text_of(form, "title")
    if not title:
        raise UsageError("a collection needs a title; write what it is called")
    purpose = text_of(form, "purpose", CollectionPurpose.INTENSIVE.value)
    if purpose not in list(CollectionPurpose):
        raise UsageError(f"a collection is extensive or intensive, and not {purpose[:40]!r}")
    subjects = (each.strip() for each in text_of(form, "subjects").splitlines())
    texts = {name: text_of(form, name) for name in ("description", "creator", "rights")}
    return {
        **texts,
        "title": title,
        "subjects": tuple(each for each in subjects if each),
        "purpose": CollectionPurpose(purpose),
        "is_public": text_of(form, "is_public") == "yes",
    }


def _read_left_out(form: FormData, page: PageContext, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Collections to leave out: of those that one may see, and what others said before of those that one may not."""
    visible = page.visitor.visible_collections()
    hidden = [name for name in known if visible is not None and name not in visible]
    given = [line.strip() for each in form.getlist("left_out") if isinstance(each, str) for line in each.splitlines()]
    for name in given:
        if name and visible is not None and name not in visible and name not in hidden:
            raise UsageError(f"there is no collection {name[:80]!r} to leave out; name one that is there")
    return tuple(dict.fromkeys([*hidden, *filter(None, given)]))


def _read_quota(form: FormData) -> int | None:
    text = text_of(form, "quota")
    return parse_size(text) if text else None


async def show_collection(request: Request) -> Response:
    """What is said of a collection, its seeds with their last jobs, and what can be done."""
    facts, service, asked = await find_collection(request), page_of(request).service, request.query_params
    first, words, state = asked.get("from", "0"), asked.get("q", "").strip(), asked.get("state", "")
    start = int(first) if first.isdecimal() and len(first) < 9 else 0
    search = service.collections.search_seeds
    seeds, count = await asyncio.to_thread(search, facts.name, words, state, start, _SHOWN_SEEDS)
    latest = await asyncio.to_thread(service.jobs.latest_of, [seed.id for seed in seeds])
    all_count, figure = await asyncio.to_thread(_measure, service, facts)
    planned = await asyncio.to_thread(_count_planned, service, facts.name)
    moving = await asyncio.to_thread(service.queue.count_open, {facts.name})
    visible = page_of(request).visitor.visible_collections()
    seen_names = facts.left_out if visible is None else visible
    following, before = start + _SHOWN_SEEDS, max(0, start - _SHOWN_SEEDS)
    return render(request, "collection.html", facts=facts, figure=figure, count=count, all_count=all_count,
                  latest=latest, seeds=seeds, start=start, words=words, state=state,
                  states=[NEVER_CAPTURED, *(each.value for each in JobState)], schedule_count=planned,
                  seen_names=seen_names, has_picture=picture_path(service, facts.name).is_file(),
                  following=following if following < count else None,
                  before=before if start else None, is_moving=not MOVING_STATES.isdisjoint(moving))  # fmt: skip


def _measure(service: Service, facts: CollectionFacts) -> tuple[int, CompletenessFigure]:
    return measure_collections(service.collections, service.jobs, [facts])[0]


def _count_planned(service: Service, name: str) -> int:
    return len(service.schedules.list_schedules(name)) + len(service.watches.list_watches(name))


async def show_removal(request: Request) -> Response:
    """What becomes of what when a collection is removed, before it is."""
    facts, page = await find_collection(request), page_of(request)
    values = await asyncio.to_thread(_removal_values, page.service, facts.name)
    return render(request, "collection_removal.html", facts=facts, **values)


def _removal_values(service: Service, name: str) -> dict[str, object]:
    targets = [each for each in service.collections.list_collections() if each.name != name]
    running = len(service.jobs.list_jobs([JobState.RUNNING], name))
    seeds = service.collections.count_seeds(name)
    return {"targets": targets, "running": running, "seeds": seeds, "bytes": collection_bytes(service.folder, name)}


async def remove_collection(request: Request) -> Response:
    """Remove a collection whose name was written once more; its archives are put aside unless that was said."""
    facts, form, service = await find_collection(request), await read_form(request), page_of(request).service
    if text_of(form, "name") != facts.name:
        raise UsageError(f"write the name of the collection, {facts.name}, to confirm; nothing was removed")
    keeps_archives = text_of(form, "for_good") != "yes"
    removed = await asyncio.to_thread(
        run.remove_collection, service.folder, service.collections, facts.name, service.clock.now(), keeps_archives
    )
    await asyncio.to_thread(public_replay.refresh, service)
    where = "were deleted" if removed.archives is None else f"lie in {removed.archives}"
    text = f"{removed.seeds:,} seeds and the record of {removed.jobs:,} jobs are gone; its archives {where}."
    return render(request, "message.html", heading=f"{facts.title} was removed", text=text)


async def move_seeds(request: Request) -> Response:
    """Have all seeds of a collection belong to another; those that are there already stay."""
    facts, form, service = await find_collection(request), await read_form(request), page_of(request).service
    moved = await asyncio.to_thread(service.collections.move_seeds, facts.name, text_of(form, "target"))
    return see_other(f"/collections/{moved}")


async def capture_collection(request: Request) -> Response:
    """Capture all seeds of a collection as soon as it is their turn."""
    facts, service = await find_collection(request), page_of(request).service
    seeds = await asyncio.to_thread(service.collections.seeds, facts.name)
    if not seeds:
        raise UsageError(f"{facts.name} has no seeds yet; add some first")
    await asyncio.to_thread(submit_seeds, service.jobs, seeds, service.clock.now())
    return see_other(f"/jobs?collection={facts.name}")


async def find_collection(request: Request) -> CollectionFacts:
    """The collection that an address names; 404 where there is none."""
    return await asyncio.to_thread(get_facts, page_of(request).service, request.path_params["collection"])


def get_facts(service: Service, name: str) -> CollectionFacts:
    """What is said of a collection; 404 where there is none."""
    try:
        return service.collections.get(name)
    except UsageError:
        raise HTTPException(404) from None
