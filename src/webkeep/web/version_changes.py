"""How the version of a page that is shown changed against the version before it, as its banner tells it."""

from __future__ import annotations

import threading

from webkeep.quality.changes import ChangeJudge
from webkeep.replay.choice import Memento, MementoLookup, MementoQuery
from webkeep.store.archive import Archive


class VersionChanges:
    """Verdicts on neighbouring versions; what is noise on a site is learned once."""

    def __init__(self, lookup: MementoLookup) -> None:
        self._lookup = lookup
        self._judges: dict[Archive, ChangeJudge] = {}
        self._turn = threading.Lock()

    def describe_change(self, shown: Memento) -> str:
        """The verdict in words; "" where there is no version before it that may be seen in the same archive."""
        earlier = self._lookup.neighbours(shown).previous
        before = None if earlier is None else self._lookup.nearest(MementoQuery(shown.entry.url, earlier.moment))
        if earlier is None or before is None or before.archive is not shown.archive:
            return ""
        old, new = (shown.archive.observation_at(each.entry.place) for each in (before, shown))
        if old is None or new is None:
            return ""
        verdict = self._judge_of(shown.archive).judge(*shown.archive.revisits.resolve_all((old, new)))
        kinds = f" ({', '.join(verdict.noise)})" if verdict.noise else ""
        return f"since the version before: {verdict.category}{kinds}"

    def _judge_of(self, archive: Archive) -> ChangeJudge:
        with self._turn:
            if archive not in self._judges:
                self._judges[archive] = ChangeJudge(archive)
            return self._judges[archive]
