"""What became of URLs in a capture, and how it came upon them: out of the archive, or where the capture is under way on
many machines, out of its database.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.api.cluster_captures import check_cluster_driver
from webkeep.crawl.run import fate_trail, fates_of, job_of
from webkeep.model import Capture, Fate, UrlOutcome
from webkeep.store.archive import Archive
from webkeep.store.jobs import SqliteUrlStore


def read_fates(archive: Archive, capture: Capture) -> Iterator[Fate]:
    """What became of every URL of a capture; of one that is not finished, what has become of it so far."""
    address = _database_of(archive, capture)
    if address:
        from webkeep.cluster import open_cluster_fates

        with open_cluster_fates(address, capture.id) as under_way:
            if under_way is not None:
                yield from under_way.fates()
                return
    yield from fates_of(archive, capture.id)


def read_trail(archive: Archive, capture: Capture, url: str) -> list[Fate]:
    """The fate of a URL, then of the one that led to it, and so on to a seed; of one that is under way, so far."""
    job, address = job_of(archive, capture), _database_of(archive, capture)
    if address:
        from webkeep.cluster import open_cluster_fates

        with open_cluster_fates(address, capture.id) as under_way:
            if under_way is not None:
                return under_way.trail(url)
    if capture.finished is None and job.url_store_path.exists():
        with SqliteUrlStore(job.url_store_path) as local:
            return local.trail(url)
    return fate_trail(archive, capture.id, url) or _observed_trail(archive, capture.id, url)


def _database_of(archive: Archive, capture: Capture) -> str:
    """The address of the database that has what is known of a capture; empty where none does."""
    address = job_of(archive, capture).read_database() if capture.finished is None else ""
    if address:
        check_cluster_driver(address)
    return address


def _observed_trail(archive: Archive, capture: str, url: str) -> list[Fate]:
    """What can be told where no fates were kept: that it is there, and what led to it."""
    for observation in archive.history(url):
        if observation.capture == capture and observation.url == url:
            return [Fate(url, UrlOutcome.STORED, "", observation.via)]
    return []
