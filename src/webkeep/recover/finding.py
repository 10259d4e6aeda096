"""Finding the version of a resource to keep: in as few requests as can be, or as the published policies do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from webkeep.model import Finding, Moment
from webkeep.recover.asking import Asker
from webkeep.recover.belonging import error_words, objection
from webkeep.recover.book import Book, Holding, Resource, State, Taken
from webkeep.recover.identity import is_picture
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Answer, Fidelity, Found, Held, Miss, Reason
from webkeep.recover.suspicion import Suspicion, suspicion_of
from webkeep.recover.wholeness import NOTHING_LEFT, is_cut_off, is_empty_rest
from webkeep.recover.worth import Tier, Version, Wish, rank, ranked, version_of

Judge = Callable[[Resource, Found], str]
"""Says why what came does not show the resource; "" where it does."""

SOFT_404 = "soft-404"
"""The code of a flaw of home pages: they say that they are not there. One that does not is looked for."""
_FLAWS = frozenset({"digest-contradicted", "short-copy", "cut-off", "record-cut", SOFT_404})
_MOST_IN_VAIN = 64 << 20
"""How many bytes of flawed versions of a resource are taken in, in the search for one that is whole."""
_FLAWED = "it is cut off, or not what it was"
_GONE_FOR_GOOD = frozenset({Taken.REFUSED, Taken.ABSENT})


@dataclass(slots=True)
class Search:
    """How the search for one resource went."""

    resource: Resource
    kept: list[tuple[int, Found]] = field(default_factory=list)
    """The held versions to be kept, the chosen one first."""
    misses: list[Miss] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    holdings: dict[int, Holding] = field(default_factory=dict)
    """What was known to be held when it began."""

    @property
    def again(self) -> Moment | None:
        """When to try again, where a limit was in the way."""
        moments = [miss.again for miss in self.misses if miss.reason is Reason.LIMIT and miss.again is not None]
        return min(moments, default=None)

    @property
    def had_trouble(self) -> bool:
        """Whether something went wrong that may pass."""
        return any(miss.reason in (Reason.TROUBLE, Reason.ADVERTISED) for miss in self.misses)

    @property
    def note(self) -> str:
        """Why nothing was found, in a few words."""
        shown = ", ".join(dict.fromkeys([*self._shown_before(), *self.refused]))
        miss = next((miss for miss in self.misses if miss.reason is not Reason.NOT_HELD), None)
        if shown and miss is not None:
            return f"held as {shown}; another version could not be had: {miss.detail or miss.reason.value}"
        if shown:
            return f"held only as {shown}"
        if miss is not None:
            return f"{miss.reason.value}: {miss.detail}" if miss.detail else miss.reason.value
        absent = (each.remark for each in self.holdings.values() if each.taken is Taken.ABSENT)
        detail = next(filter(None, absent), "")
        return f"{Reason.ADVERTISED.value}: {detail}" if detail else Reason.NOT_HELD.value

    def _shown_before(self) -> Iterator[str]:
        """What versions show in place of the resource, by what came of them before or by what is listed."""
        for holding in self.holdings.values():
            if holding.taken is Taken.REFUSED:
                yield holding.remark
            elif error := error_words(holding.held.status):
                yield error


class Finder:
    """Finds versions."""

    def __init__(self, plan: Plan, asker: Asker, book: Book, judge: Judge) -> None:
        self._plan = plan
        self._asker = asker
        self._book = book
        self._judge = judge
        self._homes = frozenset(map(plan.identity.key, plan.seeds))

    async def find(self, resource: Resource, holdings: Iterable[Holding]) -> Search:
        """What is to be kept of a resource, of which these versions are held."""
        search = Search(resource, holdings={each.id: each for each in holdings})
        if self._plan.policy.asks_all:
            await self._ask_all(search)
        else:
            await self._ask_best(search)
        return search

    def wish_for(self, resource: Resource) -> Wish:
        """Which version is wanted: of a part, the one nearest to its page."""
        wish = self._plan.wish
        return wish if resource.wanted is None else Wish(Moment(resource.wanted), wish.period, wish.any_form)

    def versions(self, holdings: Iterable[Holding]) -> list[Version]:
        """What held versions are worth, less those that are known to be no good or that nobody can be asked for."""
        found = []
        for holding in holdings:
            is_had = holding.taken is Taken.STORED
            if holding.taken in _GONE_FOR_GOOD or not (is_had or self._asker.has(holding.held.repository)):
                continue
            traits = self._asker.traits(holding.held.repository)
            version = version_of(holding.id, holding.held, traits, holding.taken is Taken.DOUBTFUL)
            if version is not None:
                found.append(version)
        return found

    async def _ask_best(self, search: Search) -> None:
        """Ask for the best by the lists, and for the next best only where that came to nothing."""
        resource = search.resource
        holdings = search.holdings
        order = ranked(self.versions(holdings.values()), self.wish_for(resource))
        wanted = [each for each in order if holdings[each.number].taken is Taken.WANTED]
        for version in wanted:
            await self._try_version(search, holdings[version.number])
        if not _has_whole(search) and resource.chosen is None:
            await self._fall_back(search, [holdings[each.number] for each in order if each not in wanted])

    async def _fall_back(self, search: Search, order: Iterable[Holding]) -> None:
        await self._try_in_order(search, order)
        if not _has_whole(search):
            await self._ask_unlisted(search)
        self._keep_best(search)

    async def _try_in_order(self, search: Search, order: Iterable[Holding], past_misses: bool = True) -> None:
        """Try versions until a whole one comes, or too much comes that is not."""
        in_vain = 0
        for holding in order:
            misses = len(search.misses)
            if await self._try_version(search, holding):
                in_vain += search.kept[-1][1].exchange.body.size
                if _has_whole(search) or in_vain > _MOST_IN_VAIN:
                    return
            elif len(search.misses) > misses and not past_misses:
                return

    def _keep_best(self, search: Search) -> None:
        """Keep the best of what came, and pass over the rest."""
        wish = self.wish_for(search.resource)
        search.kept.sort(key=lambda each: rank(_version(each[0], each[1], self._asker), wish))
        for number, found in search.kept[1:]:
            self._book.mark(number, Taken.PASSED_OVER, _FLAWED if _is_flawed(found) else "")
        del search.kept[1:]

    async def _ask_unlisted(self, search: Search) -> None:
        """Ask those who may hold it without having said so."""
        resource = search.resource
        known = {each.held.repository for each in search.holdings.values()}
        for name in self._asker.may_hold(resource.url):
            if name in known:
                continue
            await self._ask_for_any(search, name)
            if _has_whole(search):
                break

    async def _ask_for_any(self, search: Search, name: str) -> None:
        """Ask for the version that is nearest to the wanted one; where that is no good, for the others."""
        answer = await self._asker.resource(name, search.resource.url, self.wish_for(search.resource).at)
        is_good = self._take(search, None, answer) and not _is_flawed(search.kept[-1][1])
        if not is_good and isinstance(answer, Found):
            await self._ask_for_others(search, answer.held)

    async def _ask_for_others(self, search: Search, came: Held) -> None:
        """Ask a repository for other versions than one that was no good, by what it says that there is."""
        resource = search.resource
        told = await self._asker.versions(came.repository, came.url)
        others = [each for each in told if each.moment != came.moment]
        self._book.add_held([(resource.key, resource.priority, each) for each in others], State.QUEUED)
        fresh = {
            each.id: each
            for each in self._book.holdings(resource.id)
            if each.held.repository == came.repository and each.held.moment != came.moment
        }
        search.holdings |= fresh
        order = ranked(self.versions(fresh.values()), self.wish_for(resource))
        await self._try_in_order(search, [fresh[each.number] for each in order])

    async def _ask_all(self, search: Search) -> None:
        """Ask everyone who may have it, and keep the best of what came; of a picture, the first will do."""
        resource = search.resource
        known = search.holdings
        order: dict[str, list[Holding]] = {}
        for version in ranked(self.versions(known.values()), self.wish_for(resource)):
            order.setdefault(version.repository, []).append(known[version.number])
        names = dict.fromkeys([*order, *self._asker.may_hold(resource.url)])
        for name in sorted(names, key=lambda each: self._asker.turn(each, resource.url)):
            if name in order:
                await self._try_in_order(search, order[name], past_misses=False)
            else:
                await self._ask_for_any(search, name)
            if is_picture(resource.url) and _has_whole(search):
                break
        self._keep_best(search)

    async def _try_version(self, search: Search, holding: Holding) -> bool:
        return self._take(search, holding, await self._asker.version(holding.held))

    def _take(self, search: Search, holding: Holding | None, answer: Answer) -> bool:
        """Whether what came is good; it is remembered, and so is why not."""
        if isinstance(answer, Miss):
            search.misses.append(answer)
            if holding is not None and answer.reason is not Reason.LIMIT:
                taken = Taken.ABSENT if answer.is_final and search.resource.tries else Taken.TROUBLE
                self._book.mark(holding.id, taken, answer.detail)
            return False
        number = self._number(search.resource, holding, answer.held)
        against = self.objection(search.resource, answer)
        if against:
            search.refused.append(against)
            self._book.mark(number, Taken.REFUSED, against)
            return False
        if not self._plan.wish.period.covers(answer.exchange.moment):
            self._book.mark(number, Taken.REFUSED, "outside the period")
            search.refused.append("a version outside the period")
            return False
        search.kept.append((number, self._examined(search.resource, answer)))
        return True

    def _examined(self, resource: Resource, found: Found) -> Found:
        """What came, with what is wrong with it though it is good enough if nothing better comes."""
        if is_cut_off(found.exchange):
            found = replace(found, truncated=True)
        is_home = self._plan.suspicious and resource.key in self._homes
        if is_home and suspicion_of(found.exchange) is Suspicion.SOFT_404:
            flaw = Finding(SOFT_404, found.held.uri, 0, Suspicion.SOFT_404.value)
            found = replace(found, findings=(*found.findings, flaw))
        return found

    def objection(self, resource: Resource, found: Found) -> str:
        """Why something that came is not to be kept; "" where it is."""
        against = objection(resource, found, self._plan.identity)
        if not against and is_empty_rest(found.exchange):
            against = NOTHING_LEFT
        return against or (self._judge(resource, found) if self._plan.suspicious else "")

    def _number(self, resource: Resource, holding: Holding | None, came: Held) -> int:
        """The number of the version that really came, which may be another than was asked for."""
        if holding is not None and holding.held.moment == came.moment:
            return holding.id
        if holding is not None:
            self._book.mark(holding.id, Taken.ABSENT, f"{came.moment} came in its place")
        return self._book.find_held(resource.id, came)


def _has_whole(search: Search) -> bool:
    """Whether something came that is whole."""
    return any(not _is_flawed(found) for _, found in search.kept)


def _is_flawed(found: Found) -> bool:
    """Whether its end is missing, or its bytes are others than they were; a sound one is looked for then."""
    is_cut_off = found.truncated or bool(found.exchange.truncated)
    return is_cut_off or any(finding.code in _FLAWS for finding in found.findings)


def _version(number: int, found: Found, asker: Asker) -> Version:
    """What something is worth that came."""
    tier = Tier.WHOLE
    if 300 <= (found.held.status or 200) < 400:
        tier = Tier.REDIRECT
    elif _is_flawed(found):
        tier = Tier.CUT_OFF
    elif found.fidelity is Fidelity.CONVERTED:
        tier = Tier.CONVERTED
    is_raw = found.fidelity in (Fidelity.ORIGINAL, Fidelity.RAW)
    traits = asker.traits(found.held.repository)
    micros = found.held.moment.micros if found.held.moment is not None else None
    return Version(number, tier, micros, is_raw, traits.requests_per_resource, repository=traits.name)
