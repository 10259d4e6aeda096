"""What an archive holds of a site from before: so that only what has changed need be sent again.

A page that a server says was not modified is not sent, so its links are read from where it is stored.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from webkeep.crawl.conditions import conditions_for, held_answer
from webkeep.crawl.studied import NOTHING, Situation, Studied
from webkeep.crawl.study import study
from webkeep.frontier.candidate import Candidate, Role
from webkeep.model import Exchange, Observation
from webkeep.store.archive import Archive
from webkeep.store.lineage import lineage
from webkeep.store.preparing import Study
from webkeep.store.quick_record import SMALL, small_record
from webkeep.store.reading import Holding, WarcFiles, read_holding
from webkeep.url import LASTING_IDENTITY

_NOT_MODIFIED = 304
_GONE = frozenset({404, 410})
_RECORDS = frozenset({"response", "revisit"})
_WITHOUT_LINKS = ("image/", "video/", "audio/", "font/")


class Memory:
    """What was captured before, for a capture that brings it up to date."""

    def __init__(self, archive: Archive, before: str, conditional: bool = True) -> None:
        """`before` is the capture that is brought up to date; if not `conditional`, everything is sent again."""
        self._archive = archive
        self._before = before
        self._conditional = conditional
        self._held: dict[int, Observation] = {}
        """What requests that are under way are conditional on."""
        self._studying = threading.Lock()

    def known(self) -> Iterator[str]:
        """The URLs that were there when a server last said so, but for those of sessions that are over."""
        there: dict[str, bool] = {}
        for capture in lineage(self._archive, self._before):
            for look in self._archive.observations(capture.id, resolve=False):
                if look.record_type in _RECORDS and look.method == "GET" and LASTING_IDENTITY(look.url) == look.url:
                    status = look.status or 0
                    if status < 400 or status in _GONE:
                        there[look.url] = status < 400
        return (url for url, is_there in there.items() if is_there)

    def conditions(self, candidate: Candidate) -> tuple[tuple[str, str], ...]:
        """The header fields that ask for a page only if it is not what is held."""
        if candidate.role is Role.ROBOTS or candidate.tries or not self._conditional:
            return ()
        looks = self._archive.history(candidate.url, resolve=False)
        held = held_answer(each for each in looks if each.url == candidate.url)
        if held is None:
            return ()
        conditions = conditions_for(self._archive, held)
        if conditions:
            self._held[candidate.id] = held
        return conditions

    def confirmed(self, candidate: Candidate, status: int) -> Observation | None:
        """What is held of a page, where a server said by this status that it is still the same."""
        held = self._held.pop(candidate.id, None)
        return held if status == _NOT_MODIFIED else None

    def study_of(self, held: Observation, situation: Situation) -> Study | None:
        """What reads a page that is held, wherever records are prepared; None where that takes more than its record."""
        if held.record_type != "response":
            return None
        return partial(_studied, str(self._archive.layout.warcs), held, situation)

    def studied(self, held: Observation, situation: Situation) -> Studied:
        """What is in a page that is held; called in threads."""
        with self._studying:
            return _study(held, self._archive.read(held), situation)


def has_links(held: Observation) -> bool:
    """Whether anything could be found in what is held; what pictures name in their heads is known from before."""
    return not held.media_type.startswith(_WITHOUT_LINKS) or "svg" in held.media_type


def _studied(folder: str, held: Observation, situation: Situation, _: Exchange) -> Studied:
    files = WarcFiles(Path(folder))
    read = small_record if held.place.length <= SMALL else read_holding
    return _study(held, read(files, held.place)[0], situation)


def _study(held: Observation, holding: Holding, situation: Situation) -> Studied:
    if holding.head is None:
        return NOTHING
    return study(situation, Exchange(held.url, held.moment, holding.raw_head, holding.body, via=held.via))
