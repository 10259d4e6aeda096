"""TimeMaps, read as they stream by: link format (RFC 7089), the JSON of aggregators, CDXJ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.formats.http_date import read_date
from webkeep.formats.json_value import read_json
from webkeep.memento.web_link import WebLink, read_links
from webkeep.model import Finding, Moment
from webkeep.recover.repositories.uri_m import moment_in

LONGEST_ITEM = 1 << 20
_MOST_FINDINGS = 20
_MOST_PAGES = 1000
_BETWEEN_LINKS = re.compile(rb",\s*(?=<)")
_BETWEEN_OBJECTS = re.compile(rb"(?<=\})\s*,?\s*(?=[{\]])")
_LIST = re.compile(rb'"list"\s*:\s*\[\s*')
_NEXT = re.compile(rb'"next"\s*:\s*(?:\{[^{}]{0,4000}?"uri"\s*:\s*)?"((?:[^"\\]|\\.){1,8000})"')
_BETWEEN_LINES = re.compile(rb"\n")
_USUAL = re.compile(
    r'\s*<([^<>]+)>\s*;\s*rel="((?:first |last |first last )?memento)"\s*;\s*datetime="([^"]{25,31})"\s*'
)


@dataclass(frozen=True, slots=True)
class Listed:
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
        self.said = ""
        """What stood there in place of a TimeMap."""
        self.findings: list[Finding] = []

    def mementos(self, chunks: Iterable[bytes]) -> Iterator[Listed]:
        """The mementos in their order; what cannot be read is passed over and noted."""
        feed = iter(chunks)
        start = _opening(feed)
        sign = start.lstrip()[:9].lower()
        rest = _with(start, feed)
        if not sign:
            return iter(())
        if sign.startswith(b"<") and not sign.startswith((b"<!", b"<html", b"<head", b"<?xml", b"<body")):
            return self._linked(rest)
        if sign.startswith(b"{"):
            return self._objects(rest)
        if sign.startswith(b"!") or sign[:1].isdigit():
            return self._lines(rest)
        self.said = "a page of HTML" if sign.startswith(b"<") else _shown(start)
        return iter(())

    def _linked(self, chunks: Iterable[bytes]) -> Iterator[Listed]:
        onward: list[str] = []
        others: list[str] = []
        for offset, piece in self._pieces(chunks, _BETWEEN_LINKS):
            text = piece.decode("utf-8", "surrogateescape")
            usual = _USUAL.fullmatch(text)
            if usual is not None:
                listed = self._listed(usual[1], usual[3], offset)
                if listed is not None:
                    yield listed
                continue
            links = list(read_links(text))
            if not links:
                self._note(offset, f"cannot be read: {_shown(piece)}")
            for link in links:
                if "memento" in link.relations:
                    listed = self._listed(link.target, link.get("datetime"), offset)
                    if listed is not None:
                        yield listed
                else:
                    self._about(link, onward, others)
        self.pages = onward or others

    def _about(self, link: WebLink, onward: list[str], others: list[str]) -> None:
        """Take what a TimeMap says of itself; of pages before and after, those after are to be read."""
        if "original" in link.relations:
            self.original = link.target
        elif "timegate" in link.relations:
            self.timegate = link.target
        elif "timemap" in link.relations and not {"self", "prev"} & set(link.relations):
            pages = onward if "next" in link.relations else others
            if len(pages) < _MOST_PAGES:
                pages.append(link.target)

    def _objects(self, chunks: Iterable[bytes]) -> Iterator[Listed]:
        """The objects of the list in a JSON TimeMap; what stands around it is small and read at the end."""
        within, around, is_listed = False, b"", False
        for offset, piece in self._pieces(chunks, _BETWEEN_OBJECTS):
            begin = _LIST.search(piece) if not is_listed else None
            if begin is not None:
                within = is_listed = True
                around += piece[: begin.start()]
                piece = piece[begin.end() :]
            if within and not piece.lstrip().startswith(b"{"):
                within = False
            if not within:
                around = (around + piece)[:LONGEST_ITEM]
                continue
            listed = self._object(piece, offset)
            if listed is not None:
                yield listed
        if not is_listed:
            self.said = self.said or _shown(around)
        self._note_next(around)

    def _lines(self, chunks: Iterable[bytes]) -> Iterator[Listed]:
        for offset, line in self._pieces(chunks, _BETWEEN_LINES):
            head, brace, block = line.strip().partition(b"{")
            if not brace:
                continue
            if head.startswith((b"!", b"@")):
                if b'"pages"' in line:
                    self._note_next(line)
                continue
            listed = self._object(b"{" + block, offset)
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
            self._note(0, f"next page has no address that can be read: {_shown(following[1])}")

    def _object(self, text: bytes, offset: int) -> Listed | None:
        end = text.rfind(b"}")
        value = read_json(text[: end + 1])
        try:
            uri, date = value["uri"], value["datetime"]
        except (KeyError, TypeError):
            self._note(offset, f"cannot be read: {_shown(text)}")
            return None
        return self._listed(str(uri), str(date), offset)

    def _listed(self, uri: str, date: str, offset: int) -> Listed | None:
        moment = read_date(date) or _iso(date)
        if moment is None:
            moment = moment_in(uri)
            told = f"of {moment} by its address" if moment else "passed over"
            self._note(offset, f"memento has no date that can be read ({date[:60]!r}); {told}")
        if moment is None or not uri:
            return None
        self.count += 1
        self.first = self.first or uri
        return Listed(uri, moment)

    def _pieces(self, chunks: Iterable[bytes], between: re.Pattern[bytes]) -> Iterator[tuple[int, bytes]]:
        held, offset = b"", 0
        for chunk in chunks:
            held += chunk
            start = 0
            for match in between.finditer(held):
                yield offset + start, held[start : match.start()]
                start = match.end()
            offset, held = offset + start, held[start:]
            if len(held) > LONGEST_ITEM:
                self._note(offset, f"item is longer than {LONGEST_ITEM} bytes; passed over")
                offset, held = offset + len(held), b""
        if held.strip():
            yield offset, held

    def _note(self, offset: int, message: str) -> None:
        if len(self.findings) < _MOST_FINDINGS:
            self.findings.append(Finding("timemap-item", self._source, offset, message))


def _opening(feed: Iterator[bytes]) -> bytes:
    start = b""
    while len(start.lstrip()) < 9 and (chunk := next(feed, None)) is not None:
        start += chunk
    return start


def _with(start: bytes, feed: Iterator[bytes]) -> Iterator[bytes]:
    yield start
    yield from feed


def _iso(text: str) -> Moment | None:
    try:
        return Moment.parse(text)
    except UsageError:
        return None


def _shown(data: bytes) -> str:
    return " ".join(data[:160].decode("utf-8", "replace").split())
