"""What a capture came to: what counts as missed, which seeds led nowhere (errors, login pages, redirects out of scope)
and in which words that is said, and how many failures are listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from webkeep.crawl.plan.capture_plan import MAX_SEEDS_KEPT, CapturePlan
from webkeep.crawl.plan.login_pages import has_password_field, is_login_url
from webkeep.crawl.requests.outcome_builder import redirect_target
from webkeep.crawl.run.capture_accounts import POLITENESS_FACT
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.crawl.run.capture_url_store import CaptureUrlStore
from webkeep.formats.status import is_redirection
from webkeep.frontier import Frontier
from webkeep.frontier.traps import Trap, TrapKind as TrapKind
from webkeep.frontier.urls import UrlRole
from webkeep.model import Capture, Fate, UrlOutcome
from webkeep.store.archive import WritableArchive
from webkeep.store.views import count_fates

if TYPE_CHECKING:
    from webkeep.crawl.application import DataComparison
    from webkeep.crawl.browsing.browser_report import BrowserReport

MAX_FAILURES_LISTED = 20
"""So many failures are told one by one."""
_MAX_REDIRECTS = 20
"""So many redirects of a seed are followed in the archive, to say where it leads."""
_MISSED_OUTCOMES = frozenset({UrlOutcome.REFUSED, UrlOutcome.FAILED, UrlOutcome.TAKEN_DOWN})


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What a capture came to."""

    capture: str
    finished: bool
    """Whether it came to its end; if not, the same plan goes on with it."""
    resumed: bool
    counts: dict[UrlOutcome, int]
    bytes: int
    seconds: float
    missed: int = 0
    """URLs that should be there and are not."""
    hosts: dict[str, Any] = field(default_factory=dict)
    """The ledger of every host."""
    traps: list[Trap] = field(default_factory=list)
    seeds_missed: list[Fate] = field(default_factory=list)
    """The fates of seeds that came to nothing: refused, failed, or answered with an error."""
    failures: list[Fate] = field(default_factory=list)
    """Some of those that failed."""
    rules_failed: int = 0
    """How many of those that failed are robots.txt files, which nobody asked for."""
    not_seen_again: int = 0
    """How many revisits came to nothing."""
    browsed: BrowserReport | None = None
    """What came of running pages in a browser, where that was wanted."""
    data: tuple[DataComparison, ...] = ()
    """The databases behind the site, each before and after its pages, where that was wanted."""
    login_ended: str = ""
    """Where the login was made that ended meanwhile, for which it stopped; empty where none is known to have."""

    @property
    def is_whole(self) -> bool:
        """Whether it came to its end, and nothing that was wanted is missing; the command's exit code 0."""
        is_all_run = self.browsed is None or self.browsed.is_whole
        is_data_kept = all(compared.is_unchanged is not None for compared in self.data)
        is_all_there = not (self.missed or self.seeds_missed or self.not_seen_again)
        return self.finished and is_all_run and is_data_kept and is_all_there


def read_result(
    context: CaptureContext, finished: bool, seconds: float, browsed: BrowserReport | None
) -> CaptureResult:
    """What a capture came to, by its URL store and its frontier."""
    url_store, frontier = context.url_store, context.frontier
    counts = dict(url_store.outcome_counts())
    seeds_missed = list(_seeds_missed(context.plan, url_store, context.archive))
    refused = sum(fate.outcome is UrlOutcome.REFUSED for fate in seeds_missed)
    return CaptureResult(
        capture=context.capture.id,
        finished=finished,
        resumed=context.is_resumed,
        counts=counts,
        bytes=frontier.totals.bytes,
        seconds=seconds,
        missed=counts[UrlOutcome.FAILED] + counts[UrlOutcome.TRAPPED] - _guesses_left_out(frontier) + refused,
        hosts=dict(frontier.host_ledgers()),
        traps=frontier.trap_report(),
        seeds_missed=seeds_missed,
        failures=list(islice(_failed_fates(url_store), MAX_FAILURES_LISTED)),
        rules_failed=sum(each.role is UrlRole.ROBOTS for each in url_store.candidates_with(UrlOutcome.FAILED)),
        not_seen_again=0 if context.planner is None else context.planner.not_seen_again,
        browsed=browsed,
    )


def read_finished_result(plan: CapturePlan, archive: WritableArchive, capture: Capture) -> CaptureResult:
    """What a capture came to that ended before, by what the archive holds of it."""
    fates = {UrlOutcome(name): count for name, count in count_fates(archive, capture.id).items()}
    counts = {outcome: fates.get(outcome, 0) for outcome in UrlOutcome}
    known = (archive.catalog.log.fate(capture.id, seed) for seed in plan.named_seeds[:MAX_SEEDS_KEPT])
    seeds_missed = [fate for fate in known if fate is not None and _is_missed(fate)]
    refused = sum(fate.outcome is UrlOutcome.REFUSED for fate in seeds_missed)
    return CaptureResult(
        capture=capture.id,
        finished=True,
        resumed=True,
        counts=counts,
        bytes=archive.catalog.observations.totals(capture.id).size,
        seconds=(capture.finished or capture.started).seconds_since(capture.started),
        missed=counts[UrlOutcome.FAILED] + counts[UrlOutcome.TRAPPED] + refused,
        hosts=json.loads(capture.facts.get(POLITENESS_FACT, "{}")),
        seeds_missed=seeds_missed,
    )


def _is_missed(fate: Fate) -> bool:
    return fate.outcome in _MISSED_OUTCOMES or fate.reason.startswith("status ")


def _guesses_left_out(frontier: Frontier) -> int:
    """How many URLs were left out that nothing named, and that only looked like some: nobody misses them."""
    return sum(trap.left_out for trap in frontier.trap_report() if trap.kind is TrapKind.GUESS)


def _seeds_missed(plan: CapturePlan, url_store: CaptureUrlStore, archive: WritableArchive) -> Iterator[Fate]:
    for seed in plan.named_seeds[:MAX_SEEDS_KEPT]:
        for fate in url_store.trail(seed, 1):
            if _is_missed(fate):
                yield fate
            elif (target := _redirect_end(seed, archive)) and (
                reason := _missed_reason(target, plan, url_store, archive)
            ):
                yield replace(fate, reason=f"leads to {target}, {reason}")


def _missed_reason(target: str, plan: CapturePlan, url_store: CaptureUrlStore, archive: WritableArchive) -> str:
    """Why nothing is gained where a seed leads; empty where something is."""
    if plan.has_credentials and has_password_field(target, archive):
        return "which asks for a password: nobody is logged in by the credentials that were given; get new ones"
    if not _is_out_of_scope(target, url_store):
        return ""
    if is_login_url(target):
        return "which is out of scope and looks like a login: give --cookies, or use webkeep login"
    return "which is out of scope; capture that instead"


def _redirect_end(seed: str, archive: WritableArchive) -> str:
    """Where a seed redirects to, at last."""
    target, left = "", _MAX_REDIRECTS
    while left and (seen := archive.lookup(target or seed)) is not None and is_redirection(seen.status):
        head = archive.read(seen).head
        onward = redirect_target(seen.url, head) if head is not None else ""
        if not onward or seen.url != (target or seed):
            break
        target, left = onward, left - 1
    return target


def _is_out_of_scope(url: str, url_store: CaptureUrlStore) -> bool:
    return any(fate.outcome is UrlOutcome.OUT_OF_SCOPE for fate in url_store.trail(url, 1))


def _failed_fates(url_store: CaptureUrlStore) -> Iterator[Fate]:
    for candidate in url_store.candidates_with(UrlOutcome.FAILED):
        if candidate.role is not UrlRole.ROBOTS:
            yield from url_store.trail(candidate.url, 1)
