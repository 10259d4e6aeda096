"""Revisits and what they refer to: the one place that knows what a revisit has of another record.

Theory of operation. Rows of index and catalog say what each record says by itself, so that a rebuild gives the same
rows in whichever order files come and go. What a revisit refers to is looked up when it is asked for:

- The payload lies in the record that the payload's digest is filed under; where there is none, in the record at the URL
  and moment that the revisit names, through revisits of revisits; where it names none and its server said that nothing
  was modified, in the last answer of its URL whose validators do not contradict.
- The head is its own where one came with the payload. With "not modified" none did: status, type and head are those of
  the last answer of the same URL that had this payload, which may itself be a revisit of another URL's payload.

What is not held stays as its record says it, and `Observation.original` is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from webkeep.errors import StorageError, UsageError
from webkeep.formats.record import NOT_MODIFIED, Record
from webkeep.model import Digest, Moment, Observation, Place
from webkeep.store.catalog import Catalog
from webkeep.store.entry import Entry
from webkeep.store.index import Index
from webkeep.store.observations import AnswerFacts
from webkeep.store.payload import canonical
from webkeep.store.reading import Holding, WarcFiles, read_holding
from webkeep.store.sight import content_of
from webkeep.url.key import surt

_NOT_MODIFIED = NOT_MODIFIED.rpartition("/")[2]
_UNMODIFIED = 304
_CONTENT = range(200, 300)
_LONGEST_CHAIN = 8
_SAME_MOMENT_SECONDS = 1
"""Other tools note moments to the second; anything further away is another version."""


def is_not_modified(revisit: Record) -> bool:
    """Whether a server said that nothing changed, by whichever version of WARC it was written down."""
    return revisit.get("warc-profile").rstrip("/").endswith(_NOT_MODIFIED)


def named_by(revisit: Record) -> tuple[str, Moment] | None:
    """The URL and the moment of the record a revisit refers to; None where it does not say."""
    url, date = revisit.get("warc-refers-to-target-uri").strip("<>"), revisit.get("warc-refers-to-date")
    try:
        return (url, Moment.parse(date)) if url and date else None
    except UsageError:
        return None


def resolved(revisit: Record, own: Holding, answer: Holding, original: Holding) -> Holding:
    """A revisit with the payload of the record it refers to, and with the head of `answer` where none came with it."""
    if is_not_modified(revisit) or not (own.raw_head or (own.head is None and own.media_type)):
        return Holding(own.url, answer.head, answer.raw_head, original.body, answer.media_type)
    return Holding(own.url, own.head, own.raw_head, original.body, own.media_type)


class _Whole(NamedTuple):
    """The answer that the "not modified" of a URL was last found to be about, and up to when that was looked."""

    url: str
    digest: str
    until: Moment
    place: Place


class RevisitResolver:
    """Finds what revisits refer to in one archive."""

    def __init__(self, index: Index, catalog: Catalog, files: WarcFiles) -> None:
        self._index = index
        self._catalog = catalog
        self._files = files
        self._facts, self._facts_holding = catalog.observations.facts_at, catalog.observations.facts_holding

    # ---- observations and entries ----

    def resolve(self, observation: Observation) -> Observation:
        """An observation; a revisit with status, type and size of what it refers to."""
        return self._resolved(observation, None)[0] if _is_about_another(observation) else observation

    def resolve_all(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Many observations; those of a URL that come one after the other, by time, cost little each."""
        known: _Whole | None = None
        for observation in observations:
            if _is_about_another(observation):
                found, known = self._resolved(observation, known)
                yield found
            else:
                yield observation

    def resolve_entry(self, entry: Entry) -> Entry:
        """An entry of the index; a revisit with status, type and digest of what it refers to."""
        if entry.record_type != "revisit" and entry.status != _UNMODIFIED:
            return entry
        seen = self._catalog.observations.at(entry.place.file, entry.place.offset)
        found = self.resolve(seen) if seen is not None else None
        if found is None or found.original is None:
            return entry
        digest = str(found.payload_digest) if found.not_modified and found.payload_digest else entry.digest
        return replace(entry, status=found.status, media_type=found.media_type, digest=digest)

    def _resolved(self, revisit: Observation, known: _Whole | None) -> tuple[Observation, _Whole | None]:
        original = self._payload_of(revisit)
        if original is None:
            return replace(revisit, not_modified=revisit.status == _UNMODIFIED), known
        if revisit.status != _UNMODIFIED and (revisit.status is not None or revisit.media_type):
            return replace(revisit, size=original.size, original=original.place), known
        known = self._whole_answer(revisit.url, revisit.moment, original, known)
        is_elsewhere = known is not None and known.place != original.place
        answer = self._facts(known.place) if known is not None and is_elsewhere else None
        return _as_answered(revisit, answer or original, original), known

    def _payload_of(self, revisit: Observation) -> AnswerFacts | None:
        """What the record says that holds the payload of a revisit."""
        digest = revisit.payload_digest
        found = self._facts_holding(str(digest)) if digest is not None else None
        if found is not None:
            return found
        if revisit.record_type == "revisit":
            _, record = read_holding(self._files, revisit.place)
            place = self._original(record, revisit.place)
        else:
            place = self._content_before(revisit.url, revisit.moment, revisit.etag)
        return self._facts(place) if place is not None else None

    # ---- records ----

    def holding(self, revisit: Record, own: Holding, place: Place) -> Holding:
        """What the revisit at a place holds, given what its record does."""
        if revisit.type != "revisit":
            return self._holding_before(revisit, own)
        where = self.original(revisit, place)
        original, _ = read_holding(self._files, where)
        return resolved(revisit, own, self.answer(revisit, where, original), original)

    def answer(self, revisit: Record, where: Place, original: Holding) -> Holding:
        """What came with the head that a revisit without one stands for; its payload lies in the record at `where`."""
        place = self.answer_place(revisit, where)
        return original if place == where else read_holding(self._files, place)[0]

    def answer_place(self, revisit: Record, where: Place) -> Place:
        """Where the record lies whose head a revisit without one stands for, given where its payload does."""
        moment, holder = revisit.moment, self._facts(where)
        if moment is None or holder is None:
            return where
        whole = self._whole_answer(revisit.url, moment, holder, None)
        return where if whole is None else whole.place

    def original(self, revisit: Record, place: Place) -> Place:
        """Where the payload of the revisit at a place lies; a `StorageError` where it is not held."""
        found = self._original(revisit, place)
        if found is None:
            raise StorageError(
                f"{place.file}, byte {place.offset}: a revisit of {revisit.url} refers to nothing held here"
            )
        return found

    def _original(self, revisit: Record, place: Place) -> Place | None:
        digest = revisit.get("warc-payload-digest")
        payload = self._catalog.payloads.get(digest) if digest else None
        found = payload.place if payload is not None else self._named_original(revisit, place)
        return found if found != place else None

    def _named_original(self, revisit: Record, place: Place) -> Place | None:
        """The record with a payload at the URL and moment a revisit names, through revisits of revisits."""
        for _ in range(_LONGEST_CHAIN):
            named = named_by(revisit)
            if named is None:
                return self._original_before(revisit, place)
            entry = self._index.nearest(surt(named[0]), *named)
            if entry is None or abs(entry.moment.seconds_since(named[1])) >= _SAME_MOMENT_SECONDS:
                return None
            if (holder := self._holder(entry)) is not None:
                return holder
            place = entry.place
            _, revisit = read_holding(self._files, place)
        return None

    def _original_before(self, revisit: Record, place: Place) -> Place | None:
        own, moment = self._facts(place), revisit.moment
        if own is None or moment is None or not is_not_modified(revisit):
            return None
        return self._content_before(revisit.url, moment, own.etag)

    def _holding_before(self, record: Record, own: Holding) -> Holding:
        """What an answer holds that is no revisit and says that nothing was modified; itself where nothing is known."""
        moment, tag = record.moment, own.head.headers.get("etag") if own.head is not None else ""
        where = self._content_before(record.url, moment, tag) if moment is not None else None
        if where is None:
            return own
        original, _ = read_holding(self._files, where)
        answer = self.answer(record, where, original)
        return Holding(own.url, answer.head, answer.raw_head, original.body, answer.media_type)

    def _content_before(self, url: str, moment: Moment, tag: str) -> Place | None:
        """What a "not modified" that names nothing is about: the last content of its URL, unless their tags differ."""
        for entry in self._index.answers_before(surt(url), url, moment):
            seen = self._facts(entry.place)
            if seen is not None and seen.status in _CONTENT:
                differs = bool(tag and seen.etag) and tag != seen.etag
                return None if differs else self._holder(entry)
        return None

    def _holder(self, entry: Entry) -> Place | None:
        """Where the payload of an entry lies, as far as its digest tells."""
        if entry.record_type != "revisit":
            return entry.place
        payload = self._catalog.payloads.get(entry.digest) if entry.digest else None
        return payload.place if payload is not None else None

    def _whole_answer(self, url: str, moment: Moment, original: AnswerFacts, known: _Whole | None) -> _Whole | None:
        """The last answer of a URL before a moment that came with a head and has the payload of `original`."""
        digest = original.payload
        if known is not None and ((known.url, known.digest) != (url, digest) or known.until > moment):
            known = None
        since = known.until if known is not None else None
        place = self._index.last_answer(surt(url), url, (digest, canonical(digest)), moment, since)
        if place is not None:
            return _Whole(url, digest, moment, place)
        return known._replace(until=moment) if known is not None else None


def _is_about_another(observation: Observation) -> bool:
    """Whether it has what it is from another record; tools that know no revisits store a 304 like any answer."""
    return observation.record_type == "revisit" or observation.status == _UNMODIFIED


def _as_answered(revisit: Observation, answer: AnswerFacts, original: AnswerFacts) -> Observation:
    """A revisit that came without a head of its own, with what the answer that it is about had."""
    digest = Digest.parse(original.payload)
    return replace(
        revisit,
        status=answer.status,
        media_type=answer.media_type,
        payload_digest=digest,
        content_digest=content_of(original.content, digest),
        size=original.size,
        etag=revisit.etag or answer.etag,
        last_modified=revisit.last_modified or answer.last_modified,
        original=original.place,
        not_modified=revisit.status == _UNMODIFIED,
    )
