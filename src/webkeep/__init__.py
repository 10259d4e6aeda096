"""webkeep keeps websites: captures them, judges, shows, copies and recovers them."""

# ruff: noqa: A001 - `webkeep.open` reads as it should, and nothing here wants the built-in one
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, overload

from webkeep.version import __version__

if TYPE_CHECKING:
    from webkeep.crawl.capture import Captured
    from webkeep.errors import WebkeepError
    from webkeep.model import BytesBody, Capture, Exchange, Moment, Observation
    from webkeep.store.archive import Archive
    from webkeep.store.writable import WritableArchive
    from webkeep.url import Match

__all__ = [
    "Archive",
    "BytesBody",
    "Capture",
    "Captured",
    "Exchange",
    "Match",
    "Moment",
    "Observation",
    "WebkeepError",
    "WritableArchive",
    "__version__",
    "capture",
    "open",
]

_HOMES = {
    "Archive": "webkeep.store.archive",
    "BytesBody": "webkeep.model",
    "Capture": "webkeep.model",
    "Captured": "webkeep.crawl.capture",
    "Exchange": "webkeep.model",
    "Match": "webkeep.url",
    "Moment": "webkeep.model",
    "Observation": "webkeep.model",
    "WebkeepError": "webkeep.errors",
    "WritableArchive": "webkeep.store.writable",
}


@overload
def open(path: str | os.PathLike[str], write: Literal[False] = False, create: Literal[False] = False) -> Archive: ...


@overload
def open(path: str | os.PathLike[str], write: bool = False, *, create: Literal[True]) -> WritableArchive: ...


@overload
def open(path: str | os.PathLike[str], write: Literal[True], create: bool = False) -> WritableArchive: ...


def open(path: str | os.PathLike[str], write: bool = False, create: bool = False) -> Archive | WritableArchive:
    """Open an archive: to read, to write as well, or (`create`) to write where there may be none yet."""
    from pathlib import Path

    from webkeep.store.archive import Archive
    from webkeep.store.writable import WritableArchive

    if create:
        return WritableArchive.open_or_create(Path(path))
    return WritableArchive(Path(path)) if write else Archive(Path(path))


def capture(*seeds: str, into: str | os.PathLike[str], **options: object) -> Captured:
    """Capture sites into an archive, or go on with a capture of the same plan that was stopped.

    The options are those of a plan file, with underscores: `scope="host"`, `delay=2`, `exclude=["*.zip"]`.
    """
    from pathlib import Path

    from webkeep.crawl.capture import capture
    from webkeep.crawl.plan_values import plan_of
    from webkeep.crawl.watching import Nobody
    from webkeep.quality import keep_certificate
    from webkeep.store.writable import WritableArchive

    plan = plan_of({**options, "seeds": list(seeds)})
    with WritableArchive.open_or_create(Path(into)) as archive:
        return capture(plan, archive, Nobody(), certify=keep_certificate)


def __getattr__(name: str) -> object:
    """Fetch a name when it is first asked for, so that `import webkeep` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'webkeep' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
