"""Accounts of captures: what became of their URLs and how hosts were treated, finished or under way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.crawl.jobs import job_of
from webkeep.model import Capture, Fate, Outcome
from webkeep.store.archive import Archive
from webkeep.store.job import JobBook

POLITENESS_FACT = "politeness"
"""The name under which a capture keeps how each host was treated."""

_HOST = "host "
_LEDGER = "ledger"


def fates_of(archive: Archive, capture_id: str) -> Iterator[Fate]:
    """What became of every URL of a capture; of one that is not finished, what has become of it so far."""
    capture = archive.capture(capture_id)
    book = job_of(archive, capture).book
    if not book.exists():
        yield from (fate for _, fate in archive.catalog.ledger.fates(capture_id))
        if capture.finished is None:
            yield from _stored(archive, capture_id)
        return
    with JobBook(book) as under_way:
        yield from under_way.fates()


def _stored(archive: Archive, capture_id: str) -> Iterator[Fate]:
    """What is there of a capture that has not yet kept its fate: a recording that runs, or was killed."""
    known: set[int] = set()
    for seen in archive.observations(capture_id, resolve=False):
        if seen.url.startswith("urn:") or hash(seen.url) in known:
            continue
        known.add(hash(seen.url))
        if archive.catalog.ledger.fate(capture_id, seen.url) is None:
            yield Fate(seen.url, Outcome.STORED, "", seen.via)


def treatment_of(archive: Archive, capture: Capture) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """How a capture treated each host, by what `HostLedger` tells."""
    text = capture.facts.get(POLITENESS_FACT)
    if text:
        yield from json.loads(text).items()
        return
    book = job_of(archive, capture).book
    if book.exists():
        with JobBook(book) as under_way:
            for name, kept in under_way.kept_beginning(_HOST):
                yield name.removeprefix(_HOST), json.loads(kept)[_LEDGER]
