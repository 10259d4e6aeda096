"""Finding the version of a resource to keep: in as few requests as can be, or as the published policies do it; which
flaws make it look further, who is asked without having listed it, and why none was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from webkeep.document import PlaceholderSuspicion
from webkeep.formats.status import is_redirection
from webkeep.model import Finding, Moment
from webkeep.recover.judging.placeholder_detection import detect_placeholder
from webkeep.recover.judging.response_checks import (
    HEAD_ONLY,
    describe_error_status,
    is_body_missing,
    is_truncated,
    mismatch_reason,
)
from webkeep.recover.judging.url_identity import is_image_url
from webkeep.recover.judging.version_ranking import (
    AvailableVersion,
    VersionPreference,
    VersionTier,
    rank_key,
    rank_versions,
    rate_version,
)
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import (
    FetchedVersion,
    ListedVersion,
    MissReason,
    RepositoryMiss,
    VersionFidelity,
    VersionResult,
)
from webkeep.recover.run.repository_pool import RepositoryPool
from webkeep.recover.state.recovery_store import (
    HeldVersion,
    RecoveredResource,
    RecoveryState,
    RecoveryStore,
    VersionState,
)

VersionJudge = Callable[[RecoveredResource, FetchedVersion], str]
"""Says why what came does not show the resource; "" where it does."""

SOFT_404 = "soft-404"
"""The code of a flaw of home pages: they say that they are not there. One that does not is looked for."""
_FLAW_CODES = frozenset({"digest-contradicted", "short-copy", "cut-off", "record-cut", SOFT_404})
_MAX_FLAWED_BYTES = 64 << 20
"""How many bytes of flawed versions of a resource are taken in, in the search for one that is whole."""
_FLAWED_REMARK = "it is cut off, or not what it was"
_FINAL_STATES = frozenset({VersionState.REFUSED, VersionState.ABSENT})


@dataclass(slots=True)
class VersionSearch:
    """How the search for one resource went."""

    resource: RecoveredResource
    accepted: list[tuple[int, FetchedVersion]] = field(default_factory=list)
    """The held versions to be kept, the chosen one first."""
    misses: list[RepositoryMiss] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    held_versions: dict[int, HeldVersion] = field(default_factory=dict)
    """What was known to be held when it began."""

    def accept_instead(self, number: int, found: FetchedVersion) -> None:
        """Keep this version alone."""
        self.accepted = [(number, found)]

    @property
    def retry_at(self) -> Moment | None:
        """When to try again, where a limit was in the way."""
        moments = [
            miss.retry_at for miss in self.misses if miss.reason is MissReason.LIMIT and miss.retry_at is not None
        ]
        return min(moments, default=None)

    @property
    def has_trouble(self) -> bool:
        """Whether something went wrong that may pass."""
        return any(miss.reason in (MissReason.TROUBLE, MissReason.ADVERTISED) for miss in self.misses)

    @property
    def miss_note(self) -> str:
        """Why nothing was found, in a few words."""
        shown = ", ".join(dict.fromkeys([*self._earlier_remarks(), *self.refused]))
        miss = next((miss for miss in self.misses if miss.reason is not MissReason.NOT_HELD), None)
        if shown and miss is not None:
            return f"held as {shown}; another version could not be had: {miss.detail or miss.reason.value}"
        if shown:
            return f"held only as {shown}"
        if miss is not None:
            return f"{miss.reason.value}: {miss.detail}" if miss.detail else miss.reason.value
        absent = (each.remark for each in self.held_versions.values() if each.state is VersionState.ABSENT)
        detail = next(filter(None, absent), "")
        return f"{MissReason.ADVERTISED.value}: {detail}" if detail else MissReason.NOT_HELD.value

    def _earlier_remarks(self) -> Iterator[str]:
        """What versions show in place of the resource, by what came of them before or by what is listed."""
        for held in self.held_versions.values():
            if held.state is VersionState.REFUSED:
                yield held.remark
            elif error := describe_error_status(held.listed.status):
                yield error


class VersionFinder:
    """Finds versions."""

    def __init__(
        self, plan: RecoveryPlan, pool: RepositoryPool, recovery_store: RecoveryStore, judge: VersionJudge
    ) -> None:
        self._plan = plan
        self._client = pool
        self._store = recovery_store
        self._judge = judge
        self._homes = frozenset(map(plan.identity.key, plan.seeds))

    async def find(self, resource: RecoveredResource, versions: Iterable[HeldVersion]) -> VersionSearch:
        """What is to be kept of a resource, of which these versions are held."""
        search = VersionSearch(resource, held_versions={each.id: each for each in versions})
        if self._plan.policy.asks_everyone:
            await self._ask_all(search)
        else:
            await self._ask_best(search)
        return search

    def preference_for(self, resource: RecoveredResource) -> VersionPreference:
        """Which version is wanted: of a part, the one nearest to its page."""
        preference = self._plan.preference
        return (
            preference
            if resource.wanted is None
            else VersionPreference(Moment(resource.wanted), preference.period, preference.any_form)
        )

    def rate_versions(self, versions: Iterable[HeldVersion]) -> list[AvailableVersion]:
        """What held versions are worth, less those that are known to be no good or that nobody can be asked for."""
        found = []
        for held in versions:
            is_had = held.state is VersionState.STORED
            if held.state in _FINAL_STATES or not (is_had or self._client.has_repository(held.listed.repository)):
                continue
            traits = self._client.traits(held.listed.repository)
            version = rate_version(held.id, held.listed, traits, held.state is VersionState.DOUBTFUL)
            if version is not None:
                found.append(version)
        return found

    async def _ask_best(self, search: VersionSearch) -> None:
        """Ask for the best by the lists, and for the next best only where that came to nothing."""
        resource = search.resource
        versions = search.held_versions
        order = rank_versions(self.rate_versions(versions.values()), self.preference_for(resource))
        wanted = [each for each in order if versions[each.number].state is VersionState.WANTED]
        for version in wanted:
            await self._try_version(search, versions[version.number])
        if not _has_complete(search) and resource.chosen is None:
            await self._fall_back(search, [versions[each.number] for each in order if each not in wanted])

    async def _fall_back(self, search: VersionSearch, order: Iterable[HeldVersion]) -> None:
        await self._try_in_order(search, order)
        if not _has_complete(search):
            await self._ask_unlisted(search)
        self._keep_best(search)

    async def _try_in_order(
        self, search: VersionSearch, order: Iterable[HeldVersion], past_misses: bool = True
    ) -> None:
        """Try versions until a whole one comes, or too much comes that is not."""
        in_vain = 0
        for held in order:
            misses = len(search.misses)
            if await self._try_version(search, held):
                in_vain += search.accepted[-1][1].exchange.body.size
                if _has_complete(search) or in_vain > _MAX_FLAWED_BYTES:
                    return
            elif len(search.misses) > misses and not past_misses:
                return

    def _keep_best(self, search: VersionSearch) -> None:
        """Keep the best of what came, and pass over the rest."""
        preference = self.preference_for(search.resource)
        search.accepted.sort(key=lambda each: rank_key(_rate_fetched(each[0], each[1], self._client), preference))
        for number, found in search.accepted[1:]:
            self._store.mark_version(number, VersionState.PASSED_OVER, _FLAWED_REMARK if _is_flawed(found) else "")
        del search.accepted[1:]

    async def _ask_unlisted(self, search: VersionSearch) -> None:
        """Ask those who may hold it without having said so."""
        resource = search.resource
        known = {each.listed.repository for each in search.held_versions.values()}
        for name in self._client.likely_holders(resource.url):
            if name in known:
                continue
            await self._ask_nearest(search, name)
            if _has_complete(search):
                break

    async def _ask_nearest(self, search: VersionSearch, name: str) -> None:
        """Ask for the version that is nearest to the wanted one; where that is no good, for the others."""
        result = await self._client.fetch_nearest(name, search.resource.url, self.preference_for(search.resource).at)
        is_good = self._accept(search, None, result) and not _is_flawed(search.accepted[-1][1])
        if not is_good and isinstance(result, FetchedVersion):
            await self._ask_other_versions(search, result.listed)

    async def _ask_other_versions(self, search: VersionSearch, came: ListedVersion) -> None:
        """Ask a repository for other versions than one that was no good, by what it says that there is."""
        resource = search.resource
        told = await self._client.list_versions(came.repository, came.url)
        others = [each for each in told if each.moment != came.moment]
        self._store.add_versions([(resource.key, resource.priority, each) for each in others], RecoveryState.QUEUED)
        fresh = {
            each.id: each
            for each in self._store.held_versions(resource.id)
            if each.listed.repository == came.repository and each.listed.moment != came.moment
        }
        search.held_versions |= fresh
        order = rank_versions(self.rate_versions(fresh.values()), self.preference_for(resource))
        await self._try_in_order(search, [fresh[each.number] for each in order])

    async def _ask_all(self, search: VersionSearch) -> None:
        """Ask everyone who may have it, and keep the best of what came; of a picture, the first will do."""
        resource = search.resource
        known = search.held_versions
        order: dict[str, list[HeldVersion]] = {}
        for version in rank_versions(self.rate_versions(known.values()), self.preference_for(resource)):
            order.setdefault(version.repository, []).append(known[version.number])
        names = dict.fromkeys([*order, *self._client.likely_holders(resource.url)])
        for name in sorted(names, key=lambda each: self._client.query_order(each, resource.url)):
            if name in order:
                await self._try_in_order(search, order[name], past_misses=False)
            else:
                await self._ask_nearest(search, name)
            if is_image_url(resource.url) and _has_complete(search):
                break
        self._keep_best(search)

    async def _try_version(self, search: VersionSearch, held: HeldVersion) -> bool:
        return self._accept(search, held, await self._client.fetch_version(held.listed))

    def _accept(self, search: VersionSearch, held: HeldVersion | None, result: VersionResult) -> bool:
        """Whether what came is good; it is remembered, and so is why not."""
        if isinstance(result, RepositoryMiss):
            search.misses.append(result)
            if held is not None and result.reason is not MissReason.LIMIT:
                taken = VersionState.ABSENT if result.is_final and search.resource.tries else VersionState.TROUBLE
                self._store.mark_version(held.id, taken, result.detail)
            return False
        number = self._version_number(search.resource, held, result.listed)
        against = self.refusal_reason(search.resource, result)
        if against:
            search.refused.append(against)
            self._store.mark_version(number, VersionState.REFUSED, against)
            return False
        if not self._plan.preference.period.covers(result.exchange.moment):
            self._store.mark_version(number, VersionState.REFUSED, "outside the period")
            search.refused.append("a version outside the period")
            return False
        search.accepted.append((number, self._examine(search.resource, result)))
        return True

    def _examine(self, resource: RecoveredResource, found: FetchedVersion) -> FetchedVersion:
        """What came, with what is wrong with it though it is good enough if nothing better comes."""
        if is_truncated(found.exchange):
            found = replace(found, is_truncated=True)
        is_home = self._plan.suspicious and resource.key in self._homes
        if is_home and detect_placeholder(found.exchange) is PlaceholderSuspicion.SOFT_404:
            flaw = Finding(SOFT_404, found.listed.uri, 0, PlaceholderSuspicion.SOFT_404.value)
            found = replace(found, findings=(*found.findings, flaw))
        return found

    def refusal_reason(self, resource: RecoveredResource, found: FetchedVersion) -> str:
        """Why something that came is not to be kept; "" where it is."""
        against = mismatch_reason(resource, found, self._plan.identity)
        if not against and is_body_missing(found.exchange):
            against = HEAD_ONLY
        return against or (self._judge(resource, found) if self._plan.suspicious else "")

    def _version_number(self, resource: RecoveredResource, held: HeldVersion | None, came: ListedVersion) -> int:
        """The number of the version that really came, which may be another than was asked for."""
        if held is not None and held.listed.moment == came.moment:
            return held.id
        if held is not None:
            self._store.mark_version(held.id, VersionState.ABSENT, f"{came.moment} came in its place")
        return self._store.version_number(resource.id, came)


def _has_complete(search: VersionSearch) -> bool:
    """Whether something came that is whole."""
    return any(not _is_flawed(found) for _, found in search.accepted)


def _is_flawed(found: FetchedVersion) -> bool:
    """Whether its end is missing, or its bytes are others than they were; a sound one is looked for then."""
    is_cut_off = found.is_truncated or bool(found.exchange.truncated)
    return is_cut_off or any(finding.code in _FLAW_CODES for finding in found.findings)


def _rate_fetched(number: int, found: FetchedVersion, pool: RepositoryPool) -> AvailableVersion:
    """What something is worth that came."""
    tier = VersionTier.WHOLE
    if is_redirection(found.listed.status):
        tier = VersionTier.REDIRECT
    elif _is_flawed(found):
        tier = VersionTier.CUT_OFF
    elif found.fidelity is VersionFidelity.CONVERTED:
        tier = VersionTier.CONVERTED
    is_raw = found.fidelity in (VersionFidelity.ORIGINAL, VersionFidelity.RAW)
    traits = pool.traits(found.listed.repository)
    micros = found.listed.moment.micros if found.listed.moment is not None else None
    return AvailableVersion(number, tier, micros, is_raw, traits.requests_per_resource, repository=traits.name)
