"""Names that changed hands: whoever has the lost site's name later fills it with something else. Here is decided how
few words, titles or links home pages share when they are of two owners, and from when on.

Archives go on capturing such a name, so that the newest version is the wrong one. A break shows in the lists first:
from some version of the home page on, hardly anything is captured that shows the same as before. Whether that is
another owner or a new design, the home pages tell: a new design keeps words, its title or some of its links. If the
newest is of another owner than the oldest, the first one of his is sought by halves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webkeep.document import PlaceholderSuspicion, read_visible_lines
from webkeep.formats.codings import decode_body
from webkeep.formats.http import declared_charset, parse_response
from webkeep.formats.status import OK, is_successful
from webkeep.model import Exchange, Moment
from webkeep.presentation import format_count, format_date
from webkeep.recover.judging.response_checks import describe_error_status
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import FetchedVersion
from webkeep.recover.run.recovered_links import extract_page_links
from webkeep.recover.run.repository_pool import RepositoryPool
from webkeep.recover.state.recovery_store import HeldVersion, RecoveredResource, RecoveryStore, VersionState
from webkeep.recover.state.version_doubts import has_version_before, is_content_break, refuse_versions_from
from webkeep.url import split_url

_MAX_PAGE_BYTES = 512 * 1024
"""Of a home page: its title and first words tell whose it is."""
_SAME_OWNER_WORD_SHARE = 0.15
"""Pages that share so many of their words have the same owner."""
_WORD = re.compile(r"\w{4,}")
_TITLE = re.compile(rb"<title[^>]*>(.{0,400}?)</title", re.IGNORECASE | re.DOTALL)
_MIN_WORDS = 5
"""With fewer, two pages that share none may still be of one owner."""
_OTHER_OWNER_LINK_SHARE = 0.2
"""Of a strange home page, at most this share of its links leads to what was there before."""
_MAX_BREAK_CHECKS = 12
"""Home pages of different times that are asked for: each is a request to an archive."""


@dataclass(frozen=True, slots=True)
class HomePageFacts:
    """What a home page says and where it leads."""

    words: frozenset[str]
    title: frozenset[str]
    links: frozenset[str]
    """The keys of what it leads to."""


def read_home_page(exchange: Exchange, key: Callable[[str], str]) -> HomePageFacts:
    """Read a home page; the site's own name is on every page and tells nothing."""
    headers = parse_response(exchange.response).headers
    content = b"".join(decode_body(headers, exchange.body.chunks(), _MAX_PAGE_BYTES))
    name = frozenset(_WORD.findall(split_url(exchange.url).host.lower()))
    words = frozenset(_WORD.findall(" ".join(read_visible_lines(content, declared_charset(headers))).lower()))
    match = _TITLE.search(content)
    title = frozenset(_WORD.findall(match[1].decode("utf-8", "replace").lower())) if match else frozenset()
    links, redirect = extract_page_links(exchange)
    goals = [url for url, is_embed, _ in links if not is_embed] + [redirect] * bool(redirect)
    return HomePageFacts(words - name, title - name, frozenset(map(key, goals)))


def has_other_owner(before: HomePageFacts, after: HomePageFacts, was_there: Callable[[str], bool]) -> bool:
    """Whether a home page is of someone else than an earlier one."""
    if min(len(before.words), len(after.words)) < _MIN_WORDS or before.title & after.title:
        return False
    shared = len(before.words & after.words) / min(len(before.words), len(after.words))
    led_back = sum(map(was_there, after.links))
    return shared < _SAME_OWNER_WORD_SHARE and led_back <= _OTHER_OWNER_LINK_SHARE * len(after.links)


async def refuse_later_owners(plan: RecoveryPlan, recovery_store: RecoveryStore, pool: RepositoryPool) -> list[str]:
    """Refuse versions from the moment on at which a seed's name changed hands; gives what is to be said of it."""
    told = []
    for seed in plan.seeds:
        home = recovery_store.find_resource(plan.identity.key(seed))
        moment = None if home is None else await _OwnerSearch(plan, recovery_store, pool, home).find_takeover()
        if moment is not None:
            count = refuse_versions_from(recovery_store, moment.micros, PlaceholderSuspicion.TAKEN_OVER.value)
            told.append(
                f"{seed} is someone else's from {format_date(moment)} on; {format_count(count, 'version')} left out "
                "(--trust-all)"
            )
    return told


class _OwnerSearch:
    """Finds out when a home page came to be someone else's."""

    def __init__(
        self, plan: RecoveryPlan, recovery_store: RecoveryStore, pool: RepositoryPool, home: RecoveredResource
    ) -> None:
        self._key = plan.identity.key
        self._store = recovery_store
        self._client = pool
        self._home = home
        self._held_versions = _dated_pages(recovery_store.held_versions(home.id))

    async def find_takeover(self) -> Moment | None:
        """The moment of the first home page of another owner; None where there is none, or it cannot be told."""
        if len(self._held_versions) < 2 or not self._has_content_break():
            return None
        first = await self._fetch_home_page(0)
        if first is None or not await self._is_other_owner(first, len(self._held_versions) - 1):
            return None
        ours, strange = 0, len(self._held_versions) - 1
        while strange - ours > 1:
            middle = (ours + strange) // 2
            if await self._is_other_owner(first, middle):
                strange = middle
            else:
                ours = middle
        moment = self._moment_at(strange)
        return moment if is_content_break(self._store, self._home.id, moment.micros) else None

    def _has_content_break(self) -> bool:
        """Whether there is a break somewhere, by some of the moments at which the home page was captured."""
        last = len(self._held_versions) - 1
        places = sorted({round(place * last / _MAX_BREAK_CHECKS) for place in range(1, _MAX_BREAK_CHECKS + 1)} - {0})
        return any(
            is_content_break(self._store, self._home.id, self._moment_at(place).micros) for place in reversed(places)
        )

    async def _is_other_owner(self, first: HomePageFacts, place: int) -> bool:
        """Whether a home page is of someone else than the first; one that cannot be had tells nothing."""
        front = await self._fetch_home_page(place)
        moment = self._moment_at(place).micros

        def was_there(key: str) -> bool:
            known = self._store.find_resource(key)
            return known is not None and known.id != self._home.id and has_version_before(self._store, known.id, moment)

        return front is not None and has_other_owner(first, front, was_there)

    async def _fetch_home_page(self, place: int) -> HomePageFacts | None:
        result = await self._client.fetch_version(self._held_versions[place].listed)
        if not isinstance(result, FetchedVersion) or describe_error_status(result.listed.status):
            return None
        return read_home_page(result.exchange, self._key)

    def _moment_at(self, place: int) -> Moment:
        return self._held_versions[place].listed.moment or Moment(0)


def _dated_pages(versions: Iterable[HeldVersion]) -> list[HeldVersion]:
    """Those that may show a page, by time."""
    usable = [
        each
        for each in versions
        if each.listed.moment is not None
        and each.state is VersionState.NOT_YET
        and is_successful(each.listed.status or OK)
    ]
    return sorted(usable, key=lambda each: each.listed.moment or Moment(0))
