"""Recalling a recovery from its archive alone: the book is a cache, and the records of provenance are the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator

from webkeep.model import Observation
from webkeep.recover.book import Book, Entry, State, Taken
from webkeep.recover.gathering import priority_of
from webkeep.recover.plan import Plan
from webkeep.recover.provenance import LARGEST_NOTE, MEDIA_TYPE, Other, Provenance, read_provenance
from webkeep.recover.repository import Held
from webkeep.store.archive import Archive
from webkeep.url import normal


def recall(archive: Archive, book: Book, plan: Plan) -> int:
    """Enter what an archive holds of earlier recoveries of the site; the answer is how many versions that were."""
    count = 0
    for told in _provenances(archive):
        url = normal(told.url) or told.url
        seen = archive.lookup(told.url, told.moment)
        if seen is None or (seen.url, seen.moment) != (told.url, told.moment) or plan.identity.key(url) != told.key:
            continue
        _enter(book, told, seen)
        count += 1
    return count


def _provenances(archive: Archive) -> Iterator[Provenance]:
    for entry in archive.entries():
        if entry.record_type == "metadata" and entry.media_type == MEDIA_TYPE:
            told = read_provenance(b"".join(archive.read(entry).content(LARGEST_NOTE)))
            if told is not None:
                yield told


def _enter(book: Book, told: Provenance, seen: Observation) -> None:
    priority = priority_of(told.url)
    if told.is_current:
        book.enter([Entry(told.key, told.url, priority)])
    held = Held(told.repository, told.url, told.moment, told.uri, seen.status, seen.media_type, seen.payload_digest)
    rows = [(told.key, priority, held), *((told.key, priority, _held(told, other)) for other in told.others)]
    book.add_held(rows, State.LISTED)
    resource = book.resource(told.key)
    if resource is not None:
        number = book.find_held(resource.id, held)
        book.mark(number, Taken.STORED, facts=_facts(told, seen))
        book.settle(resource.id, State.RECOVERED, number)


def _held(told: Provenance, other: Other) -> Held:
    return Held(other.repository, told.url, other.moment, other.uri)


def _facts(told: Provenance, seen: Observation) -> str:
    facts = {
        "fidelity": told.fidelity,
        "truncated": told.truncated,
        "url": told.url,
        "moment": told.moment.micros,
        "retrieved": told.retrieved.micros,
        "bytes": seen.size,
        "status": seen.status,
    }
    return json.dumps(facts, separators=(",", ":"))
