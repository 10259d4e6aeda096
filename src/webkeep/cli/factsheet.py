"""Fact sheets: all that an archive knows of one observation, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webkeep.cli import measure
from webkeep.cli.facts import SHORT, observation_facts, place_facts, told
from webkeep.cli.lookup import Versions, versions
from webkeep.cli.shortness import shortness
from webkeep.document import page_title
from webkeep.document.charset import LOOKED_AT
from webkeep.errors import WebkeepError
from webkeep.formats.codings import has_codings
from webkeep.formats.content_type import bare_type, charset
from webkeep.formats.record import Record
from webkeep.model import Capture, Headers, Observation, Place
from webkeep.store.archive import Archive
from webkeep.store.reading import Holding, read_holding

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_DECODED_TO_COUNT = 32_000_000
_NO_HEADERS = Headers()


@dataclass(frozen=True, slots=True)
class Sheet:
    """One observation with its record and what that holds."""

    observation: Observation
    holding: Holding
    record: Record
    versions: Versions
    capture: Capture | None
    original: Place | None
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
        return self.holding.head.headers if self.holding.head else _NO_HEADERS

    @property
    def content_type(self) -> str:
        """The type as it was declared, with its parameters."""
        return self.headers.get("content-type") or ("" if self.holding.head else self.holding.media_type)

    @property
    def title(self) -> str:
        """What a page calls itself."""
        if bare_type(self.content_type).lower() not in _PAGES:
            return ""
        return page_title(b"".join(self.holding.content(LOOKED_AT)), charset(self.headers))


def gathered(archive: Archive, observation: Observation) -> Sheet:
    """Read the record of an observation, and of its payload if that lies elsewhere."""
    place = observation.place
    holding, record = read_holding(archive.files, place)
    original, fault = None, ""
    if record.type == "revisit":
        try:
            original = archive.original(record, place)
            holding = archive.read(observation)
        except WebkeepError as error:
            fault = str(error)
    capture = archive.capture(observation.capture) if observation.capture else None
    truncated = "" if fault else shortness(archive, observation, holding)
    sheet = Sheet(observation, holding, record, versions(archive, observation), capture, original, fault, truncated)
    return sheet if fault else _measured(sheet)


def _measured(sheet: Sheet) -> Sheet:
    """The sheet with the size of the content, and what is found wrong with its codings on the way."""
    holding = sheet.holding
    if not has_codings(sheet.headers):
        return replace(sheet, content_size=holding.body.size)
    if holding.body.size > _DECODED_TO_COUNT:
        return sheet
    flaws: list[str] = []
    size = sum(map(len, holding.content(note=lambda _code, message: flaws.append(message))))
    return replace(sheet, content_size=size, flaws=tuple(flaws))


def sheet_lines(sheet: Sheet) -> list[tuple[str, str]]:
    """The facts for people, each with its name."""
    observation, record = sheet.observation, sheet.record
    server = " over ".join(
        filter(None, (record.get("warc-ip-address"), ", ".join(record.headers.all("warc-protocol"))))
    )
    return [
        ("URL", observation.url),
        ("title", sheet.title),
        ("moment", f"{measure.date(observation.moment)} UTC"),
        ("status", _status(sheet)),
        ("type", sheet.content_type),
        ("size", _sizes(sheet)),
        ("truncated", sheet.truncated),
        ("flaws", "; ".join(sheet.flaws)),
        ("payload", str(observation.payload_digest or "")),
        ("content", str(observation.content_digest or "")),
        ("server", server),
        ("via", observation.via),
        ("capture", _capture(sheet.capture)),
        ("record", f"{record.type} in {_place(observation.place)}"),
        ("revisit", _revisit(sheet)),
        ("seen", _seen(sheet.versions)),
    ]


def sheet_facts(sheet: Sheet) -> dict[str, object]:
    """The facts for programs."""
    seen = sheet.versions
    return {
        **observation_facts(sheet.observation),
        "title": sheet.title,
        "payload_size": sheet.holding.body.size,
        "content_size": sheet.content_size,
        "truncated": sheet.truncated,
        "flaws": list(sheet.flaws),
        "head": [list(field) for field in sheet.headers],
        "record_id": sheet.record.id,
        "refers_to": _refers_to(sheet),
        "fault": sheet.fault,
        "versions": seen.total,
        "version": seen.position,
        "payloads": seen.payloads,
        "previous": told(seen.previous),
        "next": told(seen.following),
    }


def _status(sheet: Sheet) -> str:
    if sheet.observation.status is None:
        return ""
    return f"{sheet.observation.status} {sheet.holding.head.reason if sheet.holding.head else ''}".rstrip()


def _sizes(sheet: Sheet) -> str:
    if sheet.fault:
        return ""
    size, content = sheet.holding.body.size, sheet.content_size
    if content is None or content == size:
        return measure.exact_size(size)
    return f"{measure.exact_size(size)} as sent, {measure.exact_size(content)} decoded"


def _capture(capture: Capture | None) -> str:
    return f"{capture.id[:SHORT]}, {capture.kind} of {measure.date(capture.started)}" if capture else ""


def _place(place: Place) -> str:
    return f"{place.file}, byte {place.offset:,}, {measure.size(place.length)}"


def _revisit(sheet: Sheet) -> str:
    if sheet.record.type != "revisit":
        return ""
    if sheet.original is None:
        return f"of a payload that is not here: {sheet.fault}"
    url, date = sheet.record.get("warc-refers-to-target-uri"), sheet.record.get("warc-refers-to-date")
    of = f"of {url}" if url and url != sheet.observation.url else "of the same URL"
    said = "; the server said that nothing was modified (304)" if sheet.observation.not_modified else ""
    return f"{of}{f', seen {date}' if date else ''}, kept in {_place(sheet.original)}{said}"


def _refers_to(sheet: Sheet) -> dict[str, object] | None:
    if sheet.record.type != "revisit":
        return None
    record = sheet.record
    return {
        "url": record.get("warc-refers-to-target-uri"),
        "moment": record.get("warc-refers-to-date"),
        "profile": record.get("warc-profile"),
        **(place_facts(sheet.original) if sheet.original else {}),
    }


def _seen(seen: Versions) -> str:
    if seen.total <= 1:
        return "once"
    parts = [
        f"{seen.total:,} times, this is number {seen.position:,}",
        f"{seen.payloads:,} different payloads" if seen.payloads > 1 else "always the same payload",
        f"before {measure.date(seen.previous)}" if seen.previous else "",
        f"next {measure.date(seen.following)}" if seen.following else "",
    ]
    return "; ".join(filter(None, parts))
