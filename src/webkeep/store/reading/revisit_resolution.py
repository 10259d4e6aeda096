"""Revisits and what they refer to, by digest, by URL and moment, or as "not modified" (304): the one place that knows
what a revisit has of another record.

Theory of operation. Rows of index and catalog say what each record says by itself, so that a rebuild gives the same
rows in whichever order files come and go. What a revisit refers to is looked up when it is asked for:

- The payload lies in the record that the payload's digest is filed under; where there is none, in the record at the URL
  and moment that the revisit names, through revisits of revisits; where it names none and its server said that nothing
  was modified, in the last answer of its URL whose validators do not contradict.
- The head is its own where one came with the payload. With "not modified" none did: status, type and head are those of
  the last answer of the same URL that had this payload, which may itself be a revisit of another URL's payload.
- Archives that are shown as one look into each other: the payload of a revisit that came with a head of its own may
  lie in one beside.

What is not held stays as its record says it, and `Observation.original` is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from webkeep.errors import StorageError, UsageError
from webkeep.formats.status import NOT_MODIFIED, is_successful
from webkeep.formats.warc import NOT_MODIFIED_PROFILE, WarcRecord
from webkeep.model import Digest, Moment, Observation, RecordPlace, RecordType
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.observations import ResponseFacts
from webkeep.store.index.payloads import canonical_digest
from webkeep.store.index.record_facts import HOLDER_FIELD, content_digest_of
from webkeep.store.index.url_index import IndexEntry, UrlIndex
from webkeep.store.reading.stored_response import StoredResponse, WarcFiles, read_stored_response
from webkeep.url import surt

_REVISIT = RecordType.REVISIT

_NOT_MODIFIED_NAME = NOT_MODIFIED_PROFILE.rpartition("/")[2]
_MAX_REVISIT_CHAIN_RECORDS = 8
"""Revisits of revisits that are followed: a file from elsewhere may have them in a circle."""
_SAME_MOMENT_SECONDS = 1
"""Other tools note moments to the second; anything further away is another version."""


def is_not_modified_revisit(revisit: WarcRecord) -> bool:
    """Whether a server said that nothing changed, by whichever version of WARC it was written down."""
    return revisit.get("warc-profile").rstrip("/").endswith(_NOT_MODIFIED_NAME)


def refers_to_capture(revisit: WarcRecord) -> tuple[str, Moment] | None:
    """The URL and the moment of the record a revisit refers to; None where it does not say."""
    url, date = revisit.get("warc-refers-to-target-uri").strip("<>"), revisit.get("warc-refers-to-date")
    try:
        return (url, Moment.parse(date)) if url and date else None
    except UsageError:
        return None


def merge_revisit(
    revisit: WarcRecord, own: StoredResponse, stored: StoredResponse, original: StoredResponse
) -> StoredResponse:
    """A revisit with the payload of the record it refers to, and with the head of `stored` where none came with it."""
    if is_not_modified_revisit(revisit) or not (own.raw_head or (own.head is None and own.media_type)):
        return StoredResponse(own.url, stored.head, stored.raw_head, original.body, stored.media_type)
    return StoredResponse(own.url, own.head, own.raw_head, original.body, own.media_type)


class _FullResponse(NamedTuple):
    """The answer that the "not modified" of a URL was last found to be about, and up to when that was looked."""

    url: str
    digest: str
    until: Moment
    place: RecordPlace


class RevisitResolver:
    """Finds what revisits refer to in one archive."""

    def __init__(self, index: UrlIndex, catalog: Catalog, files: WarcFiles) -> None:
        self._index = index
        self._catalog = catalog
        self._files = files
        self._beside: tuple[RevisitResolver, ...] = ()
        self._facts_at, self._facts_of_payload = catalog.observations.facts_at, catalog.observations.payload_facts

    def look_beside(self, others: Iterable[RevisitResolver]) -> None:
        """Find payloads in these archives too, where this one does not hold them."""
        self._beside = tuple(each for each in others if each is not self)

    # ---- observations and entries ----

    def resolve(self, observation: Observation) -> Observation:
        """An observation; a revisit with status, type and size of what it refers to."""
        return self._resolve_after(observation, None)[0] if _needs_resolution(observation) else observation

    def resolve_all(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Many observations; those of a URL that come one after the other, by time, cost little each."""
        known: _FullResponse | None = None
        for observation in observations:
            if _needs_resolution(observation):
                found, known = self._resolve_after(observation, known)
                yield found
            else:
                yield observation

    def resolve_entry(self, entry: IndexEntry) -> IndexEntry:
        """An entry of the index; a revisit with status, type and digest of what it refers to."""
        if entry.record_type != _REVISIT and entry.status != NOT_MODIFIED:
            return entry
        seen = self._catalog.observations.find_at(entry.place.file, entry.place.offset)
        found = self.resolve(seen) if seen is not None else None
        if found is None or found.original is None:
            return entry
        digest = str(found.payload_digest) if found.not_modified and found.payload_digest else entry.digest
        return replace(entry, status=found.status, media_type=found.media_type, digest=digest)

    def _resolve_after(
        self, revisit: Observation, known: _FullResponse | None
    ) -> tuple[Observation, _FullResponse | None]:
        original = self._payload_facts(revisit) or self._facts_beside(revisit)
        if original is None:
            return replace(revisit, not_modified=revisit.status == NOT_MODIFIED), known
        if revisit.status != NOT_MODIFIED and (revisit.status is not None or revisit.media_type):
            return replace(revisit, size=original.size, original=original.place), known
        known = self._last_full_response(revisit.url, revisit.moment, original, known)
        is_elsewhere = known is not None and known.place != original.place
        answer = self._facts_at(known.place) if known is not None and is_elsewhere else None
        return _with_response_facts(revisit, answer or original, original), known

    def _payload_facts(self, revisit: Observation) -> ResponseFacts | None:
        """What the record says that holds the payload of a revisit."""
        digest = revisit.payload_digest
        found = self._facts_of_payload(str(digest)) if digest is not None else None
        if found is not None:
            return found
        if revisit.record_type == _REVISIT:
            _, record = read_stored_response(self._files, revisit.place)
            place = self._find_original(record, revisit.place)
        else:
            place = self._content_before(revisit.url, revisit.moment, revisit.etag)
        return self._facts_at(place) if place is not None else None

    def _facts_beside(self, revisit: Observation) -> ResponseFacts | None:
        """What the record of another archive says that holds the payload of a revisit; None for what has no head."""
        if revisit.payload_digest is None or revisit.status is None or revisit.status == NOT_MODIFIED:
            return None
        digest = canonical_digest(str(revisit.payload_digest))
        return next(filter(None, (each._facts_of_payload(digest) for each in self._beside)), None)

    def _read_beside(self, revisit: WarcRecord) -> StoredResponse | None:
        """What the record of another archive holds that has the payload of a revisit."""
        digest = revisit.get("warc-payload-digest")
        if not digest or is_not_modified_revisit(revisit):
            return None
        for other in self._beside:
            payload = other._catalog.payloads.get(digest)
            if payload is not None:
                return read_stored_response(other._files, payload.place)[0]
        return None

    # ---- records ----

    def resolve_record(self, revisit: WarcRecord, own: StoredResponse, place: RecordPlace) -> StoredResponse:
        """What the revisit at a place holds, given what its record does."""
        if revisit.type != _REVISIT:
            return self._response_before(revisit, own)
        where = self._find_original(revisit, place)
        if where is None:
            beside = self._read_beside(revisit)
            if beside is None:
                raise _not_held_error(revisit, place)
            return merge_revisit(revisit, own, beside, beside)
        original, _ = read_stored_response(self._files, where)
        return merge_revisit(revisit, own, self.head_response(revisit, where, original), original)

    def head_response(self, revisit: WarcRecord, where: RecordPlace, original: StoredResponse) -> StoredResponse:
        """What came with the head that a revisit without one stands for; its payload lies in the record at `where`."""
        place = self.head_place(revisit, where)
        return original if place == where else read_stored_response(self._files, place)[0]

    def head_place(self, revisit: WarcRecord, where: RecordPlace) -> RecordPlace:
        """Where the record lies whose head a revisit without one stands for, given where its payload does."""
        moment, holder = revisit.moment, self._facts_at(where)
        if moment is None or holder is None:
            return where
        whole = self._last_full_response(revisit.url, moment, holder, None)
        return where if whole is None else whole.place

    def original_place(self, revisit: WarcRecord, place: RecordPlace) -> RecordPlace:
        """Where the payload of the revisit at a place lies; a `StorageError` where it is not held."""
        found = self._find_original(revisit, place)
        if found is None:
            raise _not_held_error(revisit, place)
        return found

    def _find_original(self, revisit: WarcRecord, place: RecordPlace) -> RecordPlace | None:
        digest = revisit.get("warc-payload-digest")
        payload = self._catalog.payloads.get(digest) if digest else None
        found = payload.place if payload is not None else self._named_original(revisit, place)
        return found if found != place else None

    def _named_original(self, revisit: WarcRecord, place: RecordPlace) -> RecordPlace | None:
        """The record with a payload at the URL and moment a revisit names, through revisits of revisits."""
        for _ in range(_MAX_REVISIT_CHAIN_RECORDS):
            named = refers_to_capture(revisit)
            if named is None:
                return self._original_before(revisit, place)
            entry = self._index.nearest(surt(named[0]), *named)
            if entry is None or abs(entry.moment.seconds_since(named[1])) >= _SAME_MOMENT_SECONDS:
                return None
            if (holder := self._payload_place(entry)) is not None:
                return holder
            place = entry.place
            _, revisit = read_stored_response(self._files, place)
        return None

    def _original_before(self, revisit: WarcRecord, place: RecordPlace) -> RecordPlace | None:
        own, moment = self._facts_at(place), revisit.moment
        if own is None or moment is None or not is_not_modified_revisit(revisit):
            return None
        return self._content_before(revisit.url, moment, own.etag)

    def _response_before(self, record: WarcRecord, own: StoredResponse) -> StoredResponse:
        """What an answer holds that is no revisit and says that nothing was modified; itself where nothing is known."""
        moment, tag = record.moment, own.head.headers.get("etag") if own.head is not None else ""
        where = self._content_before(record.url, moment, tag) if moment is not None else None
        if where is None:
            return own
        original, _ = read_stored_response(self._files, where)
        stored = self.head_response(record, where, original)
        return StoredResponse(own.url, stored.head, stored.raw_head, original.body, stored.media_type)

    def _content_before(self, url: str, moment: Moment, tag: str) -> RecordPlace | None:
        """What a "not modified" that names nothing is about: the last content of its URL, unless their tags differ."""
        for entry in self._index.responses_before(surt(url), url, moment):
            seen = self._facts_at(entry.place)
            if seen is not None and is_successful(seen.status):
                differs = bool(tag and seen.etag) and tag != seen.etag
                return None if differs else self._payload_place(entry)
        return None

    def _payload_place(self, entry: IndexEntry) -> RecordPlace | None:
        """Where the payload of an entry lies, as far as its digest tells."""
        if entry.record_type != _REVISIT:
            return entry.place
        payload = self._catalog.payloads.get(entry.digest) if entry.digest else None
        return payload.place if payload is not None else None

    def _last_full_response(
        self, url: str, moment: Moment, original: ResponseFacts, known: _FullResponse | None
    ) -> _FullResponse | None:
        """The last answer of a URL before a moment that came with a head and has the payload of `original`."""
        digest = original.payload
        if known is not None and ((known.url, known.digest) != (url, digest) or known.until > moment):
            known = None
        since = known.until if known is not None else None
        place = self._index.last_response(surt(url), url, (digest, canonical_digest(digest)), moment, since)
        if place is not None:
            return _FullResponse(url, digest, moment, place)
        return known._replace(until=moment) if known is not None else None


def _not_held_error(revisit: WarcRecord, place: RecordPlace) -> StorageError:
    holder = revisit.get(HOLDER_FIELD.lower())
    what = f"to a payload in the archive of {holder}; read both together" if holder else "to nothing held here"
    return StorageError(f"{place.file}, byte {place.offset}: a revisit of {revisit.url} refers {what}")


def _needs_resolution(observation: Observation) -> bool:
    """Whether it has what it is from another record; tools that know no revisits store a 304 like any answer."""
    return observation.record_type == _REVISIT or observation.status == NOT_MODIFIED


def _with_response_facts(revisit: Observation, facts: ResponseFacts, original: ResponseFacts) -> Observation:
    """A revisit that came without a head of its own, with what the answer that it is about had."""
    digest = Digest.parse(original.payload)
    return replace(
        revisit,
        status=facts.status,
        media_type=facts.media_type,
        payload_digest=digest,
        content_digest=content_digest_of(original.content, digest),
        size=original.size,
        etag=revisit.etag or facts.etag,
        last_modified=revisit.last_modified or facts.last_modified,
        original=original.place,
        not_modified=revisit.status == NOT_MODIFIED,
    )
