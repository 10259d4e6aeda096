"""Shorter ways: pages to which fewer links lead than on the way by which they were asked for. Their links are to be
entered once more, counted from there, so that what a depth leaves out depends on no one's speed.

Which way to a page is found first, and whether its answer comes before a shorter one is found, is a matter of chance. A
page that was answered is not asked for again: whoever carries out what the frontier decides reads its links from where
it is stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.urls.url_store import Admission, UrlStore
from webkeep.model import UrlOutcome

_KEY = "shorter-ways"
"""The name under which they are kept in the URL store."""


class ShorterWays:
    """The URLs whose links are to be entered again."""

    def __init__(self, state: PolicyState, url_store: UrlStore) -> None:
        self._state, self._store = state, url_store
        self._urls: dict[str, None] = dict.fromkeys(json.loads(url_store.load_text(_KEY) or "[]"))
        self._is_changed = False

    def note(self, admissions: Iterable[Admission]) -> None:
        """Take note of the ways that links have to URLs, where their length decides about anything."""
        if not self._state.policy.counts_ways:
            return
        ways = [admission.candidate for admission in admissions if admission.outcome is UrlOutcome.QUEUED]
        if shortened := self._store.shorten(ways):
            self._urls.update(dict.fromkeys(shortened))
            self._is_changed = True

    def take(self, most: int) -> list[str]:
        """Up to so many of them, which are none any more."""
        taken = list(self._urls)[:most]
        for url in taken:
            del self._urls[url]
        self._is_changed = self._is_changed or bool(taken)
        return taken

    def save(self) -> None:
        """Put into the URL store what must outlast the process."""
        if self._is_changed:
            self._store.save_text(_KEY, json.dumps(list(self._urls)))
            self._is_changed = False
