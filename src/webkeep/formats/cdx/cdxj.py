"""CDXJ: index lines of a sort key, a timestamp and a JSON object, read (as classic CDX is) and written as cdxj-indexer
writes them; how long a line may be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from webkeep.errors import FormatError, UsageError
from webkeep.formats.bounded_lines import read_bounded_lines
from webkeep.formats.cdx.cdx_legend import CdxLegend, guess_legend, parse_legend
from webkeep.formats.flaws import Flaws
from webkeep.formats.json_value import read_json
from webkeep.model import Moment

MAX_CDX_LINE_BYTES = 1 << 20
"""Longer lines are set aside unread."""

_PLAIN_FIELDS = frozenset({"url", "mime", "status", "digest", "length", "offset", "filename"})
_ENCODER = json.JSONEncoder()


@dataclass(frozen=True, slots=True)
class CdxLine:
    """One line of an index; a field that is None is not written."""

    key: str
    timestamp: str
    url: str | None = None
    mime: str | None = None
    status: str | None = None
    digest: str | None = None
    length: int | None = None
    offset: int | None = None
    filename: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    """Fields beyond the plain ones, in the order they came."""

    @property
    def moment(self) -> Moment | None:
        """The timestamp as a moment; None where its digits are no date."""
        try:
            return Moment.parse(self.timestamp)
        except UsageError:
            return None

    @property
    def status_code(self) -> int | None:
        """The status as a number, where it is one."""
        return int(self.status) if self.status and self.status.isascii() and self.status.isdigit() else None

    def fields(self) -> dict[str, object]:
        """The JSON object: the plain fields in their established order, numbers spelled as text, then the rest."""
        plain: dict[str, object] = {
            "url": self.url,
            "mime": self.mime,
            "status": self.status,
            "digest": self.digest,
            "length": None if self.length is None else str(self.length),
            "offset": None if self.offset is None else str(self.offset),
            "filename": self.filename,
        }
        return {name: value for name, value in plain.items() if value is not None} | dict(self.extra)

    def __str__(self) -> str:
        return f"{self.key} {self.timestamp} {_ENCODER.encode(self.fields())}"

    def __bytes__(self) -> bytes:
        """The line as it stands in a file, without its end; files are sorted by these bytes."""
        return str(self).encode("utf-8", "surrogateescape")


def parse_cdx_line(line: bytes, legend: CdxLegend | None = None) -> CdxLine:
    """Read one line of CDXJ, or of classic CDX by its legend; raises FormatError with the reason where it cannot."""
    key, _, rest = line.decode("utf-8", "surrogateescape").strip("\r\n").partition(" ")
    timestamp, _, block = rest.partition(" ")
    if block.lstrip().startswith("{"):
        return _line_from_object(key, _check_timestamp(timestamp), _parse_object(block))
    return _line_from_columns(f"{key} {rest}".split(" "), legend)


def read_cdx(chunks: Iterable[bytes], source: str, flaws: Flaws) -> Iterator[CdxLine]:
    """The lines of an index, CDXJ or classic CDX with a legend or without; bad lines are reported and passed over."""
    legend: CdxLegend | None = None
    for offset, line in read_bounded_lines(chunks, MAX_CDX_LINE_BYTES, source, flaws):
        if found := parse_legend(line):
            legend = found
        elif line.strip() and line[:1] not in (b"!", b"@"):  # lines that speak of the file itself
            try:
                yield parse_cdx_line(line, legend)
            except FormatError as error:
                flaws.report("cdx-line", source, offset, f"index line cannot be read: {error}")


def _parse_object(block: str) -> dict[str, object]:
    value = read_json(block)
    if value is None:
        raise FormatError("its JSON is broken")
    if not isinstance(value, dict):
        raise FormatError("its JSON is no object")
    return value


def _line_from_object(key: str, timestamp: str, value: Mapping[str, object]) -> CdxLine:
    return CdxLine(
        key,
        timestamp,
        url=_text_or_none(value.get("url")),
        mime=_text_or_none(value.get("mime")),
        status=_text_or_none(value.get("status")),
        digest=_text_or_none(value.get("digest")),
        length=_parse_number("length", value.get("length")),
        offset=_parse_number("offset", value.get("offset")),
        filename=_text_or_none(value.get("filename")),
        extra={name: item for name, item in value.items() if name not in _PLAIN_FIELDS},
    )


def _line_from_columns(columns: list[str], legend: CdxLegend | None) -> CdxLine:
    named = (legend or guess_legend(len(columns))).name_columns(columns)
    if named is None:
        raise FormatError("it is neither CDXJ nor classic CDX")
    value: dict[str, object] = {name: text for name, text in named.items() if text != "-"}
    key, timestamp = str(value.pop("urlkey", "-")), str(value.pop("timestamp", ""))
    return _line_from_object(key, _check_timestamp(timestamp), value)


def _check_timestamp(timestamp: str) -> str:
    if not (timestamp.isascii() and timestamp.isdigit() and 4 <= len(timestamp) <= 20):
        raise FormatError("its timestamp is not 4 to 20 digits")
    return timestamp


def _text_or_none(value: object) -> str | None:
    return None if value is None else value if isinstance(value, str) else _ENCODER.encode(value)


def _parse_number(name: str, value: object) -> int | None:
    if value is None or value in ("", "-"):
        return None
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) <= 19):
        raise FormatError(f"its {name} is no number")
    return int(text)
