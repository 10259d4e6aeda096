"""`survey`: who holds what of a lost site, from when, and what recovering it would cost."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path_or_none
from webkeep.api.recoveries import RecoveryNetwork, RecoveryRequest, build_recovery_plan, check_repositories
from webkeep.api.work_listener import CallbackListener, FindingCallback, WorkListener
from webkeep.api.work_summary import LEFT_OUT, WorkSummary
from webkeep.process import call_cleanly
from webkeep.recover import RecoveryPlan
from webkeep.recover.politeness import RateLimit, RecoveryEstimate
from webkeep.recover.repositories import ListedVersion, MissReason
from webkeep.recover.sources import (
    PLAYBACK_POOL,
    RepositoryDeclaration,
    RepositoryInventory,
    estimate_doubts,
    estimate_recovery,
    load_declarations,
    parse_repository,
    take_inventory,
)
from webkeep.url import UrlMatch, normalize_url


@dataclass(frozen=True, slots=True)
class SurveySummary(WorkSummary):
    """Who holds what, and what it would cost to have it."""

    seeds: tuple[str, ...]
    held: bool
    """Whether anybody holds anything."""
    years: Mapping[int, int]
    """How often it was seen in each year."""
    requests: int
    estimated_requests: int | None
    """None where it cannot be told; `estimate_doubts` says why."""
    estimated_seconds: float | None
    estimate_doubts: Sequence[str]
    inventories: tuple[RepositoryInventory, ...] = field(metadata=LEFT_OUT)
    """What each repository said."""
    estimate: RecoveryEstimate = field(metadata=LEFT_OUT)

    @property
    def is_answered(self) -> bool:
        """Whether anybody said anything."""
        misses = [each.miss for each in self.inventories]
        return self.held or any(miss is None or miss.reason is MissReason.NOT_HELD for miss in misses)

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        return {
            "seeds": list(self.seeds),
            "held": self.held,
            "years": dict(self.years),
            "requests": self.requests,
            "estimated_requests": self.estimated_requests,
            "estimated_seconds": self.estimated_seconds,
            "estimate_doubts": self.estimate_doubts,
            "repositories": [inventory_values(each) for each in self.inventories],
        }


@check_arguments
def survey(
    *seeds: str,
    repositories: Texts,
    connections: int | None = None,
    proxy: str = "",
    resolve: Texts = (),
    insecure: bool = False,
    ledger: StrPath | None = None,
    declarations: StrPath | None = None,
    on_finding: FindingCallback | None = None,
) -> SurveySummary:
    """Ask web archives in a few requests what they hold of a site, from when, and what recovering it would cost."""
    asked = list_texts(repositories, "repositories")
    plan = build_recovery_plan(seeds, asked, {} if connections is None else {"connections": connections})
    request = RecoveryRequest(
        plan,
        None,
        ledger=read_path_or_none(ledger),
        declarations=read_path_or_none(declarations),
        network=RecoveryNetwork(resolve=list_texts(resolve, "resolve"), proxy=proxy, insecure=insecure),
    )
    return call_cleanly(lambda: run_survey(request, CallbackListener(on_finding=on_finding)))


def run_survey(request: RecoveryRequest, listener: WorkListener) -> SurveySummary:
    """Ask everybody in a few requests."""
    check_repositories(request)
    plan, declarations = request.plan, load_declarations(request.declarations)
    with tempfile.TemporaryDirectory(prefix="webkeep-") as folder:
        inventories = asyncio.run(_ask_repositories(request, listener, Path(folder)))
    limits = _repository_limits(plan, declarations)
    estimate = estimate_recovery(inventories, limits, plan.policy.asks_everyone, plan.most)
    doubts = estimate_doubts(inventories, plan.policy, plan.linked_only)
    return SurveySummary(
        plan.seeds,
        any(each.has_rows for each in inventories),
        _count_years(inventories),
        sum(each.requests for each in inventories),
        None if doubts else estimate.requests,
        None if doubts else estimate.seconds,
        doubts,
        tuple(inventories),
        estimate,
    )


def inventory_values(inventory: RepositoryInventory) -> dict[str, object]:
    """What programs are told of what a repository said."""
    return {
        "repository": inventory.traits.name,
        "versions": inventory.rows,
        "urls": inventory.urls,
        "first": None if inventory.first is None else inventory.first.iso(),
        "last": None if inventory.last is None else inventory.last.iso(),
        "complete": inventory.is_complete,
        "of_page": inventory.is_page_only,
        "requests": inventory.requests,
        "years": {str(year): count for year, count in inventory.years.items()},
        "trouble": None if inventory.miss is None else inventory.miss.detail or inventory.miss.reason.value,
    }


def _resource_key(plan: RecoveryPlan, held: ListedVersion) -> str | None:
    """By what the recovery would know a resource; None where it would pass it over."""
    url = normalize_url(held.url)
    is_wanted = url is not None and plan.url_scope.judge(url).is_allowed and plan.preference.period.covers(held.moment)
    return plan.identity.key(url) if url is not None and is_wanted else None


async def _ask_repositories(
    request: RecoveryRequest, listener: WorkListener, folder: Path
) -> list[RepositoryInventory]:
    plan = request.plan
    asked = plan.listing_queries() or [(seed, UrlMatch.EXACT) for seed in plan.seeds]
    async with request.open_repositories(listener.on_finding)(folder) as repositories:
        jobs = [
            take_inventory(each, url, match, plan.preference.period, key_of=partial(_resource_key, plan))
            for each in repositories
            for url, match in asked
        ]
        return list(await asyncio.gather(*jobs))


def _repository_limits(
    plan: RecoveryPlan, declarations: Mapping[str, RepositoryDeclaration]
) -> dict[str, RateLimit | None]:
    found: dict[str, RateLimit | None] = {}
    for text in plan.repositories:
        named = parse_repository(text, declarations)
        if isinstance(named, RepositoryDeclaration):
            found[named.name] = next(iter(named.politeness_of(PLAYBACK_POOL).limits), None)
    return found


def _count_years(inventories: Sequence[RepositoryInventory]) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for each in inventories:
        counts.update(each.years)
    return {year: counts[year] for year in range(min(counts), max(counts) + 1)} if counts else {}
