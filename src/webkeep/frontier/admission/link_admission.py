"""Link admission: which of the links, seeds, redirects and sitemaps that are found go into the URL store, and under
which identity, without fragment, user name and password.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from webkeep.errors import UsageError
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.frontier.admission.crawl_totals import MAX_SITEMAPS
from webkeep.frontier.admission.dispatch_checks import check_sitemap_limits, quota_reached
from webkeep.frontier.admission.link_candidates import (
    LinkClaim,
    RecentLinks,
    candidate_from_link,
    candidate_from_redirect,
    candidate_from_sitemap,
    has_foreign_scheme,
    link_claim_of,
)
from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.admission.scope_check import admit_candidate, is_http_url
from webkeep.frontier.hosts.host import Host, host_key_of
from webkeep.frontier.hosts.host_registry import HostRegistry
from webkeep.frontier.policy.ranking import CandidateRanking
from webkeep.frontier.traps.trap_detector import TrapDetector
from webkeep.frontier.urls.candidate import Candidate, UrlRole, with_rank
from webkeep.frontier.urls.url_store import Admission
from webkeep.model import UrlOutcome
from webkeep.url import normalize_url, resolve_url
from webkeep.url.canonical import FETCH_IDENTITY, drop_userinfo, recipe

_MAX_CLAIMS = 10_000
"""Claims kept to be shared; most links of a capture make one of few."""
_MAX_SCHEME_CHARS = 12
"""No address that can be asked for has its `://` later than that."""
_IDENTITY = FETCH_IDENTITY.with_(drop_userinfo)
_WITHOUT_USERINFO = recipe(drop_userinfo)
_FOREIGN_SCHEME = "a page may not lead to another scheme than the web's"


UrlNaming = Callable[[str], str]
"""Gives the name under which a URL is in the URL store, where that is not the URL itself."""


class LinkAdmission:
    """Makes admissions of what is found; `serial` says how many URLs are known already."""

    def __init__(
        self,
        state: PolicyState,
        ranking: CandidateRanking,
        traps: TrapDetector,
        hosts: HostRegistry,
        serial: int,
        naming: UrlNaming | None = None,
    ) -> None:
        self._state = state
        self._ranking = ranking
        self._traps = traps
        self._hosts = hosts
        self._serial = serial
        self._naming = naming
        self._recent = RecentLinks()
        self._claims: dict[LinkClaim, LinkClaim] = {}

    def forget_known(self) -> None:
        """The policy is another one, by which links that were known may be new."""
        self._recent.clear()
        self._claims.clear()

    def admit_seeds(self, urls: Iterable[str]) -> Iterator[Admission]:
        """What a person named."""
        for text in urls:
            url = self._fetch_identity_of(text)
            if not url:
                raise UsageError(f"seed {text[:200]!r} is no web address: write it as https://example.org/")
            yield self.admit(Candidate(0, url, host_key_of(url), UrlRole.SEED))

    def admit_suggestions(self, urls: Iterable[str]) -> Iterator[Admission]:
        """Pages that were known before, by their identities; those out of scope are nothing to speak of."""
        for url in urls:
            admission = self.admit(Candidate(0, url, host_key_of(url)))
            if admission.outcome is UrlOutcome.QUEUED:
                yield admission

    def admit_links(self, page: Candidate, links: Iterable[Link], redirect: str = "") -> Iterator[Admission]:
        """The links of a page that may be new.

        One that leads where the page redirects to is left to `admit_redirect`: as a link it would begin a new chain.
        """
        target = self._normalize_link(redirect)
        claims = {(role, guess): self._share_claim(page, role, guess) for role in LinkRole for guess in (False, True)}
        is_news = self._recent.is_new
        for link in self._traps.watch_links(page, links):
            url = self._normalize_link(link.url)
            if url != target and is_news(url, claims[link.role, link.guess]) and "://" in url[:_MAX_SCHEME_CHARS]:
                yield self._admit_target(page, candidate_from_link(page, url, link))

    def admit_redirect(self, source: Candidate, target: str) -> Admission | None:
        """Where a redirect leads, if that is an address."""
        url = self._fetch_identity_of(target)
        return self._admit_target(source, candidate_from_redirect(source, url)) if url else None

    def admit_sitemaps(self, host: Host, via: int, texts: Iterable[str]) -> Iterator[Admission]:
        """The sitemaps that a host's robots.txt names."""
        for text in islice(texts, MAX_SITEMAPS):
            href = resolve_url(host.robots_url, text)
            if href is not None and is_http_url(href):
                yield self.admit(
                    candidate_from_sitemap(self._apply_naming(_IDENTITY(href)), host.key, via, self._state.policy.depth)
                )

    def admit(self, candidate: Candidate) -> Admission:
        """What becomes of a candidate by all that is known now."""
        admission = admit_candidate(self._state.policy, self._traps, candidate)
        if admission.outcome is not UrlOutcome.QUEUED:
            return admission
        host = self._hosts.get(candidate.host)
        if host is not None and host.closed is not None:
            return Admission(admission.candidate, host.closed.outcome, host.closed.reason)
        limit = self._state.totals.limit_reached(self._state.policy)
        limit = limit or (quota_reached(self._state.policy, host, candidate.role) if host else "")
        if limit:
            return Admission(admission.candidate, UrlOutcome.CUT, limit)
        settled = check_sitemap_limits(self._state.policy, self._traps, self._state.totals, candidate)
        if settled is not None:
            return Admission(admission.candidate, settled.outcome, settled.reason)
        self._serial += 1
        return Admission(with_rank(admission.candidate, self._ranking.rank(admission.candidate, self._serial)))

    def _normalize_link(self, url: str) -> str:
        """A URL in its normal form without fragment, and without names and passwords, which are not stored."""
        bare = url.partition("#")[0]
        if "@" in bare:
            bare = _WITHOUT_USERINFO(bare)
        return bare if self._naming is None else self._naming(bare)

    def _fetch_identity_of(self, text: str) -> str:
        """The fetch identity of an address, or nothing where it is none that could be asked for."""
        href = normalize_url(text)
        return self._apply_naming(_IDENTITY(href)) if href is not None and "://" in href[:_MAX_SCHEME_CHARS] else ""

    def _apply_naming(self, url: str) -> str:
        return url if self._naming is None else self._naming(url)

    def _admit_target(self, source: Candidate, target: Candidate) -> Admission:
        return (
            Admission(target, UrlOutcome.OUT_OF_SCOPE, _FOREIGN_SCHEME)
            if has_foreign_scheme(source, target)
            else self.admit(target)
        )

    def _share_claim(self, page: Candidate, role: LinkRole, guess: bool) -> LinkClaim:
        """What a page says for the targets of its links, the same object for the same claim."""
        if len(self._claims) >= _MAX_CLAIMS:
            self._claims.clear()
        claim = link_claim_of(page, role, guess, self._state.policy.depth is not None)
        return self._claims.setdefault(claim, claim)
