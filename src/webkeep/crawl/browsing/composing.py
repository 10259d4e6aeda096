"""From a plan to an explorer at work beside an engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from webkeep.browser.command import BrowserSettings
from webkeep.browser.storage import Stores
from webkeep.browser.values import Filling, Limits
from webkeep.crawl.browsing.explorer import Budget, Explorer, Exploring, exploring
from webkeep.crawl.browsing.held import HeldAnswers
from webkeep.crawl.browsing.keeping import Keeper
from webkeep.crawl.browsing.lane import ProxyLane
from webkeep.crawl.browsing.outfit import outfit_of
from webkeep.crawl.browsing.page_notes import PageNotes
from webkeep.crawl.browsing.passages import Passages
from webkeep.crawl.browsing.survey import Survey
from webkeep.crawl.engine import Engine
from webkeep.crawl.jobs import Job
from webkeep.crawl.login import Cookie, cookies_in, read_login
from webkeep.crawl.plan import Browsing, Plan
from webkeep.crawl.policies import settings_of
from webkeep.crawl.requests import Requests
from webkeep.crawl.secret_urls import SecretUrls
from webkeep.crawl.watching import Watcher
from webkeep.frontier.frontier import Frontier
from webkeep.redaction import NO_REDACTION, Redactor
from webkeep.store.job import JobBook
from webkeep.store.writable import OpenCapture, WritableArchive
from webkeep.url import include

_CONNECTIONS = 64
_AUTHORITY = "authority"


def exploring_plan(plan: Plan) -> Exploring:
    """What a plan says about pages in a browser."""
    outfit = outfit_of(plan)
    return Exploring(
        Limits(
            depth=plan.states,
            seconds=plan.page_seconds,
            views=plan.page_states,
            requests=plan.page_requests,
            screenshots=plan.screenshots or plan.full_page,
            full_page=plan.full_page,
            fillings=tuple(Filling(name, value) for name, value in plan.fill),
        ),
        plan.tabs,
        Budget(plan.browser_seconds, plan.browser_states, plan.browser_requests),
        BrowserSettings(plan.browser_program, user_agent=outfit.name, is_alone=outfit.is_all),
        plan.browser is Browsing.AUTO,
        _cookies(plan),
        _stores(plan),
    )


def _cookies(plan: Plan) -> Sequence[Cookie]:
    """The cookies that tabs begin with: those of a login, or else of a file."""
    if plan.browser_profile:
        return read_login(Path(plan.browser_profile)).cookies
    return cookies_in(Path(plan.cookies)) if plan.cookies else ()


def _stores(plan: Plan) -> Stores:
    """The local storage that tabs begin with."""
    return read_login(Path(plan.browser_profile)).stores if plan.browser_profile else {}


@asynccontextmanager
async def browsing(
    plan: Plan,
    archive: WritableArchive,
    capture: OpenCapture,
    frontier: Frontier,
    book: JobBook,
    job: Job,
    engine: Engine,
    requests: Requests,
    watcher: Watcher,
    notes: PageNotes,
    resumed: bool,
) -> AsyncIterator[Explorer]:
    """An explorer of the pages of a capture, by its plan; its browser is gone when the block is left."""
    wanted = exploring_plan(plan)
    survey = Survey(archive, capture.id, book, notes, wanted.is_ordered, resumed)
    held = HeldAnswers(archive, capture.id)
    redactor = engine.redactor or Redactor(NO_REDACTION)
    urls = engine.urls or SecretUrls(redactor)
    passages = Passages(
        capture, frontier, book, requests, held, archive.clock, redactor, urls, engine.wake, watcher.noted,
        notes.note,
    )  # fmt: skip
    allowed = tuple(include(text) for text in plan.allow_post)
    outfit = outfit_of(plan)
    lanes = [ProxyLane(held, passages, allowed, outfit) for _ in range(plan.tabs)]
    keeper = Keeper(archive, capture, plan.screenshots or plan.full_page, plan.full_page)
    door = replace(settings_of(plan), connections=_CONNECTIONS)
    async with exploring(
        wanted, lanes, passages, survey, keeper, door, job.spool, job.folder / _AUTHORITY, archive.clock
    ) as explorer:
        yield explorer
