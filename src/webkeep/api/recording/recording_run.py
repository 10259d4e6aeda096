"""A recording from its request to its summary: what is asked for, what ends it, and what it came to."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.api.arguments.call_values import check_archive_parent, check_port, data_folder
from webkeep.api.logged_writing import open_to_write
from webkeep.api.recording.recording_browser import open_browser, refuse_own_requests
from webkeep.api.work_listener import WorkListener
from webkeep.api.work_summary import LEFT_OUT, WorkSummary
from webkeep.browser.process import NO_SANDBOX_WARNING
from webkeep.crawl.plan import check_authorities_file
from webkeep.crawl.recording import (
    RecordedPage,
    RecordingObserver,
    RecordingPlan,
    RecordingResult,
    open_private_hosts,
    open_recording,
)
from webkeep.errors import RemoteError, UsageError
from webkeep.fetch import parse_proxy, parse_resolve
from webkeep.fetch.proxy import RecordingProxy, open_listeners
from webkeep.model import UrlOutcome
from webkeep.process import call_on_signals, current_stop_switch
from webkeep.store.archive import WritableArchive
from webkeep.url import parse_seed, split_url

_LASTING_LOOK_SECONDS = 0.5
"""So often a file is looked at for whose sake a recording lasts."""
_LEFT_SECONDS = 60.0
"""A file that was not touched for so long was left."""
_MAX_DELAY_SECONDS = 3600
"""An hour between two requests is a slip, not politeness."""


@dataclass(frozen=True, slots=True)
class RecordingSummary(WorkSummary):
    """What a recording came to."""

    archive: Path
    capture: str
    stored: int
    duplicates: int
    failed: int
    refused: int
    cut: int
    """Exchanges that clients broke off."""
    left_out: int
    taken_down: int
    bytes: int
    seconds: float
    pages: tuple[RecordedPage, ...]
    sockets: int
    redactions: int
    unread: int
    """Bodies of requests that could not be read, and were left out for what they may hold."""
    gaps: int
    """Exchanges that passed and could not be recorded."""
    gap_reason: str
    is_kept: bool = field(default=True, metadata=LEFT_OUT)
    """Whether the disk took all of it; if not, the recording ended there."""


@dataclass(frozen=True, slots=True)
class RecordingRequest:
    """What is to be recorded, into which archive, and with which browser."""

    into: Path
    plan: RecordingPlan
    seed: str = ""
    """Where a browser is opened; none is without it."""
    browser_program: str = ""
    headless: bool = False
    keep_log: bool = False
    """Whether the archive keeps a log of its records from now on."""
    lasting: Path | None = None
    """A file: the recording ends when it is gone, or was not touched for a minute."""

    def __post_init__(self) -> None:
        check_archive_parent(self.into)
        plan = self.plan
        check_port(plan.port, "--port")
        if not 0 <= plan.delay <= _MAX_DELAY_SECONDS:
            raise UsageError(f"--delay cannot be {plan.delay:g}; choose up to {_MAX_DELAY_SECONDS} seconds")
        if plan.proxy:
            parse_proxy(plan.proxy)
        if plan.certificate_authorities:
            _check_authorities(plan.certificate_authorities)
        if not self.seed and (self.headless or self.browser_program):
            raise UsageError(
                "--headless and --browser-program are about the browser that --open URL starts; name a URL"
            )


def build_recording_request(
    into: Path, values: dict[str, Any], seed: str = "", browser_program: str = "", headless: bool = False
) -> RecordingRequest:
    """The request that the values of a plan make; hosts that are named may be at private addresses."""
    start = parse_seed(seed) if seed else ""
    values = {**values, "authority": values.get("authority") or default_authority()}
    values["resolve"] = tuple(parse_resolve(each) for each in values.get("resolve", ()))
    plan = RecordingPlan(**values, hook=refuse_own_requests if start else None)
    named = [":".join(each.split(":")[:2]) for each in plan.resolve]
    opened = open_private_hosts(plan, *named, *([_host_and_port(start)] if start else []))
    return RecordingRequest(into, opened, start, browser_program, headless)


def default_authority() -> Path:
    """Where the certificate authority is kept, unless something else is said."""
    return data_folder() / "authority"


def run_record(
    request: RecordingRequest,
    observer: RecordingObserver,
    listener: WorkListener,
    on_begun: Callable[[RecordingProxy], object],
) -> RecordingSummary:
    """Record until the browser is closed, until Ctrl-C, or until the switch of this work is pressed."""
    _raise_file_limit()
    with ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in open_listeners(request.plan.host, request.plan.port)]
        archive = stack.enter_context(open_to_write(request.into, listener.on_note, keep_log=request.keep_log))
        for finding in archive.repair_findings:
            listener.on_finding(finding)
        if request.seed and os.geteuid() == 0:
            listener.on_note(NO_SANDBOX_WARNING)
        recorded, is_kept = asyncio.run(_record(request, archive, observer, sockets, on_begun))
    return _summarize(request.into, recorded, is_kept)


async def _record(
    request: RecordingRequest,
    archive: WritableArchive,
    observer: RecordingObserver,
    sockets: list[socket.socket],
    on_begun: Callable[[RecordingProxy], object],
) -> tuple[RecordingResult, bool]:
    plan, seed, stopped = request.plan, request.seed, asyncio.Event()
    loop, switch = asyncio.get_running_loop(), current_stop_switch()
    async with AsyncExitStack() as stack:
        stack.enter_context(switch.connect(lambda: loop.call_soon_threadsafe(stopped.set)))
        stack.enter_context(call_on_signals(lambda number: switch.press(number.name)))
        proxy, session = await stack.enter_async_context(
            open_recording(plan, archive, observer, (seed,) if seed else (), sockets)
        )
        on_begun(proxy)
        waits: list[asyncio.Task[bool]] = [loop.create_task(_wait_for_event(stopped))]
        if not plan.best_effort:
            waits.append(loop.create_task(_wait_for_event(session.failed_event)))
        if request.lasting is not None:
            waits.append(loop.create_task(wait_until_left(request.lasting)))
        if seed:
            stack.push_async_callback(_cancel_tasks, waits)
            opening = open_browser(request.browser_program, seed, proxy, request.headless)
            browser = await stack.enter_async_context(opening)
            waits.append(loop.create_task(_wait_for_exit(browser)))
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        await _cancel_tasks(waits)
        if seed and browser.returncode and not session.result.counts:
            advice = "start it by hand to see why, or add --headless where there is no screen"
            raise RemoteError(f"the browser ended at once with {browser.returncode}; {advice}")
    return session.result, session.failure is None


async def _wait_for_event(event: asyncio.Event) -> bool:
    return await event.wait()


async def wait_until_left(
    path: Path, look_seconds: float = _LASTING_LOOK_SECONDS, left_seconds: float = _LEFT_SECONDS
) -> bool:
    """Wait until a file is gone, or has not been touched for a while.

    That is told by its time being another, whatever the clock says.
    """
    loop = asyncio.get_running_loop()
    known, since = -1, loop.time()
    while True:
        try:
            touched = path.stat().st_mtime_ns
        except OSError:
            return True
        if touched != known:
            known, since = touched, loop.time()
        elif loop.time() - since >= left_seconds:
            return True
        await asyncio.sleep(look_seconds)


async def _wait_for_exit(browser: asyncio.subprocess.Process) -> bool:
    await browser.wait()
    return True


async def _cancel_tasks(tasks: list[asyncio.Task[bool]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _summarize(into: Path, recorded: RecordingResult, is_kept: bool) -> RecordingSummary:
    counts = recorded.counts
    return RecordingSummary(
        archive=into,
        capture=recorded.capture,
        stored=counts[UrlOutcome.STORED],
        duplicates=counts[UrlOutcome.DUPLICATE],
        failed=counts[UrlOutcome.FAILED],
        refused=counts[UrlOutcome.REFUSED],
        cut=counts[UrlOutcome.CUT],
        left_out=counts[UrlOutcome.OUT_OF_SCOPE],
        taken_down=counts[UrlOutcome.TAKEN_DOWN],
        bytes=recorded.bytes,
        seconds=round(recorded.seconds, 3),
        pages=tuple(recorded.pages),
        sockets=recorded.sockets,
        redactions=recorded.redactions,
        unread=recorded.unread,
        gaps=recorded.gaps,
        gap_reason=recorded.gap_reason,
        is_kept=is_kept,
    )


def _check_authorities(file: str) -> None:
    try:
        check_authorities_file(file)
    except ValueError as error:
        raise UsageError(f"--ca {file}: {error}") from error


def _host_and_port(url: str) -> str:
    parts = split_url(url)
    host, port = parts.host, parts.port
    return f"{host}:{port or (443 if url.startswith('https:') else 80)}"


def _raise_file_limit() -> None:
    """Every client and every server takes a descriptor, and the usual limit is low."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # then it stays as it is
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
