"""How many seeds collections have, and how complete they are: of a whole list in two queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from webkeep.service.collections import CollectionFacts, CompletenessFigure, measure_completeness
from webkeep.service.store import CollectionStore, JobStore, LatestOutcome


def measure_collections(
    collections: CollectionStore, jobs: JobStore, facts: Sequence[CollectionFacts]
) -> list[tuple[int, CompletenessFigure]]:
    """Of each of some collections how many seeds it has, and how complete it is."""
    names = [each.name for each in facts]
    counts, outcomes = collections.count_seeds_of(names), defaultdict[str, list[LatestOutcome]](list)
    for outcome in jobs.latest_outcomes(names):
        outcomes[outcome.collection].append(outcome)
    return [
        (counts.get(each.name, 0), measure_completeness(each.purpose, counts.get(each.name, 0), outcomes[each.name]))
        for each in facts
    ]
