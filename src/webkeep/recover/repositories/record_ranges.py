"""Records read by their place out of WARC files on a server: a range of bytes is one record; how revisits are followed,
and what other answers than that range mean.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.errors import FormatError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.http import parse_response, take_response_head
from webkeep.formats.status import GONE_STATUSES, OK, PARTIAL_CONTENT, RANGE_NOT_SATISFIABLE
from webkeep.formats.warc import WarcRecord
from webkeep.memento import escape_target
from webkeep.model import CONTENT_TYPES, Exchange, Finding, Moment, RecordType
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories.digest_check import has_digest
from webkeep.recover.repositories.repository import (
    FetchedVersion,
    ListedVersion,
    MissReason,
    RepositoryMiss,
    VersionFidelity,
    VersionResult,
)
from webkeep.recover.repositories.repository_traits import RepositoryTraits
from webkeep.recover.repositories.repository_transport import RepositoryResponse, RepositoryTransport
from webkeep.recover.repositories.spooled_body import open_stream, spool_body, undo_transfer_coding
from webkeep.store.reading import is_not_modified_revisit, open_records, refers_to_capture

_NO_SUCH_RANGE_STATUSES = GONE_STATUSES | {OK, RANGE_NOT_SATISFIABLE}
"""By these a server says that the file is gone, or shorter, or that it gives no part of it."""

_MAX_RECORD_BYTES = 4 << 30
"""What an index says beyond this is damage."""

VersionLookup = Callable[[str, Moment], Awaitable[ListedVersion | None]]
"""Finds the version of a URL at a moment that a revisit refers to."""


@dataclass(frozen=True, slots=True)
class RecordRangeReader:
    """Asks a server for records by their place."""

    client: RepositoryTransport
    politeness: RepositoryPoliteness
    traits: RepositoryTraits
    spool: Path
    template: str
    """The address of a WARC file, with `{filename}` in it."""

    async def fetch_version(self, held: ListedVersion, look_up: VersionLookup) -> VersionResult:
        """The version whose record lies at `held.place`; a revisit is followed to its payload."""
        came = await self._fetch_record(held)
        if isinstance(came, RepositoryMiss | FetchedVersion):
            return came
        referred = await look_up(*came.refers_to) if came.refers_to else None
        original = await self._fetch_record(referred) if referred is not None else None
        if not isinstance(original, FetchedVersion):
            detail = f"{self.traits.name} has a revisit of {held.url[:160]} that refers to nothing it holds"
            return RepositoryMiss(MissReason.ADVERTISED, detail, requests=came.requests)
        return came.with_payload_of(original)

    async def _fetch_record(self, held: ListedVersion) -> FetchedVersion | _Revisit | RepositoryMiss:
        name, place = self.traits.name, held.place
        if place is None or not 0 < place.length < _MAX_RECORD_BYTES:
            return RepositoryMiss(
                MissReason.UNSUPPORTED, f"{name} does not say where its record of {held.url[:160]} lies"
            )
        address = self.template.replace("{filename}", escape_target(place.file))
        span = ("Range", f"bytes={place.offset}-{place.offset + place.length - 1}")
        # A range is asked for as it is: were it compressed again, its bytes would be others.
        response = await self.client.get(address, self.politeness, (span, ("Accept-Encoding", "identity")))
        if isinstance(response, RepositoryMiss):
            return response
        if response.status != PARTIAL_CONTENT:
            reason = MissReason.ADVERTISED if response.status in _NO_SUCH_RANGE_STATUSES else MissReason.TROUBLE
            detail = f"{name} answers {response.status} for a range of {address[:160]}"
            return RepositoryMiss(reason, detail, requests=response.requests)
        try:
            return self._read_record(response, held)
        except FormatError as error:
            return RepositoryMiss(MissReason.ADVERTISED, f"{name}: {error}", requests=response.requests)

    def _read_record(self, response: RepositoryResponse, held: ListedVersion) -> FetchedVersion | _Revisit:
        body = undo_transfer_coding(response.head.headers, response.exchange.body, self.spool)
        file = held.place.file if held.place is not None else ""
        with open_stream(body) as stream:
            record = next(open_records(stream, file, Flaws(Strictness.IGNORE)), None)
            if record is None or record.type not in CONTENT_TYPES:
                raise FormatError("there is no response record at that place", response.url)
            if record.type == RecordType.REVISIT:
                head = b"" if is_not_modified_revisit(record) else take_response_head(record.chunks())[0]
                moment = record.moment or held.moment or Moment(0)
                return _Revisit(held, moment, head, refers_to_capture(record), response.requests)
            found = self._build_version(response, held, record)
            record.finish()
        if not record.intact:
            return replace(found, is_truncated=True, findings=(*found.findings, _finding(response, "record-cut")))
        return found

    def _build_version(self, response: RepositoryResponse, held: ListedVersion, record: WarcRecord) -> FetchedVersion:
        raw, rest = take_response_head(record.chunks()) if record.is_http else (b"", record.chunks())
        body = spool_body(rest, self.spool, self.client.max_version_bytes)
        is_cut = len(raw) + body.size < record.size and body.size == self.client.max_version_bytes
        truncated = "length" if is_cut else record.get("warc-truncated")
        moment = record.moment or held.moment or Moment(0)
        url = record.url or held.url
        head = parse_response(raw)
        findings: tuple[Finding, ...] = ()
        if is_cut:
            findings = (_finding(response, "cut-off"),)
        elif held.digest is not None and not truncated and not has_digest(held.digest, head.headers, body):
            findings = (_finding(response, "digest-contradicted"),)
        told = replace(held, url=url, moment=moment, uri=response.url, status=head.status or held.status)
        exchange = Exchange(url, moment, raw, body, truncated=truncated)
        return FetchedVersion(
            told, exchange, VersionFidelity.ORIGINAL, response.received, response.requests, bool(truncated), findings
        )


@dataclass(frozen=True, slots=True)
class _Revisit:
    """A record that says that an answer was the same as an earlier one."""

    held: ListedVersion
    moment: Moment
    head: bytes
    """What it has of a head of its own."""
    refers_to: tuple[str, Moment] | None
    requests: int

    def with_payload_of(self, original: FetchedVersion) -> FetchedVersion:
        """The revisited version, with what it refers to."""
        exchange = replace(
            original.exchange,
            url=self.held.url,
            moment=self.moment,
            response=self.head or original.exchange.response,
        )
        held = replace(self.held, moment=self.moment, status=original.listed.status, is_revisit=False)
        return replace(original, listed=held, exchange=exchange, requests=original.requests + self.requests)


_MESSAGES = {
    "cut-off": "it is longer than is taken of one version",
    "record-cut": "the record breaks off before its end",
    "digest-contradicted": "its bytes are not those of the digest by which it is listed",
}


def _finding(response: RepositoryResponse, code: str) -> Finding:
    return Finding(code, response.url, 0, _MESSAGES[code])
