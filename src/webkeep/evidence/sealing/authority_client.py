"""Time-stamping authorities asked through the one way to the web; what they answer is checked before it counts."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from webkeep.clock import SystemClock
from webkeep.errors import RemoteError
from webkeep.fetch import Credentials, FetchLimits, FetchRequest, FetchResult, FetchSettings, split_credentials
from webkeep.fetch.client import Fetcher
from webkeep.formats.codings import decode_body
from webkeep.formats.http import parse_response
from webkeep.formats.status import OK
from webkeep.model import BytesBody, Clock
from webkeep.process import call_cleanly
from webkeep.redaction import Redactor
from webkeep.signing import MAX_STAMP_BYTES, StampFlaw, StampVerifier, TimeStamp, build_stamp_request

_LIMITS = FetchLimits(connect_seconds=15, seconds=60, max_stall_seconds=30, size=MAX_STAMP_BYTES)
"""A minute for one answer: authorities take a second."""
_REDACTOR = Redactor()
_HEADERS = (("Content-Type", "application/timestamp-query"), ("Accept", "application/timestamp-reply"))


@dataclass(frozen=True, slots=True)
class StampAnswer:
    """What an authority was asked, and its answer, which proves what `stamp` says."""

    authority: str
    """Its address, as it is written down."""
    request: bytes
    response: bytes
    stamp: TimeStamp


@dataclass(frozen=True, slots=True)
class StampFailure:
    """An authority that gave no proof, and why."""

    authority: str
    code: str
    meaning: str

    def __str__(self) -> str:
        return f"{self.authority} gave no time stamp: {self.meaning}"


def name_authority(address: str) -> str:
    """The address of an authority as it is written down and shown: without passwords and keys."""
    return _REDACTOR.redact_url(split_credentials(address)[0])[0]


class AuthorityClient:
    """Asks authorities for stamps of a message, all at once, each once."""

    def __init__(
        self,
        verifier: StampVerifier,
        settings: FetchSettings,
        limits: FetchLimits = _LIMITS,
        clock: Clock | None = None,
    ) -> None:
        self._verifier = verifier
        self._settings = settings
        self._limits = limits
        self._clock = clock or SystemClock()

    def ask(self, authorities: Sequence[str], message: bytes) -> list[StampAnswer | StampFailure]:
        """What each of them answers, in their order."""
        return call_cleanly(lambda: asyncio.run(self._ask_all(authorities, message)))

    async def _ask_all(self, authorities: Sequence[str], message: bytes) -> list[StampAnswer | StampFailure]:
        with tempfile.TemporaryDirectory(prefix="webkeep-stamp-") as spool:
            settings = replace(self._settings, credentials=dict(_list_credentials(authorities)))
            async with Fetcher(settings, Path(spool), self._clock) as fetcher:
                asked = (self._ask_one(fetcher, authority, message) for authority in dict.fromkeys(authorities))
                return list(await asyncio.gather(*asked))

    async def _ask_one(self, fetcher: Fetcher, authority: str, message: bytes) -> StampAnswer | StampFailure:
        request, name = build_stamp_request(message), name_authority(authority)
        address, _ = split_credentials(authority)
        sent = FetchRequest(
            address, "POST", headers=_HEADERS, body=BytesBody(request), private=True, limits=self._limits
        )
        try:
            response = _read_answer(await fetcher.fetch(sent))
        except RemoteError as error:
            return StampFailure(name, "stamp-unreachable", str(error))
        judged = self._verifier.verify(response, message, request)
        if isinstance(judged, StampFlaw):
            return StampFailure(name, judged.code, judged.meaning)
        return StampAnswer(name, request, response, judged)


def _list_credentials(authorities: Sequence[str]) -> Iterator[tuple[str, Credentials]]:
    """Names and passwords that stand in addresses, by host and port."""
    for each in authorities:
        address, known = split_credentials(each)
        if known is not None:
            yield urlsplit(address).netloc, known


def _read_answer(fetched: FetchResult) -> bytes:
    """The body of an answer; raises RemoteError where none came."""
    if fetched.exchange is None or fetched.failure is not None:
        raise RemoteError(f"it does not answer ({fetched.failure}: {fetched.detail})")
    head = parse_response(fetched.exchange.response)
    if head.status != OK:
        raise RemoteError(f"it answers with status {head.status}")
    return b"".join(decode_body(head.headers, fetched.exchange.body.chunks(), MAX_STAMP_BYTES))
