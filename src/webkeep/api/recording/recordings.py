"""`record`: what a person or a program does on the web, archived as it happens, as a value that programs hold.

Theory of operation. A recording runs in an event loop of its own: for the command in its main thread, for programs in a
thread beside them, which `Recording` stands for. Its switch ends both: Ctrl-C presses it, and so does `close`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import (
    StrPath,
    Texts,
    list_texts,
    read_choice,
    read_path,
    read_path_or_none,
)
from webkeep.api.arguments.capture_options import RobotsChoice
from webkeep.api.recording.recording_run import (
    RecordingRequest,
    RecordingSummary,
    build_recording_request,
    run_record,
)
from webkeep.api.work_listener import CallbackListener, FindingCallback, NoteCallback, WorkListener
from webkeep.crawl.recording import RecordedExchange, RecordedPage
from webkeep.errors import UsageError
from webkeep.fetch.proxy import RecordingProxy, TunnelRule
from webkeep.frontier.policy import RobotsMode
from webkeep.process import StopSwitch, start_work
from webkeep.redaction import NO_REDACTION, RedactionRules
from webkeep.url.scope import UrlRule, exclude_rule, include_rule

ExchangeCallback: TypeAlias = Callable[[RecordedExchange], object]
PageCallback: TypeAlias = Callable[[RecordedPage], object]


class Recording:
    """A recording under way: a proxy for browsers and programs, which `close` or the end of a block ends."""

    def __init__(self, done: Future[RecordingSummary], switch: StopSwitch, started: RecordingStart) -> None:
        self._done = done
        self._switch = switch
        self._started = started

    @property
    def capture(self) -> str:
        """The identifier of the capture that it makes."""
        return self._started.capture

    @property
    def port(self) -> int:
        """Where the proxy listens."""
        return self._started.port

    @property
    def proxy(self) -> str:
        """The proxy's URL, as clients are given it."""
        return f"http://{self._started.address}"

    @property
    def certificate(self) -> Path:
        """The certificate that clients have to trust, for HTTPS."""
        return self._started.certificate

    @property
    def is_over(self) -> bool:
        """Whether it has ended: it was closed, or its browser was."""
        return self._done.done()

    @property
    def summary(self) -> RecordingSummary:
        """What it came to, once it has ended."""
        if not self._done.done():
            raise UsageError("the recording is still under way; close it, or wait for its end")
        return self._done.result()

    def wait(self, timeout: float | None = None) -> RecordingSummary:
        """Wait until it ends by itself: its browser is closed, or the disk is full; TimeoutError after `timeout`."""
        return self._done.result(timeout)

    def close(self) -> RecordingSummary:
        """End it, when all that was recorded is on disk; a second time is no different."""
        if not self._done.done():
            self._switch.press()
        return self._done.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class RecordingStart:
    """How a recording is reached once it has begun."""

    capture: str
    address: str
    port: int
    certificate: Path


@check_arguments
def record(
    *,
    into: StrPath,
    port: int | None = None,
    host: str | None = None,
    open_url: str = "",
    browser_program: StrPath = "",
    headless: bool = False,
    include: Texts = (),
    exclude: Texts = (),
    redact: Texts | Literal[False] = (),
    keep: Texts = (),
    private: bool = False,
    tunnels: TunnelRule | str | None = None,
    robots: RobotsChoice | None = None,
    delay: float | None = None,
    best_effort: bool = False,
    resolve: Texts = (),
    proxy: str = "",
    insecure: bool = False,
    certificate_authorities: StrPath = "",
    authority: StrPath | None = None,
    on_exchange: ExchangeCallback | None = None,
    on_page: PageCallback | None = None,
    on_note: NoteCallback | None = None,
    on_finding: FindingCallback | None = None,
) -> Recording:
    """Archive what goes through a proxy, as it happens, for as long as a `with` block around it lasts.

    `redact=False` records everything, passwords included. `open_url` starts Chromium there; closing it ends the
    recording. The callbacks are called in the recording's own thread.
    """
    values: dict[str, Any] = {
        "rules": _read_rules(include, exclude),
        "redaction": _read_redaction(redact, keep),
        "private": private,
        "best_effort": best_effort,
        "resolve": list_texts(resolve, "resolve"),
        "proxy": proxy,
        "insecure": insecure,
        "certificate_authorities": os.fspath(certificate_authorities),
        "authority": read_path_or_none(authority),
    }
    given: dict[str, Any] = {"port": port, "host": host, "delay": delay}
    given["tunnels"] = None if tunnels is None else read_choice(TunnelRule, tunnels, "--tunnels")
    given["robots"] = None if robots is None else read_choice(RobotsMode, robots, "--robots")
    values |= {name: value for name, value in given.items() if value is not None}
    request = build_recording_request(read_path(into), values, open_url, os.fspath(browser_program), headless)
    observer = _CallbackRecordingObserver(on_exchange, on_page, on_note)
    return _start_recording(request, observer, CallbackListener(None, on_note, on_finding))


def _start_recording(
    request: RecordingRequest, observer: _CallbackRecordingObserver, listener: WorkListener
) -> Recording:
    switch, begun = StopSwitch(), Future[RecordingStart]()

    def tell_begun(proxy: RecordingProxy) -> None:
        address = f"{request.plan.host}:{proxy.port}"
        begun.set_result(RecordingStart(observer.capture, address, proxy.port, proxy.authority.certificate_path))

    done = start_work(lambda: run_record(request, observer, listener, tell_begun), switch)
    done.add_done_callback(lambda ended: _pass_failure(ended, begun))
    try:
        return Recording(done, switch, begun.result())
    except KeyboardInterrupt:
        switch.press()
        raise


def _pass_failure(ended: Future[RecordingSummary], begun: Future[RecordingStart]) -> None:
    """Have whoever waits for the beginning hear of an end before it."""
    if not begun.done() and (error := ended.exception()) is not None:
        begun.set_exception(error)


class _CallbackRecordingObserver:
    """Hands on to the functions that a program gave."""

    def __init__(
        self, on_exchange: ExchangeCallback | None, on_page: PageCallback | None, on_note: NoteCallback | None
    ) -> None:
        self._exchange, self._page, self._note = on_exchange, on_page, on_note
        self.capture = ""

    def on_started(self, capture: str, _address: str) -> None:
        """The proxy listens."""
        self.capture = capture

    def on_exchange(self, recorded: RecordedExchange) -> None:
        """An exchange came to its end."""
        if self._exchange is not None:
            self._exchange(recorded)

    def on_page(self, page: RecordedPage) -> None:
        """Someone went to a page."""
        if self._page is not None:
            self._page(page)

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        if self._note is not None:
            self._note(text)


def _read_rules(include: Texts, exclude: Texts) -> tuple[UrlRule, ...]:
    taken, left_out = list_texts(include, "include"), list_texts(exclude, "exclude")
    return (*map(include_rule, taken), *map(exclude_rule, left_out))


def _read_redaction(redact: Texts | Literal[False], keep: Texts) -> RedactionRules:
    if redact is False:
        return NO_REDACTION
    return RedactionRules(added=list_texts(redact, "redact"), kept=list_texts(keep, "keep"))
