"""The response tap: whether a response is to be recorded is decided as it passes, with as little done as that takes;
which statuses are passed over, when it is the same as the last (hash, ETag), and when it is spooled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import xxhash

from webkeep.formats.status import NOT_MODIFIED, OK, PARTIAL_CONTENT
from webkeep.model import Moment
from webkeep.recorder.app_message import AppRequest, AppResponse, HeaderField
from webkeep.recorder.body_spool import BodySpool
from webkeep.recorder.counters import RecordingOutcome
from webkeep.recorder.recent_responses import HASH_SEED, LEFT_OUT_RESPONSE, RecordedResponse, body_digest
from webkeep.recorder.record_queue import PendingRecord, SpoolChunks
from webkeep.recorder.recorder import Recorder
from webkeep.url.scope import ScopeVerdict

LARGE_RESPONSE_BYTES = 1 << 20
"""From this length on, an answer whose validators did not change is taken to be the same unread."""

_SPOOL_BYTES = 256 << 10
"""From so many held bytes on, pieces of a body go to the spool."""
_CHUNK_OVERHEAD_BYTES = 64
"""What a piece costs beside its bytes, so that many small ones count."""
_PARTIAL_STATUSES = frozenset({PARTIAL_CONTENT, NOT_MODIFIED})
"""A part of a body, and no body: neither is the answer of a URL."""


class ResponseTap:
    """Follows one answer from its head to its end.

    Nothing that goes wrong here reaches the application: it is counted as failed and told in the log.
    """

    __slots__ = (
        "_began",
        "_chunks",
        "_hasher",
        "_held_bytes",
        "_key",
        "_moment",
        "_recorder",
        "_request",
        "_response",
        "_size",
        "_spool",
        "unchanged_body",
        "unchanged_from",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, request: AppRequest, began: Moment | None = None) -> None:
        self._recorder = recorder
        self._request = request
        self._began = began
        """When the body began to pass, where that was before it could be heard."""
        self._response: AppResponse | None = None
        self.unchanged_from: RecordedResponse | None = None
        """The answer recorded last, where this one came in one piece and was the same, or is left out as that was."""
        self.unchanged_body = b""
        """The body of such an answer that was the same."""

    def on_head(self, status: int, fields: Iterable[HeaderField]) -> None:
        """The head has passed; the last one counts where there are several."""
        try:
            self._release()
            self._read_head(status, tuple(fields))
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._fail(error)

    def on_chunk(self, data: bytes, more: bool) -> None:
        """A piece of the body has passed."""
        if self._response is None:
            return
        try:
            if type(data) is not bytes:  # what can be changed may be, before it is written
                data = bytes(data)
            if more or self._hasher is not None:
                self._take_chunk(self._response, data, more)
            else:
                self._take_whole_body(self._response, data)
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._fail(error)

    def break_off(self) -> None:
        """Nothing more will pass, though the answer may not be whole."""
        response = self._response
        if response is None:
            return
        try:
            if self._recorder.rules.partial and self._hasher is not None:
                self._finish_body(response, self._hasher, "disconnect")
            else:
                self._count_and_release(RecordingOutcome.CUT)
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._fail(error)

    def _read_head(self, status: int, fields: tuple[HeaderField, ...]) -> None:
        if status < OK or status in _PARTIAL_STATUSES:
            return
        recorder, response = self._recorder, AppResponse(status, fields)
        if (response.is_private or self._request.has_secret) and not recorder.rules.private:
            recorder.counters.add(RecordingOutcome.PRIVATE)
        elif (response.length or 0) > recorder.rules.max_size and not recorder.rules.partial:
            recorder.counters.add(RecordingOutcome.TOO_LARGE)
        else:
            self._compare_head(response)

    def _compare_head(self, response: AppResponse) -> None:
        """Go on only where the head leaves it open whether the answer is to be recorded."""
        recorder = self._recorder
        key = recorder.recent.key_of(self._request, response)
        last = recorder.recent.get(key)
        if last is None and not recorder.is_wanted(self._request, response):
            recorder.recent.remember(key, LEFT_OUT_RESPONSE)
            last = LEFT_OUT_RESPONSE
        if last is LEFT_OUT_RESPONSE:
            self.unchanged_from = last
            recorder.counters.add(RecordingOutcome.LEFT_OUT)
        elif last is not None and _has_same_validators(last, response):
            recorder.counters.add(RecordingOutcome.UNCHANGED)
        else:
            self._start_body(response, key)

    def _start_body(self, response: AppResponse, key: bytes) -> None:
        self._response, self._key = response, key
        self._hasher: xxhash.xxh3_128 | None = None
        self._spool: BodySpool | None = None
        self._chunks: list[bytes] = []
        self._held_bytes = self._size = 0

    def _take_whole_body(self, response: AppResponse, data: bytes) -> None:
        """A body in one piece, the common case: nothing is held where it is what was recorded last."""
        recent = self._recorder.recent
        last = recent.get(self._key)
        if last is not None and last.is_same(response.identity_mark, body_digest(data, HASH_SEED)):
            if len(data) < LARGE_RESPONSE_BYTES:
                self.unchanged_from, self.unchanged_body = last, data
            self._count_and_release(RecordingOutcome.UNCHANGED)
        else:
            self._take_chunk(response, data, more=False)

    def _take_chunk(self, response: AppResponse, data: bytes, more: bool) -> None:
        hasher = self._hasher
        if hasher is None:
            hasher = self._hasher = xxhash.xxh3_128(seed=HASH_SEED)
            self._moment = self._began or self._recorder.clock.now()
        room = self._recorder.rules.max_size - self._size
        is_too_large = len(data) > room
        if is_too_large and not self._recorder.rules.partial:
            self._count_and_release(RecordingOutcome.TOO_LARGE)
            return
        kept = data[:room] if is_too_large else data
        hasher.update(kept)
        self._size += len(kept)
        if (not kept or self._hold_chunk(kept)) and (is_too_large or not more):
            self._finish_body(response, hasher, "length" if is_too_large else "")

    def _hold_chunk(self, data: bytes) -> bool:
        """Hold a piece of the body, or hand over those that are held; False where there is no room."""
        cost = len(data) + _CHUNK_OVERHEAD_BYTES
        if not self._recorder.memory_budget.take(cost):
            self._drop_response()
            return False
        self._chunks.append(data)
        self._held_bytes += cost
        return self._held_bytes < _SPOOL_BYTES or self._spool_held()

    def _spool_held(self) -> bool:
        if self._spool is None:
            self._spool = BodySpool(self._recorder.disk_budget)
        pieces = SpoolChunks(self._spool, self._chunks, self._held_bytes)
        if not self._spool.reserve(self._held_bytes) or not self._recorder.queue(pieces):
            self._drop_response()
            return False
        self._chunks, self._held_bytes = [], 0
        return True

    def _finish_body(self, response: AppResponse, hasher: xxhash.xxh3_128, truncated: str = "") -> None:
        mark, content = response.identity_mark + truncated.encode(), hasher.digest()
        last = self._recorder.recent.get(self._key)
        if last is not None and last.is_same(mark, content):
            is_one_piece = self._spool is None and len(self._chunks) < 2 and not truncated
            if is_one_piece and self._size < LARGE_RESPONSE_BYTES:
                self.unchanged_from, self.unchanged_body = last, b"".join(self._chunks)
            self._count_and_release(RecordingOutcome.UNCHANGED)
        elif self._is_left_out(response, last):
            self._count_and_release(RecordingOutcome.LEFT_OUT)
        else:
            this = RecordedResponse(mark, content, self._moment.micros, response.validators, response.length)
            self._queue_record(response, this, last, truncated)

    def _queue_record(
        self, response: AppResponse, this: RecordedResponse, before: RecordedResponse | None, truncated: str
    ) -> None:
        request, key, recent = self._request, self._key, self._recorder.recent
        record = PendingRecord(
            request,
            response,
            self._moment,
            key,
            this,
            before is None,
            self._chunks,
            self._held_bytes,
            self._spool,
            truncated,
        )
        before = None if before is None else replace(before)  # that one retires now
        # It is remembered first: the archive writer may forget it again before this returns.
        recent.remember(key, this)
        if self._recorder.queue(record):
            self._held_bytes = 0
            self._release()
            return
        recent.forget(key, this)
        if before is not None and recent.get(key) is None:
            recent.remember(key, before)
        self._drop_response()

    def _is_left_out(self, response: AppResponse, last: RecordedResponse | None) -> bool:
        rules = self._recorder.rules
        if last is not None and self._moment.micros - last.recorded_micros < rules.gap * 1_000_000:
            return True
        if not rules.scope.needs_responses:
            return False
        url = self._request.url(rules.origin)
        return url is None or rules.verdict(url, response.bare_media_type, self._size) is ScopeVerdict.OUT

    def _drop_response(self) -> None:
        self._recorder.note_drop()
        self._release()

    def _count_and_release(self, count: RecordingOutcome) -> None:
        self._recorder.counters.add(count)
        self._release()

    def _release(self) -> None:
        if self._response is not None:
            self._recorder.memory_budget.give(self._held_bytes)
            self._hasher = self._spool = None
            self._chunks, self._held_bytes = [], 0
        self._response = None

    def _fail(self, error: Exception) -> None:
        self._release()
        self._recorder.note_failure(error)


def _has_same_validators(last: RecordedResponse, response: AppResponse) -> bool:
    return (
        response.length is not None
        and response.length >= LARGE_RESPONSE_BYTES
        and response.validators != b""
        and (last.validators, last.length) == (response.validators, response.length)
    )
