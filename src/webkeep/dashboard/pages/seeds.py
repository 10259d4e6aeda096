"""Seeds of a collection: taken in out of files and off servers, changed, moved, deleted; and the history of one."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.crawl.plan import parse_plan
from webkeep.dashboard.page_context import PageContext, Visitor, note_outcome, page_of
from webkeep.dashboard.pages.collections import find_collection, get_facts
from webkeep.dashboard.pages.logins import check_login_choice
from webkeep.dashboard.pages.seed_timeline import render_timeline
from webkeep.dashboard.pages.sent_seeds import SeedCheck, check_urls, read_sent_file, read_sent_text
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import FormatError, UsageError
from webkeep.service import check_sent_plan, check_sent_url
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionFacts, CollectionSeed, RefusedLine, SeedEntry
from webkeep.service.jobs import MANY_MACHINES_OPTION, OPEN_STATES, Job, JobEvent
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.run import (
    Service,
    build_seed_schedule,
    enter_schedule,
    prepare_many_machines,
    submit_seeds,
    take_seeds_in,
)
from webkeep.service.schedules import describe_schedule, describe_times, format_local_time
from webkeep.service.store import StoredSchedule
from webkeep.service.watches import WatchKind

SET_OPTIONS = ("scope", "depth", "browser", "max_urls", "delay", LOGIN_OPTION)
"""What the form of a seed sets; other settings, which came by a table, stay."""
_SHOWN_LINES = 1000
"""Broken lines that are told one by one; of more, how many they are."""


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
    trouble: str = ""
    """Why it may not be all; empty where it is."""


async def import_seeds(request: Request) -> Response:
    """Take seeds in, and tell every line that is broken by its number."""
    facts, page, form = await find_collection(request), page_of(request), await read_form(request)
    check = build_check(page.visitor)
    trouble = ""
    if url := text_of(form, "source_url"):
        found, trouble = await _fetch_entries(page, text_of(form, "source_kind"), url, check)
    elif isinstance(sent := form.get("file"), UploadFile) and sent.filename:
        found = await asyncio.to_thread(_read_upload, page.service, sent, check)
    else:
        found = await asyncio.to_thread(read_sent_text, _typed_seeds(form), check)
    return await _take_in(request, facts, found, trouble)


async def take_seed_file(request: Request, name: str, sent: UploadFile) -> Response | None:
    """Take in the seeds of a file that was sent for a collection; None where it has none."""
    page = page_of(request)
    found = await asyncio.to_thread(_read_upload, page.service, sent, build_check(page.visitor))
    if not any(isinstance(each, SeedEntry) for each in found):
        return None
    return await _take_in(request, await asyncio.to_thread(get_facts, page.service, name), found, "")


async def _take_in(
    request: Request, facts: CollectionFacts, found: Iterable[SeedEntry | RefusedLine], trouble: str
) -> Response:
    found = list(found)
    refused = [each for each in found if isinstance(each, RefusedLine)]
    entries = [each for each in found if isinstance(each, SeedEntry)]
    service = page_of(request).service
    added = await asyncio.to_thread(
        take_seeds_in, service.collections, service.schedules, facts.name, entries, service.clock.now()
    )
    told = tuple(RefusedSeed(each.number, each.reason) for each in refused)
    note_outcome(request, SeedsTaken(len(added), len(entries) - len(added), told, trouble))
    if not refused and not trouble:
        return see_other(f"/collections/{facts.name}")
    return render(request, "seeds_taken.html", facts=facts, added=len(added), known=len(entries) - len(added),
                  refused=refused[:_SHOWN_LINES], refused_count=len(refused), trouble=trouble)  # fmt: skip


def _typed_seeds(form: FormData) -> str:
    text = text_of(form, "table")
    if not text:
        raise UsageError("there are no seeds in it; choose a file, or write a URL in each line")
    return text


def _read_upload(service: Service, sent: UploadFile, check: SeedCheck) -> list[SeedEntry | RefusedLine]:
    """A file that was sent lies on the disk while it is read, under a name of ours."""
    spool = service.folder.root / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=spool, prefix="seeds-") as copy:
        shutil.copyfileobj(sent.file, copy)
        copy.flush()
        try:
            return read_sent_file(Path(copy.name), check)
        except (UsageError, FormatError) as error:  # what people are told has their name of the file in it
            told = str(error).replace(copy.name, sent.filename or "the file")
            raise UsageError(told.replace(Path(copy.name).name, sent.filename or "the file")) from error


async def _fetch_entries(
    page: PageContext, kind: str, url: str, check: SeedCheck
) -> tuple[list[SeedEntry | RefusedLine], str]:
    if kind not in list(WatchKind):
        raise UsageError(f"not a source of seeds: {kind[:40]!r}; choose feed, sitemap or oai-pmh")
    is_local_allowed = page.visitor.may(Permission.ADMINISTER)
    fetched = await page.service.seed_sources.fetch(WatchKind(kind), url, is_local_allowed)
    if not fetched.urls:
        raise UsageError(f"nothing was found at {url[:200]}: {fetched.trouble or 'it tells of no pages'}")
    left = f"{fetched.refused:,} pages were left out that are not on the web" if fetched.refused else ""
    entries = await asyncio.to_thread(lambda: list(check_urls(fetched.urls, check)))
    return entries, "; ".join(filter(None, (fetched.trouble, left)))


def build_check(visitor: Visitor) -> SeedCheck:
    """What a visitor may name in seeds; an administrator may name private addresses."""
    is_local_allowed = visitor.may(Permission.ADMINISTER)

    def check(entry: SeedEntry) -> SeedEntry:
        check_sent_url(entry.url, is_local_allowed)
        plan = check_sent_plan({**entry.settings, "seeds": [entry.url]}, is_local_allowed)
        del plan["seeds"]
        return replace(entry, settings=plan)

    return check


async def show_seed(request: Request) -> Response:
    """The settings of a seed, what was captured of it when, and when it is captured again."""
    seed, page = await find_seed(request), page_of(request)
    service = page.service
    jobs = await asyncio.to_thread(service.jobs.jobs_of_seed, seed.id)
    listed = await asyncio.to_thread(service.collections.list_collections)
    schedules = await asyncio.to_thread(service.schedules.list_of_seed, seed.id)
    targets = [
        each for each in listed if each.name != seed.collection and page.visitor.may(Permission.CURATE, each.name)
    ]
    logins = await asyncio.to_thread(service.logins.list_profiles, seed.collection)
    return render(request, "seed.html", seed=seed, jobs=jobs, targets=targets, timeline=render_timeline(jobs),
                  schedules=schedules, describe_schedule=describe_schedule, describe_times=describe_times,
                  format_local_time=format_local_time, logins=logins)  # fmt: skip


async def change_seed(request: Request) -> Response:
    """Keep other settings and notes of a seed, and the schedule that it is to have."""
    seed, form, page = await find_seed(request), await read_form(request), page_of(request)
    kept = {name: value for name, value in seed.settings.items() if name not in SET_OPTIONS}
    given = {name: text_of(form, name) for name in SET_OPTIONS}
    entry = SeedEntry(seed.url, {**kept, **{name: value for name, value in given.items() if value}})
    checked = build_check(page.visitor)(entry)
    if login := checked.settings.get(LOGIN_OPTION):
        await check_login_choice(page, str(login), seed.collection)
    own = (LOGIN_OPTION, MANY_MACHINES_OPTION)
    known = {name: value for name, value in checked.settings.items() if name not in own}
    if MANY_MACHINES_OPTION in checked.settings:
        prepare_many_machines({**checked.settings, "seeds": [seed.url]})
    parse_plan({**known, "seeds": [seed.url]})
    changed = replace(seed, settings=checked.settings, notes=text_of(form, "notes"))
    schedule = None
    if times := text_of(form, "schedule"):
        schedule = build_seed_schedule(seed, times, page.service.clock.now())
    await asyncio.to_thread(_keep_seed, page.service, changed, schedule)
    return see_other(f"/collections/{seed.collection}/seeds/{seed.id}")


def _keep_seed(service: Service, seed: CollectionSeed, schedule: StoredSchedule | None) -> None:
    service.collections.change_seed(seed)
    if schedule is not None:
        enter_schedule(service.schedules, schedule)


async def capture_seed(request: Request) -> Response:
    """Capture one seed as soon as it is its turn."""
    seed, service = await find_seed(request), page_of(request).service
    submitted = await asyncio.to_thread(submit_seeds, service.jobs, [seed], service.clock.now())
    return see_other(f"/jobs/{submitted.only().id}")


async def show_deletion(request: Request) -> Response:
    """What becomes of what when a seed is deleted, before it is."""
    seed, service = await find_seed(request), page_of(request).service
    jobs = await asyncio.to_thread(service.jobs.jobs_of_seed, seed.id)
    schedules = await asyncio.to_thread(service.schedules.list_of_seed, seed.id)
    watches = [each for each in await asyncio.to_thread(service.watches.list_watches, seed.collection)
               if each.watch.seed == seed.id]  # fmt: skip
    return render(request, "seed_deletion.html", seed=seed, jobs=len(jobs), schedules=len(schedules),
                  watches=len(watches), open_jobs=len(_open_jobs(jobs)))  # fmt: skip


async def delete_seed(request: Request) -> Response:
    """Capture a seed no more, what waits or runs of it neither; what was captured of it stays."""
    seed = await find_seed(request)
    await asyncio.to_thread(_delete_seed, page_of(request).service, seed)
    return see_other(f"/collections/{seed.collection}")


def _delete_seed(service: Service, seed: CollectionSeed) -> None:
    jobs = service.jobs.jobs_of_seed(seed.id)
    service.collections.delete_seed(seed)
    for job in _open_jobs(jobs):
        service.jobs.wish_if_possible(job, JobEvent.CANCEL, service.clock.now())


def _open_jobs(jobs: Iterable[Job]) -> list[Job]:
    return [job for job in jobs if job.state in OPEN_STATES]


async def move_seed(request: Request) -> Response:
    """Have a seed belong to another collection, which one must be allowed to change as well."""
    seed, form, page = await find_seed(request), await read_form(request), page_of(request)
    target = text_of(form, "target")
    page.visitor.require_curator(target)
    if target != seed.collection and LOGIN_OPTION in seed.settings:  # a login belongs to one collection
        kept_settings = {name: value for name, value in seed.settings.items() if name != LOGIN_OPTION}
        await asyncio.to_thread(page.service.collections.change_seed, replace(seed, settings=kept_settings))
    moved = await asyncio.to_thread(page.service.collections.move_seed, seed, target)
    return see_other(f"/collections/{moved.collection}/seeds/{moved.id}")


async def find_seed(request: Request) -> CollectionSeed:
    """The seed that an address names; 404 where there is none in that collection."""
    seed = await asyncio.to_thread(page_of(request).service.collections.seed, request.path_params["seed"])
    if seed is None or seed.collection != request.path_params["collection"]:
        raise HTTPException(404)
    return seed
