"""One client's request on its way to a server and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import pycurl

from webkeep.errors import StorageError
from webkeep.fetch.addresses import authority_of
from webkeep.fetch.handle import Lines
from webkeep.fetch.handles import Login
from webkeep.fetch.loop import Verdict
from webkeep.fetch.plain import PlainTry, Way
from webkeep.fetch.recording.passage import Passage
from webkeep.fetch.recording.passing_handle import PassingHandle
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.recording.upstream import Upstream
from webkeep.fetch.report import plain_request
from webkeep.fetch.request import BeforeMore, Failure, Fetched, Request
from webkeep.fetch.sink import SpoolSink

CLIENT_GONE = "the client went away"
"""What is said of an exchange that its client broke off."""

_GONE: Verdict = (pycurl.E_RECV_ERROR, CLIENT_GONE)
_DIED = "Connection died"
_MOST_CHALLENGES = 4
"""How often one request answers a server that asks who is there."""


@dataclass(frozen=True, slots=True)
class Passed:
    """How a passage ended."""

    fetched: Fetched
    is_kept: bool
    """Whether what came was gathered."""


Ended = Callable[[Passed | StorageError], None]
"""Told how a transfer ended, or why nothing of it could be kept."""


class Transfer:
    """Carries one request out; its end is told once, be it that the client goes away.

    To libcurl's loop it is the promise that is kept when a try has ended. Some are followed by another: without trust
    where that is allowed, over a fresh connection where nobody saw the first, plainly where libcurl gives up on the
    answer.
    """

    __slots__ = (
        "_authority",
        "_ended",
        "_handle",
        "_is_done",
        "_is_fresh",
        "_lines",
        "_login",
        "_passage",
        "_target",
        "_task",
        "_upload",
        "_upstream",
        "_why",
        "request",
    )

    def __init__(
        self,
        upstream: Upstream,
        request: Request,
        lines: Lines,
        passage: Passage,
        upload: Upload,
        ended: Ended,
        target: bytes = b"",
        login: Login = None,
    ) -> None:
        """A target is what stands in the request's line, where that is not what libcurl would make of the URL."""
        self._upstream, self.request, self._lines = upstream, request, lines
        self._passage, self._upload, self._ended, self._login = passage, upload, ended, login
        self._target = upstream.target(request.url, target) if target else b""
        self._authority = authority_of(request.url)
        self._why = upstream.distrusted.get(self._authority, "") if request.url.startswith("https") else ""
        self._is_done = self._is_fresh = False
        self._task: asyncio.Task[None] | None = None
        self._handle: PassingHandle | None = None

    def start(self) -> None:
        """Begin."""
        reason = self._upstream.reason_to_refuse(self.request)
        if not reason:
            self._start()
            return
        now = self._upstream.clock.now()
        self._end(Passed(Fetched(self.request, now, now, None, Failure.FORBIDDEN_ADDRESS, reason), True))

    def _start(self) -> None:
        upstream = self._upstream
        handle = self._handle = upstream.handle(self.request.private, not self._why, self._login)
        sinks = SpoolSink(upstream.spool), SpoolSink(upstream.spool)
        asks_back = self._login is not None
        handle.begin_passing(self.request, self._lines, sinks, self._passage, self._upload, asks_back)
        if asks_back:
            # To libcurl the answer to a challenge is a redirect: allowed none it stops, and answers when run again.
            handle.curl.setopt(pycurl.MAXREDIRS, 0 if self._may_wait else _MOST_CHALLENGES)
        if self._is_fresh:
            handle.curl.setopt(pycurl.FRESH_CONNECT, 1)
        if self._target:
            handle.curl.setopt(pycurl.REQUEST_TARGET, self._target)
        upstream.loop(self.request.private).start(handle.curl, self)

    @property
    def _may_wait(self) -> bool:
        """Whether a server that asks who is there can be told later; a body may be gone by then."""
        return self.request.before_more is not None and self._upload.length == 0

    def _tells(self, handle: PassingHandle, verdict: Verdict) -> bool:
        """Whether a server asked who is there, and is told when it is time to ask it once more."""
        before_more = self.request.before_more
        asked = verdict[0] == pycurl.E_TOO_MANY_REDIRECTS and len(handle.asked_back_at) < _MOST_CHALLENGES
        if before_more is None or not asked or not self._may_wait:
            return False
        handle.asked_back_at.append(self._upstream.clock.now())
        self._task = asyncio.get_running_loop().create_task(_waited(before_more))
        self._task.add_done_callback(self._go_on)
        return True

    def _go_on(self, waiting: asyncio.Task[None]) -> None:
        self._task = None
        if waiting.cancelled():
            self.set_result(_GONE)
        elif self._handle is not None:
            waiting.result()
            self._upstream.loop(self.request.private).start(self._handle.curl, self)

    def break_off(self) -> None:
        """The client went away; what came until then is kept."""
        if self._task is not None:
            self._task.cancel()
        elif self._handle is not None:
            self._upstream.loop(self.request.private).abandon(self._handle.curl)
            self.set_result(_GONE)

    def done(self) -> bool:
        """Whether its end was told."""
        return self._is_done

    def cancel(self) -> None:
        """The way to the web is closed."""
        if not self._is_done:
            self.set_result(_GONE)

    def set_result(self, verdict: Verdict, /) -> None:
        """A try has ended."""
        handle = self._handle
        if handle is None or self._tells(handle, verdict):
            return
        self._handle = None
        try:
            fetched, way = self._upstream.told(handle, verdict, not self._why)
        except StorageError as error:
            handle.let_go()
            self._end(error)
            return
        sent, is_kept = handle.sent, handle.is_kept
        can_begin_again = not handle.is_passed_on and verdict is not _GONE
        if verdict is _GONE or self._is_fresh or self._target or self._upload.length != 0:
            handle.let_go()
        else:
            self._upstream.put_back(handle, not self._why, self._login)
        if can_begin_again and self._begins_again(fetched, verdict):
            self._start()
        elif way is not None:
            self._task = asyncio.get_running_loop().create_task(self._plainly(fetched, way, plain_request(sent)))
        else:
            self._end(Passed(fetched, is_kept))

    def _begins_again(self, fetched: Fetched, verdict: Verdict) -> bool:
        if fetched.failure is Failure.CERTIFICATE and self._upstream.is_lax and not self._why:
            self._why = self._upstream.distrusted[self._authority] = fetched.detail
            return True
        if _DIED in verdict[1] and not self._is_fresh and self._upload.length == 0:
            # Every open connection that libcurl tried had been closed by the server: nobody saw the request.
            self._is_fresh = True
            return True
        return False

    async def _plainly(self, first: Fetched, way: Way, sent: bytes) -> None:
        """Take an answer that libcurl does not take; the client is given it as it comes."""
        upstream = self._upstream
        sink, at = SpoolSink(upstream.spool), upstream.clock.now()
        attempt = PlainTry(self.request, sink, (), self._passage, self._passage.taken)
        passed: Passed | StorageError
        try:
            try:
                answer = await attempt.ask(way, sent)
            except asyncio.CancelledError:
                answer = attempt.broken_off(CLIENT_GONE)
            if answer.head or answer.detail != CLIENT_GONE:
                fetched = upstream.retold(first, sent, at, answer, sink, way)
            else:
                fetched = replace(first, exchange=None, parts=(), detail=CLIENT_GONE)
            passed = Passed(fetched, not answer.head or self._passage.keeps(answer.head))
        except StorageError as error:
            passed = error
        finally:
            sink.discard()
        self._end(passed)

    def _end(self, passed: Passed | StorageError) -> None:
        self._is_done, self._task = True, None
        if self._why and isinstance(passed, Passed):
            detail = f"invalid certificate accepted: {self._why}"
            passed = replace(passed, fetched=replace(passed.fetched, detail=detail))
        self._ended(passed)


async def _waited(before_more: BeforeMore) -> None:
    await before_more()
