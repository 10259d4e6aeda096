"""The rounds of a coherent capture: all visits, then the revisits, for each part of the site in turn; which URLs are
revisited, the reference moment between, and where a stopped capture goes on.

What was visited, and what was seen again already, is read from the archive, so that a capture that was cut short goes
on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from webkeep.errors import StorageError
from webkeep.formats.status import GONE_STATUSES, is_answered
from webkeep.frontier import Frontier
from webkeep.frontier.coherent import PlannedUrlStore
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import RESPONSE_TYPES, Observation, RecordPlace, VisitKind
from webkeep.store.archive import Archive

_ROUNDS_KEY = "rounds"


@dataclass(slots=True)
class _RoundState:
    """How far it has come."""

    parts: list[str] = field(default_factory=list)
    revisiting: bool = False
    references: list[str] = field(default_factory=list)
    """For each round, the moment between its visits and its revisits."""
    done: list[str] = field(default_factory=list)
    """The parts that have had their revisits."""


class VisitRounds:
    """Begins one round after the other."""

    def __init__(
        self,
        archive: Archive,
        capture: str,
        url_store: PlannedUrlStore,
        frontier: Frontier,
        revisits_all: bool = False,
    ) -> None:
        """With `revisits_all`, what was visited last is revisited too: strategies spare themselves that."""
        self._revisits_all = revisits_all
        self._archive = archive
        self._capture = capture
        self._url_store = url_store
        self._frontier = frontier
        self._state = _read_state(url_store.load_text(_ROUNDS_KEY))
        self._visited: dict[str, dict[str, int]] = {}
        """When each URL was first looked at that was not revisited, by part."""
        self._read_up_to: RecordPlace | None = None
        self._unproven: list[str] = []
        """Parts of which too little was visited for a revisit."""

    @property
    def references(self) -> list[str]:
        """The moments, one for each round, that visits and revisits lie around."""
        return list(self._state.references)

    @property
    def revisits_left(self) -> int:
        """How many revisits are still to be made in this round."""
        return self._url_store.revisits_left()

    def resume(self) -> None:
        """Take up the round in which an earlier process stopped."""
        if self._state.revisiting:
            self._url_store.plan.start_parts(self._state.parts)
            self._begin_revisits()

    def begin_next(self) -> bool:
        """Begin the next round, after all that was to be asked for has been; False where none is left."""
        if not self._state.revisiting and self._url_store.plan.has_revisits:
            # A part with one page alone comes to its revisit together with the next ones.
            self._read_new_records()
            # Where an earlier process made all visits, nothing waits that would tell their parts.
            current = self._url_store.plan.parts or self._visited.keys()
            self._state.parts = sorted({*current, *self._unproven, *self._stray_parts()})
            self._state.references.append(self._archive.clock.now().iso())
            if self._begin_revisits():
                self._unproven = []
                self._state.done = sorted({*self._state.done, *self._state.parts})
                self._save()
                return True
            self._unproven = self._state.parts
        self._state.revisiting = False
        self._url_store.hold_visits(False)
        self._url_store.plan.drop_settled(lambda host: self._url_store.queued_count(host) > 0)
        is_more = self._url_store.plan.start_next_parts()
        self._save()
        if is_more:
            self._frontier.begin_round(revisiting=False, now=self._archive.clock.now())
        return is_more

    def _stray_parts(self) -> set[str]:
        """Parts that were visited out of their turn, as sitemaps are, and will have none."""
        return self._visited.keys() - self._url_store.plan.pending_parts - set(self._state.done)

    def _begin_revisits(self) -> bool:
        self._url_store.queue_revisits(self._planned_revisits())
        self._state.revisiting = bool(self._url_store.revisits_left())
        self._url_store.hold_visits(self._state.revisiting)
        self._save()
        if self._state.revisiting:
            self._frontier.begin_round(revisiting=True, now=self._archive.clock.now())
        return self._state.revisiting

    def _planned_revisits(self) -> Iterator[Candidate]:
        """What is to be asked for again, host by host in the order of the strategy."""
        visits: dict[str, dict[int, Candidate]] = {}
        for url in self._visited_urls():
            candidate = self._url_store.find(url)
            if candidate is not None and candidate.role is not UrlRole.ROBOTS:
                visits.setdefault(candidate.host, {})[candidate.id] = candidate
        for host, made in visits.items():
            planned = self._url_store.plan.revisits(host, list(made))
            left = set(made).difference(planned) if self._revisits_all else ()
            yield from (made[number] for number in (*planned, *left))

    def _visited_urls(self) -> list[str]:
        """The URLs of these parts that were visited and not revisited, in the order of their visits."""
        self._read_new_records()
        seen = [(micros, url) for part in self._state.parts for url, micros in self._visited.get(part, {}).items()]
        return [url for _, url in sorted(seen)]

    def _read_new_records(self) -> None:
        """Take in what was stored since the last time."""
        for observation in self._archive.observations(self._capture, self._read_up_to, resolve=False):
            self._read_up_to = observation.place
            part = self._url_store.plan.part_of(observation.url)
            if observation.visit is VisitKind.REVISIT:
                self._visited.get(part, {}).pop(observation.url, None)
            elif is_comparable(observation) or (self._revisits_all and observation.status in GONE_STATUSES):
                self._visited.setdefault(part, {}).setdefault(observation.url, observation.moment.micros)

    def _save(self) -> None:
        self._url_store.save_text(_ROUNDS_KEY, json.dumps(asdict(self._state)))


def is_comparable(observation: Observation) -> bool:
    """Whether something came that can be the same at another look."""
    return observation.record_type in RESPONSE_TYPES and is_answered(observation.status)


def _read_state(text: str) -> _RoundState:
    try:
        return _RoundState(**json.loads(text)) if text else _RoundState()
    except (ValueError, TypeError) as error:
        raise StorageError("the rounds that the job kept cannot be read; begin the capture anew") from error
