"""`webkeep recover --dry-run`: who holds what of a name, from when, and what recovering it would cost."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.cli.table import Column, Table
from webkeep.recover.known import PLAYBACK, Declaration
from webkeep.recover.limits import Estimate, Limit
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Held, Reason, Repository
from webkeep.recover.repository_naming import read_repository
from webkeep.recover.repository_survey import Survey, doubts_of, estimate_of, surveyed
from webkeep.url import Match, normal

_BAR = 40
_COLUMNS = (
    Column("repository"),
    Column("URLs", right=True),
    Column("times seen", right=True),
    Column("from"),
    Column("to"),
    Column(""),
)


def survey(
    plan: Plan,
    opening: Callable[[Path], AbstractAsyncContextManager[list[Repository]]],
    out: Output,
    declarations: Mapping[str, Declaration],
) -> int:
    """Ask everybody in a few requests, and say what they hold."""
    with tempfile.TemporaryDirectory(prefix="webkeep-") as folder:
        surveys = asyncio.run(_asked(plan, opening, Path(folder)))
    out.status("")
    for each in surveys:
        out.event("holder", **_facts(each))
        if each.miss is not None:
            trouble = each.miss.detail or each.miss.reason.value
            out.note(f"{each.traits.name}: {trouble.removeprefix(f'{each.traits.name}: ')}")
    years = _years(surveys)
    _show(surveys, years, out)
    estimate = estimate_of(surveys, _limits(plan, declarations), plan.policy.asks_all, plan.most)
    doubts = doubts_of(surveys, plan.policy, plan.linked_only)
    held = any(each.holds_something for each in surveys)
    facts = {
        "seeds": list(plan.seeds),
        "held": held,
        "years": years,
        "requests": sum(each.requests for each in surveys),
        "estimated_requests": None if doubts else estimate.requests,
        "estimated_seconds": None if doubts else estimate.seconds,
        "estimate_doubts": doubts,
        "repositories": [_facts(each) for each in surveys],
    }
    name = plan.seeds[0]
    if not held and all(each.miss is not None and each.miss.reason is not Reason.NOT_HELD for each in surveys):
        out.summary(facts, f"nobody could be asked for {name}; see above, and try again when they answer")
        return UNFINISHED
    if not held:
        out.summary(facts, f"nobody asked holds anything of {name}; check how it is spelled, or ask others with --from")
        return FINDINGS
    out.summary(facts, _cost(estimate, doubts))
    return DONE


def _cost(estimate: Estimate, doubts: Sequence[str]) -> str:
    if doubts:
        least = f"; at least {measure.counted(estimate.requests, 'request')}" if estimate.requests else ""
        return f"what recovering it takes cannot be told, as {'; '.join(doubts)}{least}"
    if not estimate.requests:
        return "recovering it takes no request, as all of it lies on this machine"
    pace = f", and by their limits at least {measure.elapsed(estimate.seconds)}" if estimate.seconds else ""
    return f"recovering it takes about {measure.counted(estimate.requests, 'request')}{pace}"


def _key_of(plan: Plan, held: Held) -> str | None:
    """By what the recovery would know a resource; None where it would pass it over."""
    url = normal(held.url)
    is_wanted = url is not None and plan.bounds.judge(url).allowed and plan.wish.period.covers(held.moment)
    return plan.identity.key(url) if url is not None and is_wanted else None


async def _asked(
    plan: Plan, opening: Callable[[Path], AbstractAsyncContextManager[list[Repository]]], folder: Path
) -> list[Survey]:
    asked = plan.listings() or [(seed, Match.EXACT) for seed in plan.seeds]
    async with opening(folder) as repositories:
        jobs = [
            surveyed(each, url, match, plan.wish.period, key_of=partial(_key_of, plan))
            for each in repositories
            for url, match in asked
        ]
        return list(await asyncio.gather(*jobs))


def _limits(plan: Plan, declarations: Mapping[str, Declaration]) -> dict[str, Limit | None]:
    found: dict[str, Limit | None] = {}
    for text in plan.repositories:
        named = read_repository(text, declarations)
        if isinstance(named, Declaration):
            found[named.name] = next(iter(named.pool(PLAYBACK).limits), None)
    return found


def _years(surveys: Sequence[Survey]) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for each in surveys:
        counts.update(each.years)
    return {year: counts[year] for year in range(min(counts), max(counts) + 1)} if counts else {}


def _facts(survey: Survey) -> dict[str, object]:
    return {
        "repository": survey.traits.name,
        "versions": survey.rows,
        "urls": survey.urls,
        "first": None if survey.first is None else survey.first.iso(),
        "last": None if survey.last is None else survey.last.iso(),
        "complete": survey.is_complete,
        "of_page": survey.of_page,
        "requests": survey.requests,
        "years": {str(year): count for year, count in survey.years.items()},
        "trouble": None if survey.miss is None else survey.miss.detail or survey.miss.reason.value,
    }


def _show(surveys: Sequence[Survey], years: dict[int, int], out: Output) -> None:
    table = Table(_COLUMNS, out.line)
    for each in surveys:
        table.row(
            each.traits.name,
            f"{each.urls:,}" + ("" if each.is_complete else " or more"),
            f"{each.rows:,}",
            measure.date(each.first)[:10],
            measure.date(each.last)[:10],
            "this page only" if each.of_page else "",
        )
    table.end()
    most = max(years.values(), default=0)
    for year, count in years.items():
        out.line(f"{year}  {'█' * round(count / most * _BAR) or '▏' if count else ''} {count:,}")
