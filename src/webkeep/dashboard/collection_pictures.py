"""The pictures of collections: one page of each out of its archives, chosen by whoever curates it or by itself.

A picture is taken once and lies in the service's folder; a browser is started for one at a time, and for a collection
that nobody chose a page for no more often than once an hour, whoever looks at its page.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError, WebkeepError
from webkeep.process import write_atomically
from webkeep.service.collections import CollectionFacts, CollectionSeed
from webkeep.service.run import Service
from webkeep.store.folder import is_archive
from webkeep.url import parse_seed

_LOG = logging.getLogger(__name__)
_RETRY_SECONDS = 3600.0
"""So long after a picture could not be taken by itself nobody's visit has it tried again."""
_TRIED_SEEDS = 5
"""Seeds of which a picture is tried where nobody chose one."""

_LOOKED_AT_SEEDS = 200
"""Among which those are looked for."""


@dataclass(frozen=True, slots=True)
class PictureCandidate:
    """A page that a picture may be of."""

    url: str
    archive: Path


def picture_path(service: Service, name: str) -> Path:
    """Where the picture of a collection lies, if it was taken."""
    return service.folder.root / "pictures" / f"{name}.png"


class CollectionPictures:
    """Takes and keeps the pictures of collections."""

    def __init__(self) -> None:
        self._taking = ThreadPoolExecutor(1, "webkeep-pictures")
        self._tried: dict[str, float] = {}
        self._lock = threading.Lock()

    def find(self, service: Service, facts: CollectionFacts) -> Path | None:
        """The picture of a collection; where there is none, one is taken meanwhile, and is there next time."""
        path = picture_path(service, facts.name)
        if path.exists():
            return path
        now = time.monotonic()
        with self._lock:
            is_due = now - self._tried.get(facts.name, -_RETRY_SECONDS) >= _RETRY_SECONDS
            if is_due:
                self._tried[facts.name] = now
        if is_due:
            self._taking.submit(self._take_quietly, service, facts)
        return None

    def take(self, service: Service, facts: CollectionFacts) -> Path:
        """Take the picture of a collection now; refused in one line where no page of it can be pictured."""
        return self._taking.submit(self._take, service, facts).result()

    def _take_quietly(self, service: Service, facts: CollectionFacts) -> None:
        try:
            self._take(service, facts)
        except (WebkeepError, OSError) as error:
            _LOG.info("no picture of %s: %s", facts.name, error)

    def _take(self, service: Service, facts: CollectionFacts) -> Path:
        from webkeep.api.fidelity import picture_archived_page  # it loads all that replay and Chromium take

        trouble: UsageError | None = None
        path = picture_path(service, facts.name)
        for candidate in _list_candidates(service, facts):
            try:
                picture, _ = picture_archived_page(candidate.archive, candidate.url, service.clock.now())
            except UsageError as error:
                trouble = error
                continue
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_atomically(path, picture)
            return path
        raise trouble or UsageError(f"nothing of {facts.name} was captured yet; capture it, and take the picture then")


def _list_candidates(service: Service, facts: CollectionFacts) -> list[PictureCandidate]:
    """The page that was chosen, in every archive that may hold it; else the first seeds that were captured."""
    if facts.picture:
        folder = service.folder.collection(facts.name)
        archives = sorted(each for each in folder.glob("archive-*") if is_archive(each))
        return [PictureCandidate(parse_seed(facts.picture), each) for each in archives]
    seeds, _ = service.collections.search_seeds(facts.name, limit=_LOOKED_AT_SEEDS)
    captured = service.jobs.latest_captures_of([seed.id for seed in seeds])
    held = [seed for seed in seeds if seed.id in captured][:_TRIED_SEEDS]
    found = [PictureCandidate(seed.url, _archive_of(service, seed)) for seed in held]
    return [each for each in found if is_archive(each.archive)]


def _archive_of(service: Service, seed: CollectionSeed) -> Path:
    return service.folder.archive(seed.collection, seed.archive)
