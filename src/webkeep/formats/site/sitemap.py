"""Sitemaps and indexes of sitemaps: pages with what is said of them (lastmod, changefreq, priority, images, videos,
other languages), as XML or as plain lines of URLs, and by what they are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats.site.xml_events import XmlEnd, XmlStart, XmlText, local_name, read_xml_events
from webkeep.model import ChangeFrequency, Moment, SitemapEntry, SitemapMedia

_ENTRY_ELEMENTS = {"url", "sitemap"}
_MEDIA_ELEMENTS = {"content_loc", "player_loc", "thumbnail_loc", "gallery_loc"}
_VALUE_ELEMENTS = {"loc", "lastmod", "changefreq", "priority", *_MEDIA_ELEMENTS}
_FREQUENCIES = frozenset(each.value for each in ChangeFrequency)
_MAX_VALUE_CHARS = 64 * 1024
"""Of one element's text; what follows is passed over."""
_URL_LINE = re.compile(r"(?:https?|ftp)://\S+", re.IGNORECASE)
_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex)[\s>]")


def is_xml_sitemap(start: str) -> bool:
    """Whether a text that begins so is a sitemap or an index of sitemaps."""
    return _ROOT.search(start) is not None


def is_text_sitemap(start: str) -> bool:
    """Whether a text that begins so is nothing but URLs, one a line; the last line may be cut."""
    lines = [line.strip() for line in start.splitlines()]
    filled = [line for line in lines if line]
    return bool(filled) and all(_URL_LINE.fullmatch(line) for line in filled)


def read_text_sitemap(text: str) -> Iterator[SitemapEntry]:
    """The pages of a sitemap of plain lines."""
    return (SitemapEntry(match[0]) for match in _URL_LINE.finditer(text))


def read_xml_sitemap(text: str) -> Iterator[SitemapEntry]:
    """The entries of an XML sitemap or sitemap index, in their order; broken ones are passed over."""
    draft = _EntryDraft()
    for event in read_xml_events(text):
        match event:
            case XmlStart(name, attributes):
                draft.open_element(name, attributes)
            case XmlText(words):
                draft.add_text(words)
            case XmlEnd(name):
                if (entry := draft.close_element(name)) is not None:
                    yield entry
            case _:
                pass


@dataclass(slots=True)
class _EntryDraft:
    """An entry as its elements come in."""

    facts: dict[str, str] = field(default_factory=dict)
    media: list[SitemapMedia] = field(default_factory=list)
    alternates: list[str] = field(default_factory=list)
    _words: list[str] | None = None
    _size: int = 0

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        local = local_name(name)
        if local in _ENTRY_ELEMENTS and ":" not in name:
            self.facts, self.media, self.alternates = {}, [], []
        elif local in _VALUE_ELEMENTS:
            self._words, self._size = [], 0
        elif local == "link" and "href" in attributes:
            self.alternates.append(attributes["href"])

    def add_text(self, words: str) -> None:
        if self._words is not None and self._size < _MAX_VALUE_CHARS:
            self._words.append(words)
            self._size += len(words)

    def close_element(self, name: str) -> SitemapEntry | None:
        """The finished entry at its end, else None."""
        local = local_name(name)
        if local in _ENTRY_ELEMENTS and ":" not in name:
            return self._build_entry(local)
        if self._words is not None and local in _VALUE_ELEMENTS:
            self._add_value(name, local, "".join(self._words).strip())
            self._words = None
        return None

    def _add_value(self, name: str, local: str, value: str) -> None:
        if local in _MEDIA_ELEMENTS or (local == "loc" and name.startswith("image:")):
            self.media.append(SitemapMedia(value, name))
        else:
            self.facts.setdefault(local, value)

    def _build_entry(self, local: str) -> SitemapEntry | None:
        facts = self.facts
        if not facts.get("loc"):
            return None
        return SitemapEntry(
            facts["loc"],
            _parse_lastmod(facts.get("lastmod", "")),
            _parse_changefreq(facts.get("changefreq", "")),
            _parse_priority(facts.get("priority", "")),
            local == "sitemap",
            tuple(self.media),
            tuple(self.alternates),
        )


def _parse_lastmod(text: str) -> Moment | None:
    if not text:
        return None
    try:
        return Moment.parse(text)
    except UsageError:
        return None


def _parse_changefreq(text: str) -> ChangeFrequency | None:
    word = text.lower()
    return ChangeFrequency(word) if word in _FREQUENCIES else None


def _parse_priority(text: str) -> float | None:
    match = re.fullmatch(r"[01](?:\.\d{0,20})?|\.\d{1,20}", text)
    return min(float(match[0]), 1.0) if match else None
