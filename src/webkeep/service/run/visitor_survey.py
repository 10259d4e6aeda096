"""Visitors told before they confirm whether anything is held of what they lost: the repositories are asked in a few
requests, within their limits and within seconds; where nothing is held they are asked for what might have been meant.

A repository that does not answer in time is said not to have answered, and holds up nobody.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webkeep.errors import UsageError, WebkeepError
from webkeep.fetch import FetchLimits, FetchSettings
from webkeep.model import Clock, parse_moment, parse_period_end
from webkeep.recover import RecoveryPlan
from webkeep.recover.repositories import MissReason, RepositoryTimeouts
from webkeep.recover.sources import (
    RepositoryContext,
    RepositoryInventory,
    load_declarations,
    open_repositories,
    parse_repository,
    take_inventory,
)
from webkeep.service.recoveries import (
    LostExtent,
    VisitorOrder,
    VisitorRecovery,
    VisitorRecoveryState,
    VisitorSettings,
    guess_names,
)
from webkeep.service.store import VisitorRecoveryStore
from webkeep.url import UrlMatch
from webkeep.url.scope import ScopeExtent

_BATCH_SURVEYS = 8
"""So many are made at a time."""
_CONNECTIONS = 8
"""Of one survey: a request or two to each repository."""
_MAX_LISTING_BYTES = 8 << 20
"""Of an answer that lists what is held; more of it says nothing new before a recovery."""


@dataclass(frozen=True, slots=True)
class SurveyPatience:
    """How long repositories are waited for."""

    seconds: float = 12.0
    """For each, all its requests and its turn included."""
    turn_seconds: float = 5.0
    """Until its limit lets it be asked."""

    @property
    def timeouts(self) -> RepositoryTimeouts:
        """The same for each request."""
        limits = FetchLimits(seconds=self.seconds, size=_MAX_LISTING_BYTES)
        return RepositoryTimeouts(self.turn_seconds, 0.5, 1, limits, _MAX_LISTING_BYTES)


def check_visitor_repositories(settings: VisitorSettings) -> None:
    """Raise UsageError for a repository that nobody knows, before any visitor chooses it."""
    declarations = load_declarations()
    for label, source in settings.repositories.items():
        try:
            parse_repository(source, declarations)
        except UsageError as error:
            raise UsageError(f"the repository {label!r} for visitors: {error}") from error


class VisitorSurveyor:
    """Makes surveys for those who have not confirmed yet."""

    def __init__(
        self,
        spool: Path,
        ledger: Path,
        recoveries: VisitorRecoveryStore,
        settings: VisitorSettings,
        clock: Clock,
        patience: SurveyPatience | None = None,
    ) -> None:
        self._spool, self._ledger, self._recoveries = spool, ledger, recoveries
        self._settings, self._clock, self._patience = settings, clock, patience or SurveyPatience()

    def look(self) -> int:
        """Make the surveys that are due; gives how many there were."""
        pending = self._recoveries.list_recoveries([VisitorRecoveryState.PENDING])
        due = [each for each in reversed(pending) if each.survey is None][:_BATCH_SURVEYS]
        if due:
            self._spool.mkdir(parents=True, exist_ok=True)
            asyncio.run(self._survey_all(due))
        return len(due)

    async def _survey_all(self, due: list[VisitorRecovery]) -> None:
        await asyncio.gather(*(self._survey(each) for each in due))

    async def _survey(self, recovery: VisitorRecovery) -> None:
        order, guesses = recovery.order, []
        found = await self._ask_all(order.url, order)
        if not any(each["versions"] for each in found):
            names = guess_names(order.url)
            answers = await asyncio.gather(*(self._ask_all(each, order) for each in names))
            guesses = [
                {"url": name, "urls": max(each["urls"] for each in held)}
                for name, answer in zip(names, answers, strict=True)
                if (held := [each for each in answer if each["versions"]])
            ]
        self._recoveries.keep_survey(recovery.id, {"repositories": found, "guesses": guesses})

    async def _ask_all(self, url: str, order: VisitorOrder) -> list[dict[str, Any]]:
        """What each of the repositories that were chosen says of an address."""
        chosen = {name: self._settings.repositories.get(name, "") for name in order.repositories}
        return list(await asyncio.gather(*(self._ask(name, source, url, order) for name, source in chosen.items())))

    async def _ask(self, name: str, source: str, url: str, order: VisitorOrder) -> dict[str, Any]:
        nothing = {"name": name, "urls": 0, "versions": 0, "first": None, "last": None, "is_all": True}
        try:
            async with asyncio.timeout(self._patience.seconds):
                return {**nothing, **_describe(await self._take_inventory(source, url, order))}
        except (TimeoutError, WebkeepError, OSError):
            return {**nothing, "trouble": "did not answer"}

    async def _take_inventory(self, source: str, url: str, order: VisitorOrder) -> RepositoryInventory:
        now, is_page = self._clock.now(), order.extent is LostExtent.PAGE
        plan = RecoveryPlan(
            (url,),
            (source,),
            scope=ScopeExtent.PAGE if is_page else ScopeExtent.PREFIX,
            since=parse_moment(order.since, now) if order.since else None,
            until=parse_period_end(order.until, now) if order.until else None,
        )
        asked, match = next(iter(plan.listing_queries()), (url, UrlMatch.EXACT))
        with tempfile.TemporaryDirectory(dir=self._spool, prefix="survey-") as folder:
            context = RepositoryContext(
                Path(folder),
                FetchSettings(connections=_CONNECTIONS, connections_per_host=_CONNECTIONS),
                ledger=self._ledger,
                timeouts=self._patience.timeouts,
            )
            async with open_repositories([source], context) as repositories:
                return await take_inventory(repositories[0], asked, match, plan.preference.period)


def _describe(held: RepositoryInventory) -> Mapping[str, Any]:
    """What is told of an inventory."""
    has_answered = held.miss is None or held.miss.reason is MissReason.NOT_HELD or held.has_rows
    return {
        "urls": held.urls,
        "versions": held.rows,
        "first": held.first.iso() if held.first else None,
        "last": held.last.iso() if held.last else None,
        "is_all": held.is_complete and not held.is_page_only,
        **({} if has_answered else {"trouble": "did not answer"}),
    }
