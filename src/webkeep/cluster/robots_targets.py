"""Where robots.txt files had moved to, handed over as soon as it is on the disk of a worker, so that it has its fate
though the worker is lost before the end; and which of it is on its way still.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from webkeep.cluster.host_texts import ROBOTS_TARGET_PREFIX
from webkeep.cluster.leased_url_store import LeasedUrlStore
from webkeep.frontier.urls import Admission
from webkeep.store.jobs import CODES_BY_OUTCOME, hash_url, pack_candidate


class RobotsTargetTexts:
    """What one session knows of such places."""

    def __init__(self, store: LeasedUrlStore, group_of: Callable[[str], str]) -> None:
        self._store, self._group_of = store, group_of
        self._awaited: set[str] = set()

    @property
    def awaits_any(self) -> bool:
        """Whether something is on its way: who knew the rules of its host would not ask there again."""
        return bool(self._awaited)

    def await_target(self, url: str) -> None:
        """It was asked for there, and what came is on its way to the disk."""
        self._awaited.add(url)

    def keep_target(self, target: Admission) -> None:
        """Hand over what came of it: it is entered at the end, unless something else led there."""
        candidate, outcome, reason = target
        self._awaited.discard(candidate.url)
        via = self._store.url_of(candidate.via)
        group, code, facts = self._group_of(candidate.host), CODES_BY_OUTCOME[outcome], pack_candidate(candidate)
        row = [candidate.host, group, hash_url(via).hex() if via else "", facts, code, reason]
        self._store.save_group_text("", ROBOTS_TARGET_PREFIX + candidate.url, json.dumps(row))
