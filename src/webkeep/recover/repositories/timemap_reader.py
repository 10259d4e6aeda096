"""TimeMaps, read as they stream by: link format (RFC 7089), the JSON of aggregators, CDXJ; how each is told, which
further pages it names, and which mementos are passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.formats.http import parse_http_date
from webkeep.memento import WebLink, parse_links
from webkeep.model import Finding, Moment
from webkeep.recover.repositories.uri_m import moment_in

MAX_ITEM_BYTES = 1 << 20
"""Longer items are damage, and are not held in memory."""
_MAX_FINDINGS = 20
"""Noted of one TimeMap: a page of HTML would have thousands."""
_MAX_PAGES = 1000
"""Further TimeMaps that one names."""
_BETWEEN_LINKS = re.compile(rb",\s*(?=<)")
_BETWEEN_OBJECTS = re.compile(rb"(?<=\})\s*,?\s*(?=[{\]])")
_LIST = re.compile(rb'"list"\s*:\s*\[\s*')
_NEXT = re.compile(rb'"next"\s*:\s*(?:\{[^{}]{0,4000}?"uri"\s*:\s*)?"((?:[^"\\]|\\.){1,8000})"')
_BETWEEN_LINES = re.compile(rb"\n")
_COMMON_LINK = re.compile(
    r'\s*<([^<>]+)>\s*;\s*rel="((?:first |last |first last )?memento)"\s*;\s*datetime="([^"]{25,31})"\s*'
)
"""As nearly all links of TimeMaps are written: told in 0.6 µs, where `parse_links` takes 6.7 (`bench.quick_paths`).
`test_a_memento_in_a_timemap_is_the_link_it_is` holds both to the same."""


@dataclass(frozen=True, slots=True)
class TimeMapEntry:
    """One memento in a TimeMap."""

    uri: str
    moment: Moment


class TimeMapReader:
    """Reads one TimeMap, or one page of it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.original = ""
        self.timegate = ""
        self.pages: list[str] = []
        """The addresses of what else belongs to it, still to be read."""
        self.count = 0
        self.first = ""
        """The URI-M of the first memento."""
        self.message = ""
        """What stood there in place of a TimeMap."""
        self.findings: list[Finding] = []

    def read_mementos(self, chunks: Iterable[bytes]) -> Iterator[TimeMapEntry]:
        """The mementos in their order; what cannot be read is passed over and noted."""
        feed = iter(chunks)
        start = _first_bytes(feed)
        sign = start.lstrip()[:9].lower()
        rest = _prepend(start, feed)
        if not sign:
            return iter(())
        if sign.startswith(b"<") and not sign.startswith((b"<!", b"<html", b"<head", b"<?xml", b"<body")):
            return self._read_link_format(rest)
        if sign.startswith(b"{"):
            return self._read_json(rest)
        if sign.startswith(b"!") or sign[:1].isdigit():
            return self._read_cdxj(rest)
        self.message = "a page of HTML" if sign.startswith(b"<") else _excerpt(start)
        return iter(())

    def _read_link_format(self, chunks: Iterable[bytes]) -> Iterator[TimeMapEntry]:
        onward: list[str] = []
        others: list[str] = []
        for offset, piece in self._split_items(chunks, _BETWEEN_LINKS):
            text = piece.decode("utf-8", "surrogateescape")
            usual = _COMMON_LINK.fullmatch(text)
            if usual is not None:
                listed = self._build_entry(usual[1], usual[3], offset)
                if listed is not None:
                    yield listed
                continue
            links = list(parse_links(text))
            if not links:
                self._note(offset, f"cannot be read: {_excerpt(piece)}")
            for link in links:
                if "memento" in link.relations:
                    listed = self._build_entry(link.target, link.get("datetime"), offset)
                    if listed is not None:
                        yield listed
                else:
                    self._note_relation(link, onward, others)
        self.pages = onward or others

    def _note_relation(self, link: WebLink, onward: list[str], others: list[str]) -> None:
        """Take what a TimeMap says of itself; of pages before and after, those after are to be read."""
        if "original" in link.relations:
            self.original = link.target
        elif "timegate" in link.relations:
            self.timegate = link.target
        elif "timemap" in link.relations and not {"self", "prev"} & set(link.relations):
            pages = onward if "next" in link.relations else others
            if len(pages) < _MAX_PAGES:
                pages.append(link.target)

    def _read_json(self, chunks: Iterable[bytes]) -> Iterator[TimeMapEntry]:
        """The objects of the list in a JSON TimeMap; what stands around it is small and read at the end."""
        within, around, is_listed = False, b"", False
        for offset, piece in self._split_items(chunks, _BETWEEN_OBJECTS):
            begin = _LIST.search(piece) if not is_listed else None
            if begin is not None:
                within = is_listed = True
                around += piece[: begin.start()]
                piece = piece[begin.end() :]
            if within and not piece.lstrip().startswith(b"{"):
                within = False
            if not within:
                around = (around + piece)[:MAX_ITEM_BYTES]
                continue
            listed = self._parse_object(piece, offset)
            if listed is not None:
                yield listed
        if not is_listed:
            self.message = self.message or _excerpt(around)
        self._note_next(around)

    def _read_cdxj(self, chunks: Iterable[bytes]) -> Iterator[TimeMapEntry]:
        for offset, line in self._split_items(chunks, _BETWEEN_LINES):
            head, brace, block = line.strip().partition(b"{")
            if not brace:
                continue
            if head.startswith((b"!", b"@")):
                if b'"pages"' in line:
                    self._note_next(line)
                continue
            listed = self._parse_object(b"{" + block, offset)
            if listed is not None:
                yield listed

    def _note_next(self, text: bytes) -> None:
        """Take the address of the next page out of JSON, if it is there."""
        following = _NEXT.search(text)
        if following is None:
            return
        try:
            self.pages = [json.loads(b'"' + following[1] + b'"')]
        except ValueError:
            self._note(0, f"next page has no address that can be read: {_excerpt(following[1])}")

    def _parse_object(self, text: bytes, offset: int) -> TimeMapEntry | None:
        end = text.rfind(b"}")
        value = read_json(text[: end + 1])
        try:
            uri, date = value["uri"], value["datetime"]
        except (KeyError, TypeError):
            self._note(offset, f"cannot be read: {_excerpt(text)}")
            return None
        return self._build_entry(str(uri), str(date), offset)

    def _build_entry(self, uri: str, date: str, offset: int) -> TimeMapEntry | None:
        moment = parse_http_date(date) or _parse_iso(date)
        if moment is None:
            moment = moment_in(uri)
            told = f"of {moment} by its address" if moment else "passed over"
            self._note(offset, f"memento has no date that can be read ({date[:60]!r}); {told}")
        if moment is None or not uri:
            return None
        self.count += 1
        self.first = self.first or uri
        return TimeMapEntry(uri, moment)

    def _split_items(self, chunks: Iterable[bytes], between: re.Pattern[bytes]) -> Iterator[tuple[int, bytes]]:
        held, offset = b"", 0
        for chunk in chunks:
            held += chunk
            start = 0
            for match in between.finditer(held):
                yield offset + start, held[start : match.start()]
                start = match.end()
            offset, held = offset + start, held[start:]
            if len(held) > MAX_ITEM_BYTES:
                self._note(offset, f"item is longer than {MAX_ITEM_BYTES} bytes; passed over")
                offset, held = offset + len(held), b""
        if held.strip():
            yield offset, held

    def _note(self, offset: int, message: str) -> None:
        if len(self.findings) < _MAX_FINDINGS:
            self.findings.append(Finding("timemap-item", self._source, offset, message))


def _first_bytes(feed: Iterator[bytes]) -> bytes:
    start = b""
    while len(start.lstrip()) < 9 and (chunk := next(feed, None)) is not None:
        start += chunk
    return start


def _prepend(start: bytes, feed: Iterator[bytes]) -> Iterator[bytes]:
    yield start
    yield from feed


def _parse_iso(text: str) -> Moment | None:
    try:
        return Moment.parse(text)
    except UsageError:
        return None


def _excerpt(data: bytes) -> str:
    return " ".join(data[:160].decode("utf-8", "replace").split())
