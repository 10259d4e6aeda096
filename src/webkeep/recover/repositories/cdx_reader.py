"""Answers of index servers, read in whichever form they come: CDXJ, JSON lines, JSON rows in a list, plain columns;
which rows are damage, and what says that there are none.

Rows are taken one at a time out of a stream of any length. Whether it came to a proper end, where to go on, and what
stood there in place of rows is known when it has been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from webkeep.errors import FormatError
from webkeep.formats import read_json
from webkeep.formats.cdx import CdxLegend, CdxLine, guess_legend, parse_cdx_line, parse_legend
from webkeep.memento.cdx import WAYBACK_NAMES
from webkeep.model import Finding
from webkeep.recover.repositories.uri_m import parse_timestamp

MAX_ROW_BYTES = 1 << 20
"""Longer rows are damage, and are not held in memory."""
_MAX_FINDINGS = 20
"""Noted of one answer: a page of HTML would have thousands."""
_LINE_END = re.compile(rb"\n")
_LIST_ROW_END = re.compile(rb"\n|(?:(?<=[^\\]\"\])|(?<=\[\]))\s*,\s*(?=\[[\"\]])")
"""Where rows of a list part, be it at the end of a line or within one."""
_NUMBERS = ("length", "offset")
_MAX_FILE_OFFSET_BYTES = (1 << 63) - 1
"""What systems and SQLite can hold."""
_STATUS_DIGITS = 3
"""How many digits a status has."""
_NO_CAPTURES = re.compile(r"no captures? found|not found|no results", re.IGNORECASE)


class _BadRowError(FormatError):
    """A row in its right form, with something impossible in it."""


class CdxResponseReader:
    """Reads one answer."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._names: list[str] = []
        self._legend: CdxLegend | None = None
        self._is_list = False
        self._parting = False
        self.count = 0
        """How many rows there were."""
        self.resume_key = ""
        self.is_whole = True
        """Whether a list came to its end; other forms do not show it."""
        self.message = ""
        """What stood there in place of rows."""
        self.findings: list[Finding] = []

    def read_rows(self, chunks: Iterable[bytes]) -> Iterator[CdxLine]:
        """The rows, in their order; what cannot be read is passed over and noted."""
        for offset, line in self._split_rows(chunks):
            text = line.strip()
            if not text:
                self._parting = self.count > 0
                continue
            try:
                row = self._parse_row(text)
            except _BadRowError as error:
                self._note(offset, f"row cannot be read: {error}")
                continue
            except FormatError as error:
                row = None
                self._set_aside(text, offset, str(error))
            if row is not None:
                self.count += 1
                yield row
            if self.message:
                return

    @property
    def says_nothing_found(self) -> bool:
        """Whether what stood in place of rows says that there are none."""
        return bool(_NO_CAPTURES.search(self.message))

    def _split_rows(self, chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
        """Lines, and rows of a list that is written in one line."""
        held, offset, passing = b"", 0, False
        breaks: re.Pattern[bytes] | None = None
        for chunk in chunks:
            held += chunk
            start = 0
            if breaks is None and (begin := held.lstrip()[:1]):
                breaks = _LIST_ROW_END if begin == b"[" else _LINE_END
            for match in breaks.finditer(held) if breaks is not None else ():
                if not passing:
                    yield offset + start, held[start : match.start()]
                start, passing = match.end(), False
            offset, held = offset + start, held[start:]
            if len(held) > MAX_ROW_BYTES:
                if not passing:
                    self._note(offset, f"row is longer than {MAX_ROW_BYTES} bytes; passed over")
                offset, held, passing = offset + len(held) - 8, held[-8:], True
        if held and not passing:
            yield offset, held

    def _parse_row(self, text: bytes) -> CdxLine | None:
        if text.startswith((b"[", b"]")):
            return self._parse_list_row(text)
        if not self.count and text[:1] == b"<":
            self.message = "a page of HTML"
            return None
        if found := parse_legend(text):
            self._legend = found
            return None
        if text[:1] in (b"!", b"@"):
            return None
        if self._parting and b" " not in text and not text.startswith(b"{"):
            self.resume_key = text.decode("utf-8", "replace")
            return None
        return (
            self._line_from_object(text) if text.startswith(b"{") else _check_line(parse_cdx_line(text, self._legend))
        )

    def _parse_list_row(self, text: bytes) -> CdxLine | None:
        """A row of a list of lists, with the brackets around all of them where it is the first or the last."""
        if not self._is_list:
            self._is_list, self.is_whole = True, False
            text = text[1:] if text.startswith(b"[[") or text == b"[" else text
        body = text.rstrip(b", \t\r")
        if body in (b"]", b"[]]") or body.endswith(b"]]") or (body == b"[]" and not self._names and not self.count):
            self.is_whole = True
            body = body.removesuffix(b"]")
        if body in (b"", b"[", b"[]"):
            self._parting = self.count > 0
            return None
        values = read_json(body if body.endswith(b"]") else body + b"]")
        if values is None:
            raise FormatError("its JSON is broken")
        if not isinstance(values, list):
            raise FormatError("it is no list")
        return self._line_from_list([str(value) for value in values])

    def _line_from_list(self, values: list[str]) -> CdxLine | None:
        if not self._names and not self.count and "timestamp" in values:
            self._names = [WAYBACK_NAMES.get(name, name) for name in values]
            return None
        if self._parting and len(values) == 1:
            self.resume_key = values[0]
            return None
        if not self._names:  # some servers leave the names out
            named = guess_legend(len(values)).name_columns(values)
            if named is None:
                raise FormatError(f"it has {len(values)} fields without names")
            return _line_from_values(named)
        if len(values) != len(self._names):
            raise _BadRowError(f"it has {len(values)} fields where {len(self._names)} are named")
        return _line_from_values(dict(zip(self._names, values, strict=True)))

    def _line_from_object(self, text: bytes) -> CdxLine:
        value = read_json(text)
        if value is None:
            raise FormatError("its JSON is broken")
        if not isinstance(value, dict) or "timestamp" not in value:
            raise FormatError("it is no row")
        return _line_from_values({WAYBACK_NAMES.get(name, name): str(each) for name, each in value.items()})

    def _set_aside(self, text: bytes, offset: int, why: str) -> None:
        """Note what is no row; where nothing was read before, it is what was said in place of rows."""
        if self.count:
            self._note(offset, f"row cannot be read: {why}")
        else:
            self.message = " ".join(text[:300].decode("utf-8", "replace").split())

    def _note(self, offset: int, message: str) -> None:
        if len(self.findings) < _MAX_FINDINGS:
            self.findings.append(Finding("index-row", self._source, offset, message))


def _line_from_values(values: Mapping[str, str]) -> CdxLine:
    told = {name: value for name, value in values.items() if value not in ("", "-")}
    numbers = {name: _parse_number(told.get(name)) for name in _NUMBERS}
    return _check_line(
        CdxLine(
            told.get("urlkey", ""),
            told.get("timestamp", ""),
            told.get("url"),
            told.get("mime"),
            told.get("status"),
            told.get("digest"),
            numbers["length"],
            numbers["offset"],
            told.get("filename"),
        )
    )


def _check_line(line: CdxLine) -> CdxLine:
    if not line.url:
        raise _BadRowError("it has no URL")
    if parse_timestamp(line.timestamp) is None or line.moment is None:
        raise _BadRowError(f"there is no such date as {line.timestamp[:20]!r}")
    if (line.length or 0) > _MAX_FILE_OFFSET_BYTES or (line.offset or 0) > _MAX_FILE_OFFSET_BYTES:
        raise _BadRowError("it has numbers that no file reaches")
    return line if line.status is None or len(line.status) <= _STATUS_DIGITS else replace(line, status=None)


def _parse_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 19 else None
