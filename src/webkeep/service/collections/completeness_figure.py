"""How complete a collection is, by what it is for: entry points that were captured, or what was had from each of them.

Horizontal completeness is the share of seeds whose newest capture is done and reached them. Vertical completeness is,
of what the newest captures found in scope, the share that they stored; and where they looked twice (`--for evidence`),
how much of it stood together at one moment. A seed that was not captured is one more that is wanted and not there,
since nobody knows what it would have led to. Neither knows of sites or pages that nobody named or linked to, and both
are told with the numbers they are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from webkeep.model import UrlOutcome
from webkeep.service.collections.collection_facts import CollectionPurpose
from webkeep.service.jobs import JobState

_HELD = (UrlOutcome.STORED, UrlOutcome.DUPLICATE)
_WANTED = (*_HELD, UrlOutcome.FAILED, UrlOutcome.CUT, UrlOutcome.TRAPPED, UrlOutcome.QUEUED)


class SeedOutcome(Protocol):
    """What the newest job of a seed came to, as far as completeness goes by it."""

    @property
    def state(self) -> JobState:
        """Where the job is."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """What its command said at its end."""


@dataclass(frozen=True, slots=True)
class CompletenessFigure:
    """What of how much is there."""

    purpose: CollectionPurpose
    held: int
    wanted: int
    together: int = 0
    """Resources that stood together at one moment of their capture, of captures that looked twice."""
    looked_at_twice: int = 0
    """Resources of such captures."""
    seeds_missed: int = 0
    """Seeds whose newest capture did not reach them, or that were never captured."""

    @property
    def share(self) -> float | None:
        """From 0 to 1; None where nothing was wanted yet."""
        return self.held / self.wanted if self.wanted else None


def measure_completeness(purpose: CollectionPurpose, seeds: int, latest: Iterable[SeedOutcome]) -> CompletenessFigure:
    """The figure that a collection is measured by, of the newest job of each of its seeds."""
    done = [job for job in latest if job.state is JobState.DONE]
    reached = sum(not _count_missed(job) for job in done)
    if purpose is CollectionPurpose.EXTENSIVE:
        return CompletenessFigure(purpose, reached, seeds, seeds_missed=seeds - reached)
    counts = [_count_urls(job) for job in done]
    held, wanted = sum(each for each, _ in counts), sum(each for _, each in counts)
    figures = [each for job in done if (each := _read_coherence(job.summary)) is not None]
    together, twice = sum(agreeing for agreeing, _ in figures), sum(resources for _, resources in figures)
    return CompletenessFigure(purpose, held, wanted + max(seeds - len(done), 0), together, twice, seeds - reached)


def _count_missed(job: SeedOutcome) -> int:
    return int(job.summary.get("seeds_missed") or 0)


def _count_urls(job: SeedOutcome) -> tuple[int, int]:
    """How many URLs a capture holds, of how many; a seed that only led elsewhere is wanted, and not held."""
    fates = job.summary.get("fates") or {}
    held, wanted = (sum(int(fates.get(each.value, 0)) for each in kinds) for kinds in (_HELD, _WANTED))
    return held, max(wanted, held + _count_missed(job))


def _read_coherence(summary: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many resources stood together, of how many; None where a capture looked at nothing twice."""
    said = summary.get("coherence") or {}
    if not said.get("is_revisited"):
        return None
    counted = said.get("all") or {}
    return int(counted.get("agreeing", 0)), int(counted.get("resources", 0))
