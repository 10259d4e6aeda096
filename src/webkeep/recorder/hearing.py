"""Hearing one answer: whether it is to be recorded is decided as it passes, with as little done as that takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import xxhash

from webkeep.model import Moment
from webkeep.recorder.desk import Pieces, Record
from webkeep.recorder.memory import LEFT_OUT, SEED, Last, digest
from webkeep.recorder.message import Answer, Field, Request
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.spool import Spool
from webkeep.recorder.tally import Count
from webkeep.url import Verdict

LARGE = 1 << 20
"""From this length on, an answer whose validators did not change is taken to be the same unread."""

_SPOOLED = 256 << 10
_OVERHEAD = 64
_NOT_WHOLE = frozenset({206, 304})


class Hearing:
    """Follows one answer from its head to its end.

    Nothing that goes wrong here reaches the application: it is counted as failed and told in the log.
    """

    __slots__ = (
        "_answer", "_began", "_chunks", "_hasher", "_held", "_key", "_moment", "_recorder",
        "_request", "_size", "_spool", "same",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, request: Request, began: Moment | None = None) -> None:
        self._recorder = recorder
        self._request = request
        self._began = began
        """When the body began to pass, where that was before it could be heard."""
        self._answer: Answer | None = None
        self.same: Last | None = None
        """The answer recorded last, where this one came in one piece and was the same, or is left out as that was."""

    def begin(self, status: int, fields: Iterable[Field]) -> None:
        """The head has passed; the last one counts where there are several."""
        try:
            self._let_go()
            self._begin(status, tuple(fields))
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._stumble(error)

    def piece(self, data: bytes, more: bool) -> None:
        """A piece of the body has passed."""
        if self._answer is None:
            return
        try:
            if type(data) is not bytes:  # what can be changed may be, before it is written
                data = bytes(data)
            if more or self._hasher is not None:
                self._stream(self._answer, data, more)
            else:
                self._whole(self._answer, data)
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._stumble(error)

    def break_off(self) -> None:
        """Nothing more will pass, though the answer may not be whole."""
        answer = self._answer
        if answer is None:
            return
        try:
            if self._recorder.rules.partial and self._hasher is not None:
                self._finish(answer, self._hasher, "disconnect")
            else:
                self._end(Count.CUT)
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._stumble(error)

    def _begin(self, status: int, fields: tuple[Field, ...]) -> None:
        if status < 200 or status in _NOT_WHOLE:
            return
        recorder, answer = self._recorder, Answer(status, fields)
        if (answer.is_private or self._request.has_secret) and not recorder.rules.private:
            recorder.tally.add(Count.PRIVATE)
        elif (answer.length or 0) > recorder.rules.max_size and not recorder.rules.partial:
            recorder.tally.add(Count.TOO_LARGE)
        else:
            self._compare(answer)

    def _compare(self, answer: Answer) -> None:
        """Go on only where the head leaves it open whether the answer is to be recorded."""
        recorder = self._recorder
        key = recorder.memory.key(self._request, answer)
        last = recorder.memory.get(key)
        if last is None and not recorder.wants(self._request, answer):
            recorder.memory.keep(key, LEFT_OUT)
            last = LEFT_OUT
        if last is LEFT_OUT:
            self.same = last
            recorder.tally.add(Count.LEFT_OUT)
        elif last is not None and _is_same_unread(last, answer):
            recorder.tally.add(Count.UNCHANGED)
        else:
            self._listen(answer, key)

    def _listen(self, answer: Answer, key: bytes) -> None:
        self._answer, self._key = answer, key
        self._hasher: xxhash.xxh3_128 | None = None
        self._spool: Spool | None = None
        self._chunks: list[bytes] = []
        self._held = self._size = 0

    def _whole(self, answer: Answer, data: bytes) -> None:
        """A body in one piece, the common case: nothing is held where it is what was recorded last."""
        memory = self._recorder.memory
        last = memory.get(self._key)
        if last is not None and last.is_like(answer.mark, digest(data, SEED)):
            self.same = last if len(data) < LARGE else None
            self._end(Count.UNCHANGED)
        else:
            self._stream(answer, data, more=False)

    def _stream(self, answer: Answer, data: bytes, more: bool) -> None:
        hasher = self._hasher
        if hasher is None:
            hasher = self._hasher = xxhash.xxh3_128(seed=SEED)
            self._moment = self._began or self._recorder.clock.now()
        room = self._recorder.rules.max_size - self._size
        is_too_large = len(data) > room
        if is_too_large and not self._recorder.rules.partial:
            self._end(Count.TOO_LARGE)
            return
        kept = data[:room] if is_too_large else data
        hasher.update(kept)
        self._size += len(kept)
        if (not kept or self._take(kept)) and (is_too_large or not more):
            self._finish(answer, hasher, "length" if is_too_large else "")

    def _take(self, data: bytes) -> bool:
        """Hold a piece of the body, or hand over those that are held; False where there is no room."""
        cost = len(data) + _OVERHEAD
        if not self._recorder.held.take(cost):
            self._drop()
            return False
        self._chunks.append(data)
        self._held += cost
        return self._held < _SPOOLED or self._spooled()

    def _spooled(self) -> bool:
        if self._spool is None:
            self._spool = Spool(self._recorder.spooled)
        pieces = Pieces(self._spool, self._chunks, self._held)
        if not self._spool.reserve(self._held) or not self._recorder.hand_over(pieces):
            self._drop()
            return False
        self._chunks, self._held = [], 0
        return True

    def _finish(self, answer: Answer, hasher: xxhash.xxh3_128, truncated: str = "") -> None:
        mark, content = answer.mark + truncated.encode(), hasher.digest()
        last = self._recorder.memory.get(self._key)
        if last is not None and last.is_like(mark, content):
            is_one_piece = self._spool is None and len(self._chunks) < 2 and not truncated
            self.same = last if is_one_piece and self._size < LARGE else None
            self._end(Count.UNCHANGED)
        elif self._is_left_out(answer, last):
            self._end(Count.LEFT_OUT)
        else:
            this = Last(mark, content, self._moment.micros, answer.validators, answer.length)
            self._hand_over(answer, this, last, truncated)

    def _hand_over(self, answer: Answer, this: Last, before: Last | None, truncated: str) -> None:
        request, key, memory = self._request, self._key, self._recorder.memory
        record = Record(
            request, answer, self._moment, key, this, before is None, self._chunks, self._held, self._spool, truncated
        )
        before = None if before is None else replace(before)  # that one retires now
        # It is remembered first: the scribe may forget it again before this returns.
        memory.keep(key, this)
        if self._recorder.hand_over(record):
            self._held = 0
            self._let_go()
            return
        memory.forget(key, this)
        if before is not None and memory.get(key) is None:
            memory.keep(key, before)
        self._drop()

    def _is_left_out(self, answer: Answer, last: Last | None) -> bool:
        rules = self._recorder.rules
        if last is not None and self._moment.micros - last.micros < rules.gap * 1_000_000:
            return True
        if not rules.scope.looks_at_answers:
            return False
        url = self._request.url(rules.origin)
        return url is None or rules.verdict(url, answer.essence, self._size) is Verdict.OUT

    def _drop(self) -> None:
        self._recorder.note_drop()
        self._let_go()

    def _end(self, count: Count) -> None:
        self._recorder.tally.add(count)
        self._let_go()

    def _let_go(self) -> None:
        if self._answer is not None:
            self._recorder.held.give(self._held)
            self._hasher = self._spool = None
            self._chunks, self._held = [], 0
        self._answer = None

    def _stumble(self, error: Exception) -> None:
        self._let_go()
        self._recorder.note_failure(error)


def _is_same_unread(last: Last, answer: Answer) -> bool:
    return (
        answer.length is not None
        and answer.length >= LARGE
        and answer.validators != b""
        and (last.validators, last.length) == (answer.validators, answer.length)
    )
