"""The policy that a capture goes by now, which people may change as it runs, and what it may still ask for."""

from __future__ import annotations

from webkeep.frontier.admission.crawl_totals import CrawlTotals
from webkeep.frontier.policy.crawl_policy import CrawlPolicy


class PolicyState:
    """Shared by all that decide: one policy, which people may change, and one count of what was asked for."""

    __slots__ = ("_is_revisiting", "_policy", "has_new_scope", "totals")

    def __init__(self, policy: CrawlPolicy, totals: CrawlTotals) -> None:
        self._policy = policy
        self.totals = totals
        self._is_revisiting = False
        self.has_new_scope = False
        """Whether the scope is another one than when candidates were let in."""

    @property
    def policy(self) -> CrawlPolicy:
        """What is gone by now."""
        return self._policy

    def change(self, policy: CrawlPolicy) -> None:
        """Go by another policy from now on."""
        self.has_new_scope = self.has_new_scope or policy.scope is not self._policy.scope
        self._policy = policy

    def begin_round(self, revisiting: bool) -> None:
        """Revisits are of URLs that were counted: no limit on URLs holds for them."""
        self._is_revisiting = revisiting

    @property
    def allowance(self) -> int | None:
        """How many more candidates may be asked for now by the limits on all of them; None for any number."""
        return self.totals.allowance(self._policy, self._is_revisiting)

    @property
    def limit_reached(self) -> str:
        """Which limit is reached, or nothing."""
        return self.totals.limit_reached(self._policy, self._is_revisiting)
