"""Pages that other archives hold, which a capture leaves out (`--held-in`)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

from webkeep.store.archive import Archive


class HeldArchives:
    """Archives that are asked whether they hold a page; each may be written to meanwhile."""

    def __init__(self, paths: Iterable[str]) -> None:
        with ExitStack() as opened:
            self._archives = [opened.enter_context(Archive(path)) for path in paths]
            self._opened = opened.pop_all()

    def find_holder(self, url: str) -> str:
        """What the first archive is called in which the URL was ever answered by more than an error; empty for none."""
        found = next((each.settings for each in self._archives if each.index.is_held(url)), None)
        return "" if found is None else found.about.title or found.name

    def close(self) -> None:
        """Let go of them."""
        self._opened.close()
