"""A collection removed: its archives put aside where they can still be looked at, or deleted for good where somebody
said so in as many words.

What was said of it and its seeds lie beside the archives that were put aside, so that nothing is lost by accident.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.process import write_atomically
from webkeep.service.run.disk_budget import folder_bytes
from webkeep.service.run.service_folder import ServiceFolder
from webkeep.service.store import CollectionStore

_FACTS_NAME = "collection.json"


@dataclass(frozen=True, slots=True)
class RemovedCollection:
    """What became of a collection."""

    name: str
    seeds: int
    jobs: int
    archives: Path | None
    """Where its archives lie now; None where there are none any more."""


def remove_collection(
    folder: ServiceFolder, collections: CollectionStore, name: str, now: Moment, keeps_archives: bool = True
) -> RemovedCollection:
    """Remove a collection with its seeds, schedules, watches and jobs; refused while a job of it runs."""
    facts, seeds = collections.get(name), collections.seeds(name)
    described = {
        **asdict(facts),
        "seeds": [{"url": each.url, "notes": each.notes, "settings": dict(each.settings)} for each in seeds],
    }
    source = folder.collection(name)
    aside = folder.removed / f"{name}-{now.digits()}"

    def put_aside() -> None:
        _put_aside(source, aside, described)

    jobs = collections.remove(name, put_aside)
    for job in jobs:
        folder.workspace(job).remove()
    if not keeps_archives:
        shutil.rmtree(aside)
    return RemovedCollection(name, len(seeds), len(jobs), aside if keeps_archives else None)


def collection_bytes(folder: ServiceFolder, name: str) -> int:
    """What the archives of a collection take."""
    return folder_bytes(folder.collection(name))


def _put_aside(source: Path, aside: Path, described: Mapping[str, object]) -> None:
    try:
        aside.parent.mkdir(mode=0o700, exist_ok=True)
        if source.exists():
            source.rename(aside)
        else:
            aside.mkdir()
        write_atomically(aside / _FACTS_NAME, json.dumps(described, ensure_ascii=False, indent=1, default=str).encode())
    except OSError as error:
        raise StorageError(f"cannot move {source} to {aside} ({error.strerror}); nothing was removed") from error
