"""From a plan to an explorer at work beside an engine: how far walks go, the cookies and local storage that tabs begin
with, and how many browser requests may be under way at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from webkeep.browser import FieldFilling, WalkLimits
from webkeep.browser.process import BrowserSettings, LocalStores
from webkeep.crawl.browsing.browser_requests import BrowserRequests
from webkeep.crawl.browsing.explorer import BrowserBudget, ExplorationPlan, ExplorerWork, PageExplorer, explorer_session
from webkeep.crawl.browsing.held_responses import HeldResponses
from webkeep.crawl.browsing.request_identity import identity_from_plan
from webkeep.crawl.browsing.stored_pages import StoredPages
from webkeep.crawl.browsing.tab_proxy import TabProxy
from webkeep.crawl.browsing.walk_writer import WalkWriter
from webkeep.crawl.links.runnable_pages import RunnablePages
from webkeep.crawl.plan.capture_plan import BrowserMode, CapturePlan
from webkeep.crawl.plan.saved_login import BrowserCookie, read_cookie_file, read_login
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.crawl.run.live_pictures import LivePictures
from webkeep.fetch.proxy import ProxySettings
from webkeep.url.scope import include_rule

_MAX_CONNECTIONS = 64
"""Requests of pages that may be under way together; how fast hosts are asked is the frontier's to say."""
_AUTHORITY_FOLDER = "authority"


def exploration_from_plan(plan: CapturePlan) -> ExplorationPlan:
    """What a plan says about pages in a browser."""
    identity = identity_from_plan(plan)
    return ExplorationPlan(
        walk_limits_from_plan(plan),
        plan.tabs,
        BrowserBudget(plan.browser_seconds, plan.browser_states, plan.browser_requests),
        BrowserSettings(plan.browser_program, user_agent=identity.user_agent, is_alone=identity.is_whole_user_agent),
        plan.browser is BrowserMode.AUTO,
        plan.portraits,
        _initial_cookies(plan),
        _initial_stores(plan),
    )


def walk_limits_from_plan(plan: CapturePlan) -> WalkLimits:
    """How far the walk through one page goes."""
    return WalkLimits(
        depth=plan.states,
        seconds=plan.page_seconds,
        views=plan.page_states,
        requests=plan.page_requests,
        screenshots=plan.screenshots or plan.full_page,
        full_page=plan.full_page,
        fillings=tuple(FieldFilling(name, value) for name, value in plan.fill),
    )


def _initial_cookies(plan: CapturePlan) -> Sequence[BrowserCookie]:
    """The cookies that tabs begin with: those of a login, or else of a file."""
    if plan.browser_profile:
        return read_login(Path(plan.browser_profile)).cookies
    return read_cookie_file(Path(plan.cookies)) if plan.cookies else ()


def _initial_stores(plan: CapturePlan) -> LocalStores:
    """The local storage that tabs begin with."""
    return read_login(Path(plan.browser_profile)).stores if plan.browser_profile else {}


@asynccontextmanager
async def open_explorer(
    context: CaptureContext, requests: RequestBuilder, runnable_pages: RunnablePages, wake: Callable[[], None]
) -> AsyncIterator[PageExplorer]:
    """An explorer of the pages of a capture, by its plan; its browser is gone when the block is left.

    `wake` is called when the frontier has something new to decide.
    """
    plan, archive, capture, job = context.plan, context.archive, context.capture, context.job
    wanted = exploration_from_plan(plan)
    stored_pages = StoredPages(
        archive, capture.id, context.url_store, runnable_pages, wanted.is_ordered, context.is_resumed
    )
    held = HeldResponses(archive, capture.id)
    browser_requests = BrowserRequests(context, requests, held, runnable_pages.note, wake)
    allowed = tuple(include_rule(text) for text in plan.allow_post)
    identity = identity_from_plan(plan)
    lanes = [TabProxy(held, browser_requests, allowed, identity) for _ in range(plan.tabs)]
    walk_writer = WalkWriter(archive, capture, plan.screenshots or plan.full_page, plan.full_page)
    fetch_settings = replace(context.fetch_settings, connections=_MAX_CONNECTIONS)
    # Whether an address may be private is for each request to say.
    settings = ProxySettings(job.spool, job.folder / _AUTHORITY_FOLDER, fetch_settings)
    pictures = LivePictures(job.folder)
    work = ExplorerWork(browser_requests, stored_pages, walk_writer, lanes, pictures, context.tally)
    async with explorer_session(wanted, work, settings, archive.clock) as explorer:
        yield explorer
