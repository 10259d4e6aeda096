"""Fact sheets: all that an archive knows of one observation, for people and for programs: rows and JSON keys of
`webkeep show`, and the words for bodies cut off, revisits, sizes and versions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from webkeep.cli.observation_lookup import VersionPosition, version_position
from webkeep.cli.output.json_facts import SHORT_ID_CHARS, moment_fact, observation_facts, place_facts
from webkeep.document import SNIFFED_BYTES, read_page_title
from webkeep.errors import WebkeepError
from webkeep.formats.codings import has_codings
from webkeep.formats.http import bare_media_type, declared_charset, declared_length
from webkeep.formats.status import BODILESS_STATUSES
from webkeep.formats.warc import WarcRecord
from webkeep.model import Capture, Headers, Observation, RecordPlace, RecordType
from webkeep.presentation import format_exact_size, format_moment, format_size
from webkeep.store.archive import Archive
from webkeep.store.reading import StoredResponse, read_stored_response

# Bodies that are shorter than they should be: whether the rest never came, and what kept it.

_TRUNCATION_CAUSES = {
    "length": "cut off at a limit of size",
    "time": "cut off at a limit of time",
    "disconnect": "the connection broke off",
    "unspecified": "cut off",
}


def describe_truncation(archive: Archive, observation: Observation, stored: StoredResponse) -> str:
    """What is missing of the body that a server began to send, in words; nothing where it came whole."""
    said = _read_body_record(archive, observation).get("warc-truncated").strip().lower()
    came, whole = stored.body.size, _declared_length(observation, stored)
    amount = f"{came:,} of {format_exact_size(whole)} came" if came < whole else ""
    if said:
        return "; ".join(filter(None, (_TRUNCATION_CAUSES.get(said, f"cut off ({said})"), amount)))
    return amount


def _read_body_record(archive: Archive, observation: Observation) -> WarcRecord:
    """The record that the body lies in; a revisit's own may say that it was left out there, which is no loss."""
    _, record = read_stored_response(archive.files, observation.place)
    if record.type == RecordType.REVISIT:
        _, record = read_stored_response(archive.files, archive.original_place(record, observation.place))
    return record


def _declared_length(observation: Observation, stored: StoredResponse) -> int:
    """How long the body was to be by its Content-Length; 0 where that does not say."""
    head = stored.head
    if head is None or observation.method == "HEAD" or head.status in BODILESS_STATUSES:
        return 0
    return 0 if "transfer-encoding" in head.headers else declared_length(head.headers) or 0


_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_MAX_DECODED_BYTES = 32_000_000
"""A larger body is not decoded only to tell its size: that would take seconds."""
_NO_HEADERS = Headers()


@dataclass(frozen=True, slots=True)
class FactSheet:
    """One observation with its record and what that holds."""

    observation: Observation
    stored: StoredResponse
    record: WarcRecord
    versions: VersionPosition
    capture: Capture | None
    original: RecordPlace | None
    """Where the payload of a revisit lies."""
    fault: str
    """Why the payload of a revisit cannot be had."""
    truncated: str = ""
    """What is missing of the body, and why."""
    content_size: int | None = None
    """How many bytes the content has without its codings; None where it would take long to tell."""
    flaws: tuple[str, ...] = ()
    """In what the body is not what its head says."""

    @property
    def is_flawed(self) -> bool:
        """Whether it cannot be shown as it was sent."""
        return bool(self.fault or self.truncated or self.flaws)

    @property
    def headers(self) -> Headers:
        """The fields of the HTTP head; none for a resource."""
        return self.stored.head.headers if self.stored.head else _NO_HEADERS

    @property
    def content_type(self) -> str:
        """The type as it was declared, with its parameters."""
        return self.headers.get("content-type") or ("" if self.stored.head else self.stored.media_type)

    @property
    def title(self) -> str:
        """What a page calls itself."""
        if bare_media_type(self.content_type).lower() not in _HTML_TYPES:
            return ""
        return read_page_title(b"".join(self.stored.content(SNIFFED_BYTES)), declared_charset(self.headers))


def read_fact_sheet(archive: Archive, observation: Observation) -> FactSheet:
    """Read the record of an observation, and of its payload if that lies elsewhere."""
    place = observation.place
    stored, record = read_stored_response(archive.files, place)
    original, fault = None, ""
    if record.type == RecordType.REVISIT:
        try:
            original = archive.original_place(record, place)
            stored = archive.read(observation)
        except WebkeepError as error:
            fault = str(error)
    capture = archive.capture(observation.capture) if observation.capture else None
    truncated = "" if fault else describe_truncation(archive, observation, stored)
    sheet = FactSheet(
        observation, stored, record, version_position(archive, observation), capture, original, fault, truncated
    )
    return sheet if fault else _measure_content(sheet)


def _measure_content(sheet: FactSheet) -> FactSheet:
    """The sheet with the size of the content, and what is found wrong with its codings on the way."""
    stored = sheet.stored
    if not has_codings(sheet.headers):
        return replace(sheet, content_size=stored.body.size)
    if stored.body.size > _MAX_DECODED_BYTES:
        return sheet
    flaws: list[str] = []
    size = sum(map(len, stored.content(on_flaw=lambda _code, message: flaws.append(message))))
    return replace(sheet, content_size=size, flaws=tuple(flaws))


def fact_sheet_rows(sheet: FactSheet) -> list[tuple[str, str]]:
    """The facts for people, each with its name."""
    observation, record = sheet.observation, sheet.record
    server = " over ".join(
        filter(None, (record.get("warc-ip-address"), ", ".join(record.headers.all("warc-protocol"))))
    )
    return [
        ("URL", observation.url),
        ("title", sheet.title),
        ("moment", f"{format_moment(observation.moment)} UTC"),
        ("status", _status_words(sheet)),
        ("type", sheet.content_type),
        ("size", _size_words(sheet)),
        ("truncated", sheet.truncated),
        ("flaws", "; ".join(sheet.flaws)),
        ("payload", str(observation.payload_digest or "")),
        ("content", str(observation.content_digest or "")),
        ("server", server),
        ("via", observation.via),
        ("capture", _capture_words(sheet.capture)),
        ("record", f"{record.type} in {_place_words(observation.place)}"),
        ("revisit", _revisit_words(sheet)),
        ("seen", _seen_words(sheet.versions)),
    ]


def fact_sheet_facts(sheet: FactSheet) -> dict[str, object]:
    """The facts for programs."""
    seen = sheet.versions
    return {
        **observation_facts(sheet.observation),
        "title": sheet.title,
        "payload_size": sheet.stored.body.size,
        "content_size": sheet.content_size,
        "truncated": sheet.truncated,
        "flaws": list(sheet.flaws),
        "head": [list(field) for field in sheet.headers],
        "record_id": sheet.record.id,
        "refers_to": _reference_facts(sheet),
        "fault": sheet.fault,
        "observations": seen.total,
        "observation": seen.position,
        "versions": seen.payloads,
        "version": seen.payload_position,
        "payloads": seen.payloads,
        "previous": moment_fact(seen.previous),
        "next": moment_fact(seen.following),
    }


def _status_words(sheet: FactSheet) -> str:
    if sheet.observation.status is None:
        return ""
    return f"{sheet.observation.status} {sheet.stored.head.reason if sheet.stored.head else ''}".rstrip()


def _size_words(sheet: FactSheet) -> str:
    if sheet.fault:
        return ""
    size, content = sheet.stored.body.size, sheet.content_size
    if content is None or content == size:
        return format_exact_size(size)
    return f"{format_exact_size(size)} as sent, {format_exact_size(content)} decoded"


def _capture_words(capture: Capture | None) -> str:
    return f"{capture.id[:SHORT_ID_CHARS]}, {capture.kind} of {format_moment(capture.started)}" if capture else ""


def _place_words(place: RecordPlace) -> str:
    return f"{place.file}, byte {place.offset:,}, {format_size(place.length)}"


def _revisit_words(sheet: FactSheet) -> str:
    if sheet.record.type != RecordType.REVISIT:
        return ""
    if sheet.original is None:
        return f"of a payload that is not here: {sheet.fault}"
    url, date = sheet.record.get("warc-refers-to-target-uri"), sheet.record.get("warc-refers-to-date")
    of = f"of {url}" if url and url != sheet.observation.url else "of the same URL"
    said = "; the server said that nothing was modified (304)" if sheet.observation.not_modified else ""
    return f"{of}{f', seen {date}' if date else ''}, kept in {_place_words(sheet.original)}{said}"


def _reference_facts(sheet: FactSheet) -> dict[str, object] | None:
    if sheet.record.type != RecordType.REVISIT:
        return None
    record = sheet.record
    return {
        "url": record.get("warc-refers-to-target-uri"),
        "moment": record.get("warc-refers-to-date"),
        "profile": record.get("warc-profile"),
        **(place_facts(sheet.original) if sheet.original else {}),
    }


def _seen_words(seen: VersionPosition) -> str:
    if seen.total <= 1:
        return "once"
    parts = [
        f"{seen.total:,} times, this is number {seen.position:,}",
        f"{seen.payloads:,} different payloads" if seen.payloads > 1 else "always the same payload",
        f"before {format_moment(seen.previous)}" if seen.previous else "",
        f"next {format_moment(seen.following)}" if seen.following else "",
    ]
    return "; ".join(filter(None, parts))
