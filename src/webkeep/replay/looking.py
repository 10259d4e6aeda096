"""Looking things up for a reader: under the access rules, past redirections that lead nowhere, and by likeness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product

from webkeep.memento import Neighbours
from webkeep.model import Clock, Moment
from webkeep.redaction import Redactor
from webkeep.replay.access import Access
from webkeep.replay.collection import Collection, Found, Wish, around_in
from webkeep.replay.likeness import Likeness, is_same, like_keys, likeness
from webkeep.store.index import Span
from webkeep.store.versions import method_of
from webkeep.url import surt

_MOST_VERSIONS = 20_000
_MOST_ALIKE = 2_000
_REDACTOR = Redactor()
_ANSWERING = {"GET": ("GET",), "HEAD": ("GET", "HEAD"), "POST": ("POST",)}
"""By which requests an answer may have been had that is shown to a request."""


@dataclass(frozen=True, slots=True)
class Alike:
    """What was found in place of a URL that is not held, and the callback it was captured with."""

    found: Found
    callback: str = ""


@dataclass(frozen=True, slots=True)
class Looker:
    """Finds what may be shown."""

    collection: Collection
    access: Access
    clock: Clock

    def shows(self, found: Found) -> bool:
        """Whether the rules let it be seen."""
        if not self.access.rules:
            return True
        return self.access.shows(found.entry.key, found.entry.moment, self.clock.now())

    def nearest(self, wish: Wish) -> Found | None:
        """The nearest version that may be seen."""
        found = self.collection.nearest(wish)
        if found is None or (self.shows(found) and self.answers(found, wish)):
            return found
        versions = (each for each in self.visible(surt(wish.url)) if self.answers(each, wish))
        return self._closest(wish, islice(versions, _MOST_VERSIONS))

    def answers(self, found: Found, wish: Wish) -> bool:
        """Whether a version is the answer to such a request; what was sent with one is part of how it is filed."""
        if wish.post or (found.known is not None and wish.method == "GET"):  # then nothing else was looked for
            return True
        method = method_of(found.archive.catalog, found.entry.place)
        return method in _ANSWERING.get(wish.method, (wish.method,))

    def is_hidden(self, wish: Wish) -> bool:
        """Whether there is something, and the rules do not let it be seen."""
        return bool(self.access.rules) and self.collection.nearest(wish) is not None

    def around(self, found: Found) -> Neighbours:
        """A version among all that are filed with it and may be seen."""
        if not self.access.rules:
            return self.collection.around(found)
        visible = islice(self.mementos(found.entry.key), _MOST_VERSIONS)
        return around_in(found.entry, [each.entry for each in visible])

    def content(self, wish: Wish) -> Found | None:
        """The nearest version that is no redirection."""
        versions = islice(self.visible(surt(wish.url)), _MOST_VERSIONS)
        return self._closest(wish, (each for each in versions if (each.meant.status or 200) // 100 != 3))

    def visible(self, key: str, since: Moment | None = None) -> Iterator[Found]:
        """All versions of a key that may be seen, in order of time, whatever method they answer."""
        return self._shown(self.collection.versions(key, since))

    def mementos(self, key: str, since: Moment | None = None) -> Iterator[Found]:
        """Those of them that were had by GET."""
        return self._shown(self.collection.mementos(key, since))

    def _shown(self, versions: Iterator[Found]) -> Iterator[Found]:
        return versions if not self.access.rules else (each for each in versions if self.shows(each))

    def alike(self, wish: Wish) -> Alike | None:
        """The nearest version of a URL that differs only in cache-busters, the name of a callback, or secrets."""
        wanted, sent = likeness(wish.url), likeness(f"?{wish.post}").wanted
        named, _ = _REDACTOR.redact_url(wish.url)
        places = dict.fromkeys(like_keys(url) for url in (wish.url, named))
        entries = islice(self._filed_near(wish, places), _MOST_ALIKE)
        same: list[tuple[Found, Likeness]] = []
        for found in entries:
            seen = likeness(found.entry.url)
            is_alike = seen.before == wanted.before and is_same(seen.wanted, wanted.wanted)
            if not (is_alike or found.entry.url == named) or not is_same(likeness(f"?{found.entry.post}").wanted, sent):
                continue
            if self.shows(found) and self.answers(found, wish):
                same.append((found, seen))
        if not same:
            return None
        found, seen = min(same, key=lambda each: abs(each[0].entry.moment.micros - wish.moment.micros))
        return Alike(found, seen.callback)

    def _filed_near(self, wish: Wish, places: Iterable[tuple[str, str]]) -> Iterator[Found]:
        spans = [Span(low, high) for low, high in places]
        for archive, span in product(self.collection.archives, spans):
            for entry in archive.index.entries(span):
                if entry.record_type != "metadata" and bool(entry.post) == bool(wish.post):
                    yield Found(archive, entry)

    def _closest(self, wish: Wish, versions: Iterable[Found]) -> Found | None:
        """The nearest version, one of exactly the URL before its likes."""

        def distance(found: Found) -> tuple[bool, int]:
            return found.entry.url != wish.url, abs(found.entry.moment.micros - wish.moment.micros)

        return min(versions, key=distance, default=None)
