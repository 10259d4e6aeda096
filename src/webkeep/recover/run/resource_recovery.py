"""Recovering one resource: its best version is found, kept with its provenance, and followed where it leads; how often
it is tried again, by which other names it may be held, and which priority its links get.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from webkeep.document import PlaceholderSuspicion
from webkeep.errors import StorageError
from webkeep.recover.judging.url_aliases import UrlAliasRule, find_alias_rules
from webkeep.recover.judging.url_identity import toggle_slash
from webkeep.recover.judging.version_ranking import rank_versions
from webkeep.recover.plan import RecoveryPolicy
from webkeep.recover.repositories.repository import FetchedVersion
from webkeep.recover.run.embed_choice import EmbedChooser
from webkeep.recover.run.page_refit import PageRefits, version_from_fetched
from webkeep.recover.run.recovered_links import RecoveredLinks
from webkeep.recover.run.recovery_context import RecoveryContext
from webkeep.recover.run.repository_pool import RepositoryPool
from webkeep.recover.run.site_listing import ORPHAN_PRIORITY, orphan_priority
from webkeep.recover.run.version_search import SOFT_404, VersionFinder, VersionSearch
from webkeep.recover.state.provenance import build_provenance
from webkeep.recover.state.recovery_store import (
    DiscoveredUrl,
    HeldVersion,
    RecoveredResource,
    RecoveryState,
    VersionState,
)
from webkeep.url import normalize_url

_RETRY_PRIORITY = 1_000_000
"""What failed once waits with this priority, behind everything that was not tried yet."""
_MAX_TRIES = 2
"""How often a resource that had trouble is tried again before it counts as missing."""


class ResourceRecovery:
    """Recovers resources, one by one."""

    def __init__(
        self, context: RecoveryContext, client: RepositoryPool, finder: VersionFinder, stop: Callable[[], None]
    ) -> None:
        """`stop` is called when there is nobody left to ask."""
        self._plan, self._store, self._sink = context.plan, context.store, context.sink
        self._clock, self._observer = context.clock, context.observer
        self._client, self._finder, self._stop = client, finder, stop
        self.embeds = EmbedChooser(context.store, finder, context.plan.preference)
        self._pages = PageRefits(context.plan, context.store, client, finder, self.embeds)
        self._alias_rules: list[UrlAliasRule] | None = None
        """None until something is missing that may be held by another name."""
        self.stored_count = 0
        """How many versions were stored."""

    def forget_aliases(self) -> None:
        """More is known of what is held: which names a site had for one thing is found out anew."""
        self._alias_rules = None

    async def recover(self, resource: RecoveredResource, versions: Sequence[HeldVersion]) -> None:
        """Have it back, or know why not."""
        try:
            search = await self._finder.find(resource, versions)
            if search.accepted and self._plan.policy is RecoveryPolicy.SPARING:
                await self._pages.refit_page(search)
            if search.accepted:
                await self._store_versions(search)
            else:
                self._record_miss(search)
            if resource.id in self.embeds.wanting:  # since it was begun, a page came to need another version
                self._store.requeue(resource.id)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one URL brings about, the others are not to suffer from it
            note = f"an error of webkeep ({type(error).__name__}: {error})"
            self._observer.on_note(f"{resource.url}: {note}; please report this")
            self._store.finish_resource(resource.id, RecoveryState.MISSING, note=note)

    def _record_miss(self, search: VersionSearch) -> None:
        resource, again = search.resource, search.retry_at
        if self._client.are_all_unreachable:
            self._stop()
            return  # it stays to be asked for when somebody answers
        if resource.chosen is not None:  # another version was wanted, and cannot be had
            self._store.finish_resource(resource.id, RecoveryState.RECOVERED)
        elif again is not None:
            self._store.postpone(resource.id, again, search.miss_note)
        elif search.has_trouble and resource.tries < _MAX_TRIES:
            self._store.postpone(resource.id, self._clock.now(), search.miss_note, _RETRY_PRIORITY)
        elif not self._merge_with_alias(resource):
            self._store.finish_resource(resource.id, RecoveryState.MISSING, note=search.miss_note)
            self._observer.on_missing(resource, search.miss_note)

    def _merge_with_alias(self, resource: RecoveredResource) -> bool:
        """Whether the same is held with or without a slash at its end, or by another name that the site had for it."""
        for key in (toggle_slash(resource.key), *self._alias_keys(resource.key)):
            other = self._store.find_resource(key) if key != resource.key else None
            if other is not None and (other.state is RecoveryState.RECOVERED or self._store.held_versions(other.id)):
                self._store.merge_resources(resource, other)
                return True
        return False

    def _alias_keys(self, key: str) -> Iterator[str]:
        if self._alias_rules is None:
            self._alias_rules = find_alias_rules(self._store)
        return (rule.apply(key) for rule in self._alias_rules)

    async def _store_versions(self, search: VersionSearch) -> None:
        resource = search.resource
        is_known = len(search.held_versions) < 2 and not search.misses and not search.refused
        holdings = list(search.held_versions.values()) if is_known else self._store.held_versions(resource.id)
        for number, found in search.accepted:
            others = [(each.listed, each.remark) for each in holdings if each.id != number]
            why = "asked for" if len(holdings) < 2 else f"the best of {len(holdings)}"
            provenance = build_provenance(resource.key, found, others, why, resource.is_current)
            studied = await self._sink.store_version(resource, found, provenance)
            self._store.mark_version(number, VersionState.STORED, facts=_version_facts(found))
            self._follow_links(resource, found, studied)
            self.stored_count += 1
        self._store.finish_resource(resource.id, RecoveryState.RECOVERED, self._choose_shown(search, holdings))
        found = search.accepted[0][1]
        self._observer.on_recovered(resource, found.listed.repository)
        if found.is_truncated:
            self._observer.on_truncated(resource, found.listed.repository)
        if any(finding.code == SOFT_404 for finding in found.findings):
            self._observer.on_note(f"{resource.url} is back as {PlaceholderSuspicion.SOFT_404}; no other version came")

    def _choose_shown(self, search: VersionSearch, versions: Sequence[HeldVersion]) -> int | None:
        """The version to be shown of a resource by itself; None where that stays what it was."""
        resource, number = search.resource, search.accepted[0][0]
        if resource.chosen is None:
            return number
        order = rank_versions(self._finder.rate_versions(versions), self._finder.preference_for(resource))
        places = {version.number: place for place, version in enumerate(order)}
        last = len(order)
        return number if places.get(number, last) <= places.get(resource.chosen, last) else None

    def _follow_links(self, resource: RecoveredResource, found: FetchedVersion, extracted: RecoveredLinks) -> None:
        """Enter where something leads, and choose the versions of what it needs."""
        sure: list[DiscoveredUrl] = []
        guesses: list[DiscoveredUrl] = []
        embeds: list[str] = []
        moment = found.exchange.moment.micros
        for url, is_embed, is_guess in extracted.links:
            if url == extracted.redirect or not self._plan.url_scope.judge(url, embedded=is_embed).is_allowed:
                continue
            entry = self._discovered_url(resource, url, is_embed, moment)
            (guesses if is_guess else sure).append(entry)
            if is_embed and not is_guess:
                embeds.append(entry.key)
        if extracted.redirect and self._plan.url_scope.judge(extracted.redirect, embedded=resource.is_embed).is_allowed:
            sure.append(self._discovered_url(resource, extracted.redirect, resource.is_embed, moment))
        if sure:
            self._store.enqueue(sure)
        if guesses:
            self._store.promote_listed(guesses)
        if embeds and self._plan.policy is RecoveryPolicy.SPARING:
            self.embeds.choose_embeds(version_from_fetched(found), embeds)

    def _discovered_url(self, resource: RecoveredResource, url: str, is_embed: bool, moment: int) -> DiscoveredUrl:
        if resource.is_current:
            level = resource.priority - resource.priority % 10
            priority = min(level + (1 if is_embed else 10), ORPHAN_PRIORITY - 1)
        else:
            priority = resource.priority + 1 if is_embed else orphan_priority(normalize_url(url) or url)
        wanted = (resource.wanted or moment) if is_embed else None
        return DiscoveredUrl(
            self._plan.identity.key(url), url, priority, resource.id, is_embed, resource.is_current, wanted
        )


def _version_facts(found: FetchedVersion) -> str:
    """What is kept in the recovery store of something that came."""
    facts = {
        "fidelity": found.fidelity.value,
        "truncated": found.is_truncated or bool(found.exchange.truncated),
        "url": found.exchange.url,
        "moment": found.exchange.moment.micros,
        "retrieved": found.retrieved.micros,
        "bytes": found.exchange.body.size,
        "status": found.listed.status,
    }
    return json.dumps(facts, separators=(",", ":"))
