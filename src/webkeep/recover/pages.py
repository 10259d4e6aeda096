"""Pages taken at a moment at which their parts fit them: another version of a page is asked for if that is worth it."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.recover.asking import Asker
from webkeep.recover.book import Book, Taken
from webkeep.recover.composing import Composition, Leaf, composed_of, composition
from webkeep.recover.finding import Finder, Search
from webkeep.recover.parts import Parts
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Found
from webkeep.recover.study import links_of
from webkeep.recover.wholeness import is_cut_off
from webkeep.recover.worth import Tier, Version, ranked

_PAGES_COMPARED = 24
_WORTH_ANOTHER_PAGE = 0.25
"""How many violations less are to be expected of another version of a page, for that to be asked for."""
_LESS_FITTING = "its parts fit another version better"


class Pages:
    """Looks whether another version of a page goes better with its parts than the one that came."""

    def __init__(self, plan: Plan, book: Book, asker: Asker, finder: Finder, parts: Parts) -> None:
        self._plan = plan
        self._book = book
        self._asker = asker
        self._finder = finder
        self._parts = parts

    async def compose(self, search: Search) -> None:
        """Take another version of a page, where its parts fit that one better."""
        number, found = search.kept[0]
        resource = search.resource
        if resource.is_embed or resource.chosen is not None or len(search.kept) > 1:
            return
        holdings = search.holdings
        versions = ranked(self._finder.versions(holdings.values()), self._plan.wish)[:_PAGES_COMPARED]
        if len(versions) < 2 or all(each.number != number for each in versions):
            return
        embeds = self._embeds(found)
        held = {key: self._parts.history(key) for key in embeds}
        wish = self._plan.wish
        own = composition(Leaf(came(found, number), embeds), held, wish)
        if not own.violative and own.doubtful < _WORTH_ANOTHER_PAGE:
            return
        best = composed_of([Leaf(each, embeds) for each in versions], held, wish, self._plan.reach)
        if best is None or best.page.number == number or not _is_much_better(best, own):
            return
        answer = await self._asker.version(holdings[best.page.number].held)
        if not isinstance(answer, Found) or self._finder.objection(resource, answer) or is_cut_off(answer.exchange):
            return
        embeds = self._embeds(answer)
        held |= {key: self._parts.history(key) for key in embeds}
        other = composition(Leaf(came(answer, best.page.number), embeds), held, wish)
        if other.cost < own.cost:
            search.kept = [(best.page.number, answer)]
        self._book.mark(number if search.kept[0][0] != number else best.page.number, Taken.PASSED_OVER, _LESS_FITTING)

    def _embeds(self, found: Found) -> Sequence[str]:
        _, links = links_of(found.exchange)
        bounds = self._plan.bounds
        keys = [self._plan.identity.key(url) for url, is_embed, is_guess in links if is_embed and not is_guess
                and bounds.judge(url, embedded=True).allowed]  # fmt: skip
        return list(dict.fromkeys(keys))


def _is_much_better(one: Composition, other: Composition) -> bool:
    """Whether one is worth a request more than the other."""
    if (one.missing, one.violative) != (other.missing, other.violative):
        return (one.missing, one.violative) < (other.missing, other.violative)
    return one.doubtful < other.doubtful - _WORTH_ANOTHER_PAGE


def came(found: Found, number: int = 0) -> Version:
    """A page that came, as far as its moment goes."""
    return Version(number, Tier.WHOLE, found.exchange.moment.micros, repository=found.held.repository)
