"""Sitemaps: pages and further sitemaps with what is said of them, as XML with its extensions or as plain lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats.xml_events import XmlEnd, XmlStart, XmlText, local_name, xml_events
from webkeep.model import ChangeFrequency, Moment, SitemapEntry, SitemapMedia

_ENTRIES = {"url", "sitemap"}
_MEDIA = {"content_loc", "player_loc", "thumbnail_loc", "gallery_loc"}
_FACTS = {"loc", "lastmod", "changefreq", "priority", *_MEDIA}
_FREQUENCIES = frozenset(each.value for each in ChangeFrequency)
_LONGEST_FACT = 64 * 1024
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


def text_entries(text: str) -> Iterator[SitemapEntry]:
    """The pages of a sitemap of plain lines."""
    return (SitemapEntry(match[0]) for match in _URL_LINE.finditer(text))


def sitemap_entries(text: str) -> Iterator[SitemapEntry]:
    """The entries of an XML sitemap or sitemap index, in their order; broken ones are passed over."""
    draft = _Draft()
    for event in xml_events(text):
        match event:
            case XmlStart(name, attributes):
                draft.open(name, attributes)
            case XmlText(words):
                draft.take(words)
            case XmlEnd(name):
                if (entry := draft.close(name)) is not None:
                    yield entry
            case _:
                pass


@dataclass(slots=True)
class _Draft:
    """An entry as its elements come in."""

    facts: dict[str, str] = field(default_factory=dict)
    media: list[SitemapMedia] = field(default_factory=list)
    alternates: list[str] = field(default_factory=list)
    _words: list[str] | None = None
    _size: int = 0

    def open(self, name: str, attributes: dict[str, str]) -> None:
        local = local_name(name)
        if local in _ENTRIES and ":" not in name:
            self.facts, self.media, self.alternates = {}, [], []
        elif local in _FACTS:
            self._words, self._size = [], 0
        elif local == "link" and "href" in attributes:
            self.alternates.append(attributes["href"])

    def take(self, words: str) -> None:
        if self._words is not None and self._size < _LONGEST_FACT:
            self._words.append(words)
            self._size += len(words)

    def close(self, name: str) -> SitemapEntry | None:
        """The finished entry at its end, else None."""
        local = local_name(name)
        if local in _ENTRIES and ":" not in name:
            return self._entry(local)
        if self._words is not None and local in _FACTS:
            self._keep(name, local, "".join(self._words).strip())
            self._words = None
        return None

    def _keep(self, name: str, local: str, value: str) -> None:
        if local in _MEDIA or (local == "loc" and name.startswith("image:")):
            self.media.append(SitemapMedia(value, name))
        else:
            self.facts.setdefault(local, value)

    def _entry(self, local: str) -> SitemapEntry | None:
        facts = self.facts
        if not facts.get("loc"):
            return None
        return SitemapEntry(
            facts["loc"],
            _moment(facts.get("lastmod", "")),
            _frequency(facts.get("changefreq", "")),
            _priority(facts.get("priority", "")),
            local == "sitemap",
            tuple(self.media),
            tuple(self.alternates),
        )


def _moment(text: str) -> Moment | None:
    if not text:
        return None
    try:
        return Moment.parse(text)
    except UsageError:
        return None


def _frequency(text: str) -> ChangeFrequency | None:
    word = text.lower()
    return ChangeFrequency(word) if word in _FREQUENCIES else None


def _priority(text: str) -> float | None:
    match = re.fullmatch(r"[01](?:\.\d{0,20})?|\.\d{1,20}", text)
    return min(float(match[0]), 1.0) if match else None
