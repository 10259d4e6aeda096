"""Pages taken at a moment at which their parts fit them: another version of a page is asked for if that is worth it;
how many versions are compared, and how many violations must be saved.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.recover.judging.page_composition import PageCandidate, PageComposition, choose_from_histories, compose_page
from webkeep.recover.judging.response_checks import is_truncated
from webkeep.recover.judging.version_ranking import AvailableVersion, VersionTier, rank_versions
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import FetchedVersion
from webkeep.recover.run.embed_choice import EmbedChooser
from webkeep.recover.run.recovered_links import extract_page_links
from webkeep.recover.run.repository_pool import RepositoryPool
from webkeep.recover.run.version_search import VersionFinder, VersionSearch
from webkeep.recover.state.recovery_store import RecoveryStore, VersionState

_MAX_VERSIONS_COMPARED = 24
"""The best-ranked versions of a page whose parts are looked at."""
_MIN_VIOLATIONS_SAVED = 0.25
"""How many violations less are to be expected of another version of a page, for that to be asked for."""
_WORSE_FIT_REMARK = "its parts fit another version better"


class PageRefits:
    """Looks whether another version of a page goes better with its parts than the one that came."""

    def __init__(
        self,
        plan: RecoveryPlan,
        recovery_store: RecoveryStore,
        pool: RepositoryPool,
        finder: VersionFinder,
        parts: EmbedChooser,
    ) -> None:
        self._plan = plan
        self._store = recovery_store
        self._client = pool
        self._finder = finder
        self._embed_chooser = parts

    async def refit_page(self, search: VersionSearch) -> None:
        """Take another version of a page, where its parts fit that one better."""
        number, found = search.accepted[0]
        resource = search.resource
        if resource.is_embed or resource.chosen is not None or len(search.accepted) > 1:
            return
        held_version = search.held_versions
        versions = rank_versions(self._finder.rate_versions(held_version.values()), self._plan.preference)[
            :_MAX_VERSIONS_COMPARED
        ]
        if len(versions) < 2 or all(each.number != number for each in versions):
            return
        embeds = self._embedded_keys(found)
        held = {key: self._embed_chooser.embed_history(key) for key in embeds}
        preference = self._plan.preference
        own = compose_page(PageCandidate(version_from_fetched(found, number), embeds), held, preference)
        if not own.violative and own.doubtful < _MIN_VIOLATIONS_SAVED:
            return
        best = choose_from_histories(
            [PageCandidate(each, embeds) for each in versions], held, preference, self._plan.reach
        )
        if best is None or best.page.number == number or not _is_much_better(best, own):
            return
        result = await self._client.fetch_version(held_version[best.page.number].listed)
        if (
            not isinstance(result, FetchedVersion)
            or self._finder.refusal_reason(resource, result)
            or is_truncated(result.exchange)
        ):
            return
        embeds = self._embedded_keys(result)
        held |= {key: self._embed_chooser.embed_history(key) for key in embeds}
        other = compose_page(PageCandidate(version_from_fetched(result, best.page.number), embeds), held, preference)
        if other.cost < own.cost:
            search.accept_instead(best.page.number, result)
        self._store.mark_version(
            number if search.accepted[0][0] != number else best.page.number, VersionState.PASSED_OVER, _WORSE_FIT_REMARK
        )

    def _embedded_keys(self, found: FetchedVersion) -> Sequence[str]:
        links = extract_page_links(found.exchange).links
        bounds = self._plan.url_scope
        keys = [self._plan.identity.key(url) for url, is_embed, is_guess in links if is_embed and not is_guess
                and bounds.judge(url, embedded=True).is_allowed]  # fmt: skip
        return list(dict.fromkeys(keys))


def _is_much_better(one: PageComposition, other: PageComposition) -> bool:
    """Whether one is worth a request more than the other."""
    if (one.missing, one.violative) != (other.missing, other.violative):
        return (one.missing, one.violative) < (other.missing, other.violative)
    return one.doubtful < other.doubtful - _MIN_VIOLATIONS_SAVED


def version_from_fetched(found: FetchedVersion, number: int = 0) -> AvailableVersion:
    """A page that came, as far as its moment goes."""
    return AvailableVersion(number, VersionTier.WHOLE, found.exchange.moment.micros, repository=found.listed.repository)
