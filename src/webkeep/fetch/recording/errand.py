"""One request of a client, carried out as is chosen: sent, answered, refused, or made a conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from webkeep.errors import StorageError
from webkeep.fetch.recording.answers import failure_page
from webkeep.fetch.recording.client_head import ClientHead
from webkeep.fetch.recording.conversing import Partner, converse
from webkeep.fetch.recording.outward import exact_target, header_lines
from webkeep.fetch.recording.passage import Answer, Asked, Choice, Refuse, Send
from webkeep.fetch.recording.returning import Connection, Returning
from webkeep.fetch.recording.surroundings import Surroundings
from webkeep.fetch.recording.transfer import Passed, Transfer
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.request import Limits, Request
from webkeep.model import BytesBody

_LIMITS = Limits(seconds=7 * 86400, slowest_rate=0)
"""How long an answer may take is for the client to say: event streams stay open for hours."""

_NOTHING = BytesBody()
"""What a client sends is no part of the request: it is passed on as it comes."""

_EXPECTATION_SECONDS = 1.0
"""After so long a server that has said nothing is given the body all the same."""


class Client(Connection, Partner, Protocol):
    """What carrying out a request needs of the one who made it."""

    def part(self, answer: bytes) -> None:
        """Say a last thing, and end the connection."""

    def abort(self) -> None:
        """End the connection at once."""

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something after a while."""

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that takes its time; the request is done with it."""

    def done(self) -> None:
        """The request is carried out."""


class Errand:
    """A request, and how far it has got; one without an upload is the handshake of a WebSocket."""

    __slots__ = ("_around", "_choice", "_client", "_head", "_returning", "_transfer", "_upload", "_url")

    def __init__(self, client: Client, around: Surroundings, head: ClientHead, url: str, upload: Upload | None) -> None:
        self._client, self._around = client, around
        self._head, self._url, self._upload = head, url, upload
        self._transfer: Transfer | None = None

    def begin(self) -> None:
        """Do what is chosen, at once where the choice is clear."""
        try:
            choice = self._around.recorder.choose(Asked(self._url, self._head, self._upload))
        except StorageError as error:
            self._fail(error)
            return
        if isinstance(choice, Send) and self._upload is not None:
            self._send(self._upload, choice)
        elif isinstance(choice, Send | Answer | Refuse):
            self._client.run(self._carry_out(choice))
        else:
            self._client.run(self._hold(choice))

    def break_off(self) -> None:
        """The client went away."""
        if self._upload is not None:
            self._upload.break_off()
        if self._transfer is not None:
            self._transfer.break_off()

    def wake(self) -> None:
        """The client has taken what was there for it."""
        if self._upload is not None:
            self._upload.wake()

    @property
    def is_passing(self) -> bool:
        """Whether it goes on by itself, with no task to wait for."""
        return self._transfer is not None

    @property
    def is_unanswered(self) -> bool:
        """Whether the server has been asked and has not begun to answer."""
        return self._transfer is not None and not self._returning.is_begun

    def _fail(self, error: StorageError) -> None:
        self._client.refuse(503, f"nothing can be recorded: {error}")
        self._client.done()

    async def _hold(self, waiting: Awaitable[Choice]) -> None:
        try:
            choice = await waiting
        except StorageError as error:
            self._client.refuse(503, f"nothing can be recorded: {error}")
        else:
            await self._carry_out(choice)

    async def _carry_out(self, choice: Choice) -> None:
        if isinstance(choice, Refuse):
            self._around.recorder.left_out(self._url, choice.reason)
            self._client.refuse(choice.status, choice.reason)
        elif isinstance(choice, Answer):
            await self._answer(choice)
        elif self._upload is not None:
            self._send(self._upload, choice)
        else:
            await converse(self._client, self._around, self._head, self._url, choice)

    def _send(self, upload: Upload, choice: Send) -> None:
        head, around, url = self._head, self._around, self._url
        self._choice = choice
        via = head.get("referer")
        request = Request(
            url, head.method, body=_NOTHING, via=via, private=choice.private, limits=choice.limits or _LIMITS,
            before_more=choice.before_more,
        )  # fmt: skip
        keeps = partial(around.recorder.keeps, url) if choice.keep else _keeps_nothing
        self._returning = Returning(head, self._client, keeps)
        if head.known.expects:
            upload.hold()
            self._client.later(_EXPECTATION_SECONDS, upload.release)
        lines, target = header_lines(head, choice.headers), exact_target(head)
        self._transfer = Transfer(
            around.upstream, request, lines, self._returning, upload, self._passed, target, choice.login
        )
        self._transfer.start()

    def _passed(self, passed: Passed | StorageError) -> None:
        self._transfer = None
        try:
            self._settle(passed)
        except Exception as error:  # noqa: BLE001 - one client's request must not end the loop that carries them all
            self._around.failed(error)
            self._client.abort()
        self._client.done()

    def _settle(self, passed: Passed | StorageError) -> None:
        recorder, returning, client = self._around.recorder, self._returning, self._client
        if isinstance(passed, StorageError):
            recorder.noted(str(passed))
            if returning.is_begun:
                client.abort()
            else:
                client.refuse(503, f"nothing can be recorded: {passed}")
            return
        fetched = passed.fetched
        if fetched.failure is None:
            returning.end()
        else:
            returning.flush()
        recorder.passed(fetched, self._choice.keep and passed.is_kept)
        if fetched.failure is not None:
            if returning.is_begun:
                client.abort()
            else:
                client.part(failure_page(fetched.failure, fetched.detail))
        elif not returning.stays or fetched.plain:
            client.close()

    async def _answer(self, choice: Answer) -> None:
        returning = Returning(self._head, self._client)
        returning.head(choice.head)
        if self._head.method != "HEAD":
            for chunk in choice.body.chunks():
                returning.data(chunk)
                await returning.taken()
        returning.end()
        if not returning.stays:
            self._client.close()


def _keeps_nothing(_head: bytes) -> bool:
    return False
