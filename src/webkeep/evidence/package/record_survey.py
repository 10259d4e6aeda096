"""One pass over the records of a package: the heads of all exchanges with addresses and protocols, what was redacted
and where, and what the servers' dates say of the clock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from webkeep.evidence.package.server_clock import ClockOffset, date_offset, measure_offset
from webkeep.formats.http import parse_response
from webkeep.formats.warc import WarcRecord
from webkeep.model import Moment, RecordType
from webkeep.redaction import REDACTED

MAX_EXCHANGES_LISTED = 20_000
"""Heads that are listed beside the records; all of them are in the records themselves."""
_MAX_LISTED_CHARS = 16 << 20
"""Of all heads that are listed, so that the list can be read whole."""
_MAX_PLACES_LISTED, _MORE_PLACES = 100_000, "further places"
"""Places of redacted values that are listed one by one."""
_MAX_HEAD_BYTES = 256 * 1024
"""Of the head of an answer; libcurl takes no longer ones."""
_MAX_TEXT_BYTES = 4 << 20
"""Of a text or form in which redacted values are counted."""
_MARK = REDACTED.encode()
_MARKED_PARAMETER = re.compile(r"[?&;#/]?([^?&;#/=\s]{1,100})=redacted\b")
_TEXT_TYPES = ("text/plain", "text/html", "application/x-www-form-urlencoded", "application/json")
_COOKIE_FIELDS = frozenset({"cookie", "set-cookie", "set-cookie2"})
_LOGIN_FIELDS = frozenset({"authorization", "proxy-authorization", "www-authenticate", "authentication-info"})


@dataclass(frozen=True, slots=True)
class ExchangeHeads:
    """A request and the head of its answer, as they were recorded."""

    url: str
    moment: Moment | None
    address: str
    protocols: tuple[str, ...]
    answer: tuple[str, ...]
    """The lines of its head."""
    request: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


@dataclass(frozen=True, slots=True, order=True)
class RedactedPlace:
    """Where values were left out, and of what kind they were."""

    place: str
    kind: str


@dataclass(slots=True)
class RecordSurvey:
    """What the records of a package say of themselves."""

    records: int = 0
    exchanges: dict[str, ExchangeHeads] = field(default_factory=dict)
    """By the identifier of the record of the answer."""
    exchange_count: int = 0
    redacted: Counter[RedactedPlace] = field(default_factory=Counter)
    _offsets: list[float] = field(default_factory=list)
    _listed_chars: int = 0
    _requests: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def clock_offset(self) -> ClockOffset | None:
        """How the clock stands to those of the servers."""
        return measure_offset(self._offsets)

    @property
    def origins(self) -> tuple[str, ...]:
        """All that answered over HTTP, in the order in which they did."""
        return tuple(dict.fromkeys(each.origin for each in self.exchanges.values() if each.url.startswith("http")))

    def list_exchanges(self) -> Iterator[tuple[ExchangeHeads, tuple[str, ...]]]:
        """All exchanges, each with the lines of its request's head."""
        for identifier, each in self.exchanges.items():
            yield each, self._requests.get(identifier, ())

    def add(self, record: WarcRecord) -> None:
        """Take one more record in."""
        self.records += 1
        if record.type in (RecordType.RESPONSE, RecordType.REVISIT) and record.is_http:
            self._add_answer(record)
        elif record.type == RecordType.REQUEST and record.is_http:
            self._add_request(record)
        elif record.get("content-type").lower().startswith(_TEXT_TYPES):
            count = sum(map(_count_marks, _limit_chunks(record.chunks(), _MAX_TEXT_BYTES)))
            self._note_redacted(f"{record.type} {record.url}", "text or address", count)

    def _add_answer(self, record: WarcRecord) -> None:
        head = _read_head(record)
        self.exchange_count += 1
        if (
            record.moment is not None
            and (offset := date_offset(parse_response(head).headers, record.moment)) is not None
        ):
            self._offsets.append(offset)
        lines = _split_lines(head)
        self._note_lines(record.url, "answer", lines)
        self._note_address(record.url)
        if len(self.exchanges) < MAX_EXCHANGES_LISTED and self._has_room(lines):
            protocols = tuple(value for value in record.headers.all("warc-protocol"))
            self.exchanges[record.id] = ExchangeHeads(
                record.url, record.moment, record.get("warc-ip-address"), protocols, lines
            )

    def _add_request(self, record: WarcRecord) -> None:
        data = b"".join(_limit_chunks(record.chunks(), _MAX_TEXT_BYTES))
        head, _, body = data.partition(b"\r\n\r\n")
        lines = _split_lines(head)
        self._note_lines(record.url, "request", lines)
        self._note_redacted(f"body of the request to {record.url}", "field of a form", _count_marks(body))
        target = record.get("warc-concurrent-to").strip("<>")
        if target in self.exchanges and self._has_room(lines):
            self._requests[target] = lines

    def _has_room(self, lines: Iterable[str]) -> bool:
        """Whether one more head can be listed; once there is no room, nothing more is."""
        self._listed_chars += sum(map(len, lines))
        return self._listed_chars <= _MAX_LISTED_CHARS

    def _note_lines(self, url: str, side: str, lines: Iterable[str]) -> None:
        for line in lines:
            name, _, value = line.partition(":")
            if REDACTED in value:
                self._note_redacted(f"{side} {url}, field {name}", _kind_of_field(name.strip().lower()), 1)

    def _note_address(self, url: str) -> None:
        for name in _MARKED_PARAMETER.findall(url):
            self._note_redacted(f"address {url}", f"parameter {name}", 1)

    def _note_redacted(self, place: str, kind: str, count: int) -> None:
        if count:
            seen = RedactedPlace(place, kind)
            is_listed = len(self.redacted) < _MAX_PLACES_LISTED or seen in self.redacted
            self.redacted[seen if is_listed else RedactedPlace(_MORE_PLACES, kind)] += count


def survey_records(records: Iterable[WarcRecord]) -> RecordSurvey:
    """Go through records once."""
    survey = RecordSurvey()
    for record in records:
        survey.add(record)
    return survey


def _kind_of_field(name: str) -> str:
    if name in _COOKIE_FIELDS:
        return "cookie"
    return "login" if name in _LOGIN_FIELDS else "key, token or address with one"


def _count_marks(data: bytes) -> int:
    return data.count(_MARK)


def _read_head(record: WarcRecord) -> bytes:
    """The head of the message that a record holds."""
    return b"".join(_limit_chunks(record.chunks(), _MAX_HEAD_BYTES)).partition(b"\r\n\r\n")[0] + b"\r\n\r\n"


def _limit_chunks(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk[:most]
        most -= len(chunk)
        if most <= 0:
            return


def _split_lines(head: bytes) -> tuple[str, ...]:
    return tuple(line for line in head.decode("utf-8", "replace").split("\r\n") if line)
