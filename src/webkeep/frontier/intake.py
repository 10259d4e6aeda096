"""Intake: what goes into the book of the links that are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from webkeep.errors import UsageError
from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.frontier.admission import admit, is_web
from webkeep.frontier.book import Note
from webkeep.frontier.candidate import Candidate, Role, ranked
from webkeep.frontier.host import Host, host_of
from webkeep.frontier.hosts import Hosts
from webkeep.frontier.limits import MOST_SITEMAPS, Totals
from webkeep.frontier.linking import claim_of, declared, is_led_astray, linked, redirected
from webkeep.frontier.policy import Policy
from webkeep.frontier.recent import Claim, Recent
from webkeep.frontier.strategy import Strategy
from webkeep.frontier.traps import Traps
from webkeep.frontier.turn import quota_reached, sitemap_fate
from webkeep.model import Outcome
from webkeep.url import FETCH_IDENTITY, drop_userinfo, normal, recipe, resolve

_MOST_CLAIMS = 10_000
_LONGEST_SCHEME = 12
_IDENTITY = FETCH_IDENTITY.with_(drop_userinfo)
_WITHOUT_USERINFO = recipe(drop_userinfo)
_ASTRAY = "a page may not lead to another scheme than the web's"


Naming = Callable[[str], str]
"""Gives the name under which a URL is in the book, where that is not the URL itself."""


class Intake:
    """Makes notes of what is found; `serial` says how many URLs are known already."""

    def __init__(
        self,
        policy: Policy,
        strategy: Strategy,
        traps: Traps,
        hosts: Hosts,
        totals: Totals,
        serial: int,
        naming: Naming | None = None,
    ) -> None:
        self._policy = policy
        self._strategy = strategy
        self._traps = traps
        self._hosts = hosts
        self._totals = totals
        self._serial = serial
        self._naming = naming
        self._recent = Recent()
        self._claims: dict[Claim, Claim] = {}

    def follow(self, policy: Policy) -> None:
        """Go by another policy, by which links that were known may be news."""
        self._policy = policy
        self._recent.clear()
        self._claims.clear()

    def seeds(self, urls: Iterable[str]) -> Iterator[Note]:
        """What a person named."""
        for text in urls:
            url = self._identity(text)
            if not url:
                raise UsageError(f"seed {text[:200]!r} is no web address: write it as https://example.org/")
            yield self.note(Candidate(0, url, host_of(url), Role.SEED))

    def suggestions(self, urls: Iterable[str]) -> Iterator[Note]:
        """Pages that were known before, by their identities; those out of scope are nothing to speak of."""
        for url in urls:
            note = self.note(Candidate(0, url, host_of(url)))
            if note.outcome is Outcome.QUEUED:
                yield note

    def links(self, page: Candidate, links: Iterable[Link], redirect: str = "") -> Iterator[Note]:
        """The links of a page that may be news.

        One that leads where the page redirects to is left to `redirect`: as a link it would begin a new chain.
        """
        target = self._bare(redirect)
        claims = {(role, guess): self._claim(page, role, guess) for role in LinkRole for guess in (False, True)}
        is_news = self._recent.is_news
        for link in self._traps.watched(page, links):
            url = self._bare(link.url)
            if url != target and is_news(url, claims[link.role, link.guess]) and "://" in url[:_LONGEST_SCHEME]:
                yield self._led_to(page, linked(page, url, link))

    def redirect(self, source: Candidate, target: str) -> Note | None:
        """Where a redirect leads, if that is an address."""
        url = self._identity(target)
        return self._led_to(source, redirected(source, url)) if url else None

    def sitemaps(self, host: Host, via: int, texts: Iterable[str]) -> Iterator[Note]:
        """The sitemaps that a host's robots.txt names."""
        for text in islice(texts, MOST_SITEMAPS):
            href = resolve(host.robots_url, text)
            if href is not None and is_web(href):
                yield self.note(declared(self._named(_IDENTITY(href)), host.key, via, self._policy.depth))

    def note(self, candidate: Candidate) -> Note:
        """What becomes of a candidate by all that is known now."""
        note = admit(self._policy, self._traps, candidate)
        if note.outcome is not Outcome.QUEUED:
            return note
        host = self._hosts.known(candidate.host)
        if host is not None and host.closed is not None:
            return Note(note.candidate, host.closed.outcome, host.closed.reason)
        limit = self._totals.limit_reached(self._policy)
        limit = limit or (quota_reached(self._policy, host, candidate.role) if host else "")
        if limit:
            return Note(note.candidate, Outcome.CUT, limit)
        fate = sitemap_fate(self._policy, self._traps, self._totals, candidate)
        if fate is not None:
            return Note(note.candidate, fate.outcome, fate.reason)
        self._serial += 1
        return Note(ranked(note.candidate, self._strategy.rank(note.candidate, self._serial)))

    def _bare(self, url: str) -> str:
        """A URL in its normal form without fragment, and without names and passwords: those belong into no book."""
        bare = url.partition("#")[0]
        if "@" in bare:
            bare = _WITHOUT_USERINFO(bare)
        return bare if self._naming is None else self._naming(bare)

    def _identity(self, text: str) -> str:
        """The fetch identity of an address, or nothing where it is none that could be asked for."""
        href = normal(text)
        return self._named(_IDENTITY(href)) if href is not None and "://" in href[:_LONGEST_SCHEME] else ""

    def _named(self, url: str) -> str:
        return url if self._naming is None else self._naming(url)

    def _led_to(self, source: Candidate, target: Candidate) -> Note:
        return Note(target, Outcome.OUT_OF_SCOPE, _ASTRAY) if is_led_astray(source, target) else self.note(target)

    def _claim(self, page: Candidate, role: LinkRole, guess: bool) -> Claim:
        """What a page says for the targets of its links, the same object for the same claim."""
        if len(self._claims) >= _MOST_CLAIMS:
            self._claims.clear()
        claim = claim_of(page, role, guess, self._policy.depth is not None)
        return self._claims.setdefault(claim, claim)
