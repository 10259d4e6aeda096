"""Records read by their place out of WARC files on a server: a range of bytes is one record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.errors import FormatError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.http1 import parse_response, read_response_head
from webkeep.formats.record import Record
from webkeep.memento.web_link import harmless_target
from webkeep.model import Exchange, Finding, Moment
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.checking import is_of
from webkeep.recover.repositories.client import Client, Reply
from webkeep.recover.repositories.gathering import gathered, stream_of, transferred
from webkeep.recover.repository import Answer, Fidelity, Found, Held, Miss, Reason
from webkeep.recover.repository_traits import Traits
from webkeep.store.resolving import is_not_modified, named_by
from webkeep.store.scanning import open_records

_LARGEST = 4 << 30

LookUp = Callable[[str, Moment], Awaitable[Held | None]]
"""Finds the version of a URL at a moment that a revisit refers to."""


@dataclass(frozen=True, slots=True)
class RangedRecords:
    """Asks a server for records by their place."""

    client: Client
    manners: Manners
    traits: Traits
    spool: Path
    template: str
    """The address of a WARC file, with `{filename}` in it."""

    async def version(self, held: Held, look_up: LookUp) -> Answer:
        """The version whose record lies at `held.place`; a revisit is followed to its payload."""
        came = await self._record(held)
        if isinstance(came, Miss | Found):
            return came
        referred = await look_up(*came.refers_to) if came.refers_to else None
        original = await self._record(referred) if referred is not None else None
        if not isinstance(original, Found):
            detail = f"{self.traits.name} has a revisit of {held.url[:160]} that refers to nothing it holds"
            return Miss(Reason.ADVERTISED, detail, requests=came.requests)
        return came.with_payload_of(original)

    async def _record(self, held: Held) -> Found | _Revisit | Miss:
        name, place = self.traits.name, held.place
        if place is None or not 0 < place.length < _LARGEST:
            return Miss(Reason.UNSUPPORTED, f"{name} does not say where its record of {held.url[:160]} lies")
        address = self.template.replace("{filename}", harmless_target(place.file))
        span = ("Range", f"bytes={place.offset}-{place.offset + place.length - 1}")
        # A range is asked for as it is: were it compressed again, its bytes would be others.
        reply = await self.client.get(address, self.manners, (span, ("Accept-Encoding", "identity")))
        if isinstance(reply, Miss):
            return reply
        if reply.status != 206:
            reason = Reason.ADVERTISED if reply.status in (200, 404, 410, 416) else Reason.TROUBLE
            detail = f"{name} answers {reply.status} for a range of {address[:160]}"
            return Miss(reason, detail, requests=reply.requests)
        try:
            return self._read(reply, held)
        except FormatError as error:
            return Miss(Reason.ADVERTISED, f"{name}: {error}", requests=reply.requests)

    def _read(self, reply: Reply, held: Held) -> Found | _Revisit:
        body = transferred(reply.head.headers, reply.exchange.body, self.spool)
        file = held.place.file if held.place is not None else ""
        with stream_of(body) as stream:
            record = next(open_records(stream, file, Flaws(Strictness.IGNORE)), None)
            if record is None or record.type not in ("response", "resource", "revisit"):
                raise FormatError("there is no record of an answer at that place", reply.url)
            if record.type == "revisit":
                head = b"" if is_not_modified(record) else read_response_head(record.chunks())[0]
                moment = record.moment or held.moment or Moment(0)
                return _Revisit(held, moment, head, named_by(record), reply.requests)
            found = self._found(reply, held, record)
            record.finish()
        if not record.intact:
            return replace(found, truncated=True, findings=(*found.findings, _finding(reply, "record-cut")))
        return found

    def _found(self, reply: Reply, held: Held, record: Record) -> Found:
        raw, rest = read_response_head(record.chunks()) if record.is_http else (b"", record.chunks())
        body = gathered(rest, self.spool, self.client.largest)
        is_cut = len(raw) + body.size < record.size and body.size == self.client.largest
        truncated = "length" if is_cut else record.get("warc-truncated")
        moment = record.moment or held.moment or Moment(0)
        url = record.url or held.url
        head = parse_response(raw)
        findings: tuple[Finding, ...] = ()
        if is_cut:
            findings = (_finding(reply, "cut-off"),)
        elif held.digest is not None and not truncated and not is_of(held.digest, head.headers, body):
            findings = (_finding(reply, "digest-contradicted"),)
        told = replace(held, url=url, moment=moment, uri=reply.url, status=head.status or held.status)
        exchange = Exchange(url, moment, raw, body, truncated=truncated)
        return Found(told, exchange, Fidelity.ORIGINAL, reply.received, reply.requests, bool(truncated), findings)


@dataclass(frozen=True, slots=True)
class _Revisit:
    """A record that says that an answer was the same as an earlier one."""

    held: Held
    moment: Moment
    head: bytes
    """What it has of a head of its own."""
    refers_to: tuple[str, Moment] | None
    requests: int

    def with_payload_of(self, original: Found) -> Found:
        """The revisited version, with what it refers to."""
        exchange = replace(
            original.exchange,
            url=self.held.url,
            moment=self.moment,
            response=self.head or original.exchange.response,
        )
        held = replace(self.held, moment=self.moment, status=original.held.status, revisit=False)
        return replace(original, held=held, exchange=exchange, requests=original.requests + self.requests)


_MESSAGES = {
    "cut-off": "it is longer than is taken of one version",
    "record-cut": "the record breaks off before its end",
    "digest-contradicted": "its bytes are not those of the digest by which it is listed",
}


def _finding(reply: Reply, code: str) -> Finding:
    return Finding(code, reply.url, 0, _MESSAGES[code])
