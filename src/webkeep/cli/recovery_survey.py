"""`webkeep recover --dry-run`: who holds what of a name, from when, and what recovering it would cost: the table, the
bars of years, the words for the cost, and the exit code.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_count, format_elapsed, format_moment
from webkeep.recover import RecoveryPlan
from webkeep.recover.politeness import RateLimit, RecoveryEstimate
from webkeep.recover.repositories import ListedVersion, MissReason, Repository
from webkeep.recover.sources import (
    PLAYBACK_POOL,
    RepositoryDeclaration,
    RepositoryInventory,
    estimate_doubts,
    estimate_recovery,
    parse_repository,
    take_inventory,
)
from webkeep.url import UrlMatch, normalize_url

_BAR_COLUMNS = 40
"""Characters of the longest bar of years, which leaves room for its number on a line of 80."""
_SURVEY_COLUMNS = build_columns("repository", "URLs>", "times seen>", "from", "to", "")


def survey_repositories(
    plan: RecoveryPlan,
    opening: Callable[[Path], AbstractAsyncContextManager[list[Repository]]],
    out: Output,
    declarations: Mapping[str, RepositoryDeclaration],
) -> int:
    """Ask everybody in a few requests, and say what they hold."""
    with tempfile.TemporaryDirectory(prefix="webkeep-") as folder:
        inventories = asyncio.run(_ask_repositories(plan, opening, Path(folder)))
    out.status("")
    for each in inventories:
        out.event("repository", **_survey_facts(each))
        if each.miss is not None:
            trouble = each.miss.detail or each.miss.reason.value
            out.note(f"{each.traits.name}: {trouble.removeprefix(f'{each.traits.name}: ')}")
    years = _count_years(inventories)
    _print_survey(inventories, years, out)
    estimate = estimate_recovery(
        inventories, _repository_limits(plan, declarations), plan.policy.asks_everyone, plan.most
    )
    doubts = estimate_doubts(inventories, plan.policy, plan.linked_only)
    held = any(each.has_rows for each in inventories)
    facts = {
        "seeds": list(plan.seeds),
        "held": held,
        "years": years,
        "requests": sum(each.requests for each in inventories),
        "estimated_requests": None if doubts else estimate.requests,
        "estimated_seconds": None if doubts else estimate.seconds,
        "estimate_doubts": doubts,
        "repositories": [_survey_facts(each) for each in inventories],
    }
    name = plan.seeds[0]
    if not held and all(each.miss is not None and each.miss.reason is not MissReason.NOT_HELD for each in inventories):
        out.summary(facts, f"nobody could be asked for {name}; see above, and try again when they answer")
        return UNFINISHED
    if not held:
        out.summary(facts, f"nobody asked holds anything of {name}; check how it is spelled, or ask others with --from")
        return FINDINGS
    out.summary(facts, _cost_words(estimate, doubts))
    return DONE


def _cost_words(estimate: RecoveryEstimate, doubts: Sequence[str]) -> str:
    if doubts:
        least = f"; at least {format_count(estimate.requests, 'request')}" if estimate.requests else ""
        return f"what recovering it takes cannot be told, as {'; '.join(doubts)}{least}"
    if not estimate.requests:
        return "recovering it takes no request, as all of it lies on this machine"
    pace = f", and by their limits at least {format_elapsed(estimate.seconds)}" if estimate.seconds else ""
    return f"recovering it takes about {format_count(estimate.requests, 'request')}{pace}"


def _resource_key(plan: RecoveryPlan, held: ListedVersion) -> str | None:
    """By what the recovery would know a resource; None where it would pass it over."""
    url = normalize_url(held.url)
    is_wanted = url is not None and plan.url_scope.judge(url).is_allowed and plan.preference.period.covers(held.moment)
    return plan.identity.key(url) if url is not None and is_wanted else None


async def _ask_repositories(
    plan: RecoveryPlan, opening: Callable[[Path], AbstractAsyncContextManager[list[Repository]]], folder: Path
) -> list[RepositoryInventory]:
    asked = plan.listing_queries() or [(seed, UrlMatch.EXACT) for seed in plan.seeds]
    async with opening(folder) as repositories:
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


def _survey_facts(inventory: RepositoryInventory) -> dict[str, object]:
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


def _print_survey(inventories: Sequence[RepositoryInventory], years: dict[int, int], out: Output) -> None:
    table = PrintedTable(_SURVEY_COLUMNS, out.line)
    for each in inventories:
        table.add_row(
            each.traits.name,
            f"{each.urls:,}" + ("" if each.is_complete else " or more"),
            f"{each.rows:,}",
            format_moment(each.first)[:10],
            format_moment(each.last)[:10],
            "this page only" if each.is_page_only else "",
        )
    table.finish()
    most = max(years.values(), default=0)
    for year, count in years.items():
        out.line(f"{year}  {'█' * round(count / most * _BAR_COLUMNS) or '▏' if count else ''} {count:,}")
