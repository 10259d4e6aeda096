"""webkeep keeps websites: captures them, judges, shows, copies and recovers them."""

# ruff: noqa: A001 - `webkeep.open` reads as it should, and nothing here wants the built-in one
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, overload

from webkeep.version import __version__

if TYPE_CHECKING:
    from webkeep.crawl import CaptureResult
    from webkeep.errors import WebkeepError
    from webkeep.model import BytesBody, Capture, Exchange, Moment, Observation
    from webkeep.store.archive import Archive, WritableArchive
    from webkeep.url import UrlMatch

__all__ = [
    "Archive",
    "BytesBody",
    "Capture",
    "CaptureResult",
    "Exchange",
    "Moment",
    "Observation",
    "UrlMatch",
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
    "CaptureResult": "webkeep.crawl",
    "Exchange": "webkeep.model",
    "UrlMatch": "webkeep.url",
    "Moment": "webkeep.model",
    "Observation": "webkeep.model",
    "WebkeepError": "webkeep.errors",
    "WritableArchive": "webkeep.store.archive",
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

    from webkeep.store.archive import Archive, WritableArchive

    if create:
        return WritableArchive.open_or_create(Path(path))
    return WritableArchive(Path(path)) if write else Archive(Path(path))


def capture(*seeds: str, into: str | os.PathLike[str], **options: object) -> CaptureResult:
    """Capture sites into an archive, or go on with a capture of the same plan that was stopped.

    The options are those of a plan file, with underscores: `scope="host"`, `delay=2`, `exclude=["*.zip"]`.
    """
    from pathlib import Path

    from webkeep.crawl import capture
    from webkeep.crawl.plan import parse_plan
    from webkeep.crawl.run import NullCaptureObserver
    from webkeep.quality.certificates import keep_certificate
    from webkeep.store.archive import WritableArchive

    plan = parse_plan({**options, "seeds": list(seeds)})
    with WritableArchive.open_or_create(Path(into)) as archive:
        return capture(plan, archive, NullCaptureObserver(), certify=keep_certificate)


def __getattr__(name: str) -> object:
    """Fetch a name when it is first asked for, so that `import webkeep` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'webkeep' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
