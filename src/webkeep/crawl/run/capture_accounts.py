"""Accounts of captures (the crawl log), finished or under way: what became of their URLs, how politely hosts were
treated, and from where that is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.crawl.run.capture_job import job_of
from webkeep.model import Capture, Fate, UrlOutcome
from webkeep.store.archive import Archive
from webkeep.store.jobs import SqliteUrlStore

POLITENESS_FACT = "politeness"
"""The name under which a capture keeps how each host was treated."""

_HOST_PREFIX = "host "
"""How the names begin under which a job keeps its hosts."""
_LEDGER_KEY = "ledger"


def fates_of(archive: Archive, capture_id: str) -> Iterator[Fate]:
    """What became of every URL of a capture; of one that is not finished, what has become of it so far."""
    capture = archive.capture(capture_id)
    book = job_of(archive, capture).url_store_path
    if not book.exists():
        yield from (fate for _, fate in archive.catalog.log.fates(capture_id))
        if capture.finished is None:
            yield from _stored_fates(archive, capture_id)
        return
    with SqliteUrlStore(book) as under_way:
        yield from under_way.fates()


def _stored_fates(archive: Archive, capture_id: str) -> Iterator[Fate]:
    """What is there of a capture that has not yet kept its fate: a recording that runs, or was killed."""
    known: set[int] = set()
    for seen in archive.observations(capture_id, resolve=False):
        if seen.url.startswith("urn:") or hash(seen.url) in known:
            continue
        known.add(hash(seen.url))
        if archive.catalog.log.fate(capture_id, seen.url) is None:
            yield Fate(seen.url, UrlOutcome.STORED, "", seen.via)


def host_ledgers_of(archive: Archive, capture: Capture) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """How a capture treated each host, by what `HostLedger` tells."""
    text = capture.facts.get(POLITENESS_FACT)
    if text:
        yield from json.loads(text).items()
        return
    book = job_of(archive, capture).url_store_path
    if book.exists():
        with SqliteUrlStore(book) as under_way:
            for name, kept in under_way.load_texts(_HOST_PREFIX):
                yield name.removeprefix(_HOST_PREFIX), json.loads(kept)[_LEDGER_KEY]
