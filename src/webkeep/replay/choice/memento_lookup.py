"""Looking things up for a reader: under the access rules, past redirections that lead nowhere, and by likeness; which
methods answer which request, and how many versions are looked through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product

from webkeep.formats import is_dump_urn
from webkeep.formats.status import is_redirection
from webkeep.memento import MementoNeighbours
from webkeep.model import Clock, Moment, RecordType
from webkeep.redaction import Redactor
from webkeep.replay.choice.access_rules import AccessRules
from webkeep.replay.choice.collection import Collection, Memento, MementoQuery, neighbours_among
from webkeep.replay.choice.fuzzy_match import FuzzyUrl, are_same_parameters, fuzzy_key_range, fuzzy_url
from webkeep.store.index import IndexRange, read_request_method
from webkeep.url import surt

_METADATA = RecordType.METADATA

_MAX_VERSIONS = 20_000
"""Versions of one URL that are looked through under access rules."""
_MAX_FUZZY_CANDIDATES = 2_000
"""Entries below one path that are compared with the URL asked for."""
_REDACTOR = Redactor()
_ANSWERING_METHODS = {"GET": ("GET",), "HEAD": ("GET", "HEAD"), "POST": ("POST",)}
"""By which requests an answer may have been had that is shown to a request."""


@dataclass(frozen=True, slots=True)
class FuzzyMemento:
    """What was found in place of a URL that is not held, and the callback it was captured with."""

    memento: Memento
    callback: str = ""


@dataclass(frozen=True, slots=True)
class MementoLookup:
    """Finds what may be shown."""

    collection: Collection
    access: AccessRules
    clock: Clock

    def is_visible(self, found: Memento) -> bool:
        """Whether the rules let it be seen; the data behind a site never is."""
        if not self.access.rules:
            return not is_dump_urn(found.entry.key)
        return self.access.allows(found.entry.key, found.entry.moment, self.clock.now())

    def nearest(self, query: MementoQuery) -> Memento | None:
        """The nearest version that may be seen."""
        found = self.collection.nearest(query)
        if found is None or (self.is_visible(found) and self.matches_method(found, query)):
            return found
        versions = (each for each in self.visible_versions(surt(query.url)) if self.matches_method(each, query))
        return self._closest(query, islice(versions, _MAX_VERSIONS))

    def matches_method(self, found: Memento, query: MementoQuery) -> bool:
        """Whether a version is the answer to such a request; what was sent with one is part of how it is filed."""
        if query.post or (found.all_entries is not None and query.method == "GET"):  # then nothing else was looked for
            return True
        method = read_request_method(found.archive.catalog, found.entry.place)
        return method in _ANSWERING_METHODS.get(query.method, (query.method,))

    def is_hidden(self, query: MementoQuery) -> bool:
        """Whether there is something, and the rules do not let it be seen."""
        return bool(self.access.rules) and self.collection.nearest(query) is not None

    def neighbours(self, found: Memento) -> MementoNeighbours:
        """A version among all that are filed with it and may be seen."""
        if not self.access.rules:
            return self.collection.neighbours(found)
        visible = islice(self.visible_mementos(found.entry.key), _MAX_VERSIONS)
        return neighbours_among(found.entry, [each.entry for each in visible])

    def nearest_content(self, query: MementoQuery) -> Memento | None:
        """The nearest version that is no redirection."""
        versions = islice(self.visible_versions(surt(query.url)), _MAX_VERSIONS)
        return self._closest(query, (each for each in versions if not is_redirection(each.resolved_entry.status)))

    def visible_versions(self, key: str, since: Moment | None = None) -> Iterator[Memento]:
        """All versions of a key that may be seen, in order of time, whatever method they answer."""
        return self._only_visible(self.collection.versions(key, since))

    def visible_mementos(self, key: str, since: Moment | None = None) -> Iterator[Memento]:
        """Those of them that were had by GET."""
        return self._only_visible(self.collection.mementos(key, since))

    def _only_visible(self, versions: Iterator[Memento]) -> Iterator[Memento]:
        return (each for each in versions if self.is_visible(each))

    def find_fuzzy(self, query: MementoQuery) -> FuzzyMemento | None:
        """The nearest version of a URL that differs only in cache-busters, the name of a callback, or secrets."""
        wanted, sent = fuzzy_url(query.url), fuzzy_url(f"?{query.post}").parameters
        named, _ = _REDACTOR.redact_url(query.url)
        places = dict.fromkeys(fuzzy_key_range(url) for url in (query.url, named))
        entries = islice(self._entries_near(query, places), _MAX_FUZZY_CANDIDATES)
        same: list[tuple[Memento, FuzzyUrl]] = []
        for found in entries:
            seen = fuzzy_url(found.entry.url)
            is_alike = seen.before == wanted.before and are_same_parameters(seen.parameters, wanted.parameters)
            if not (is_alike or found.entry.url == named) or not are_same_parameters(
                fuzzy_url(f"?{found.entry.post}").parameters, sent
            ):
                continue
            if self.is_visible(found) and self.matches_method(found, query):
                same.append((found, seen))
        if not same:
            return None
        found, seen = min(same, key=lambda each: abs(each[0].entry.moment.micros - query.moment.micros))
        return FuzzyMemento(found, seen.callback)

    def _entries_near(self, query: MementoQuery, places: Iterable[tuple[str, str]]) -> Iterator[Memento]:
        spans = [IndexRange(low, high) for low, high in places]
        for archive, span in product(self.collection.archives, spans):
            for entry in archive.index.entries(span):
                if entry.record_type != _METADATA and bool(entry.post) == bool(query.post):
                    yield Memento(archive, entry)

    def _closest(self, query: MementoQuery, versions: Iterable[Memento]) -> Memento | None:
        """The nearest version, one of exactly the URL before its likes."""

        def distance(found: Memento) -> tuple[bool, int]:
            return found.entry.url != query.url, abs(found.entry.moment.micros - query.moment.micros)

        return min(versions, key=distance, default=None)
