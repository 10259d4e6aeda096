"""Exchanges out of leftovers of other programs, made into an archive for as long as it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from webkeep.model import Clock, Exchange, Finding
from webkeep.store.awaiting import Awaiting
from webkeep.store.writable import WritableArchive

Listener = Callable[[Finding], None]


def kept(exchanges: Iterable[Exchange], folder: Path, name: str, clock: Clock, tell: Listener) -> Path:
    """An archive in a folder that holds exchanges; what cannot be read is told."""

    def not_kept(url: str, error: Exception) -> None:
        tell(Finding("leftover-passed-over", name, 0, f"{url[:200]} cannot be read ({error}); left out"))

    awaited = Awaiting(not_kept)
    with WritableArchive.create(folder, name, clock) as archive, archive.begin("import") as capture:
        for exchange in exchanges:
            awaited.add(capture.submit(exchange), exchange.url)
        awaited.wait()
    return folder
