"""Pages that other archives hold, which a capture leaves out (`--held-in`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from webkeep.store.archive import Archive


class HeldArchives:
    """Archives that are asked whether they hold a page; each may be written to meanwhile."""

    def __init__(self, archives: Iterable[Archive]) -> None:
        self._archives = tuple(archives)

    def find_holder(self, url: str) -> str:
        """What the first archive is called in which the URL was ever answered by more than an error; empty for none."""
        found = next((each.settings for each in self._archives if each.index.is_held(url)), None)
        return "" if found is None else found.about.title or found.name


@contextmanager
def open_held_archives(paths: Iterable[str]) -> Iterator[HeldArchives | None]:
    """The archives at some paths; None where there are none."""
    with ExitStack() as opened:
        archives = [opened.enter_context(Archive(path)) for path in paths]
        yield HeldArchives(archives) if archives else None
