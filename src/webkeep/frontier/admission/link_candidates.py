"""The candidate that a link, a redirect or a sitemap makes of its target: its role, depth, steps out of scope and
levels of embedding; and which links were met lately and need no second look.

It has as many steps outside as if it were outside, and one level of embedding more than its page: whether it is in
scope by itself, and has none, is for admission to say.
"""

from __future__ import annotations

from typing import NamedTuple

from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.frontier.hosts.host import host_key_of
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.lru_map import LruMap

# Links met lately: most links of a page are on the page before, and need no look into the URL store.

_MIN_LINKS_REMEMBERED = 50_000
"""Links remembered at least: those of the pages before, on most sites."""


class LinkClaim(NamedTuple):
    """What a link has to say for its target; smaller is better in every respect."""

    depth: int
    outside: int
    requisite: int
    guess: bool
    no_embed: bool

    def covers(self, other: LinkClaim) -> bool:
        """Whether the other has nothing better to say."""
        return (
            self[0] <= other[0]
            and self[1] <= other[1]
            and self[2] <= other[2]
            and self[3] <= other[3]
            and self[4] <= other[4]
        )


class RecentLinks:
    """The links met lately, each with the best that was said for it."""

    def __init__(self, least: int = _MIN_LINKS_REMEMBERED) -> None:
        # By a hash: a page may have many links of any length, and what is known of them by their text would add up.
        self._claims: LruMap[int, LinkClaim] = LruMap(least)

    def is_new(self, url: str, claim: LinkClaim) -> bool:
        """Whether the link may change what is known of its target; it is remembered."""
        key = hash(url)
        known = self._claims.get(key)
        if known is not None and (known is claim or known.covers(claim)):
            return False
        self._claims[key] = claim
        return True

    def clear(self) -> None:
        """Forget everything."""
        self._claims.clear()


_SITEMAP_OF_AN_INDEX = "sitemap index"


def link_claim_of(page: Candidate, role: LinkRole, guess: bool, counts_depth: bool) -> LinkClaim:
    """What the links of a page in one role say for their targets."""
    step = role is LinkRole.NAVIGATE
    # Where no depth is set none is better than another.
    depth = page.depth + step if counts_depth else 0
    return LinkClaim(depth, page.outside + step, 0 if step else page.requisite + 1, guess, step)


def candidate_from_link(page: Candidate, url: str, link: Link) -> Candidate:
    """The candidate that a page links to."""
    host = host_key_of(url)
    if link.role is LinkRole.EMBED:
        levels = page.requisite + 1
        return Candidate(0, url, host, UrlRole.EMBED, page.id, page.depth, page.outside, levels, link.guess)
    if page.role is UrlRole.SITEMAP and link.source == _SITEMAP_OF_AN_INDEX and host == page.host:
        return Candidate(0, url, host, UrlRole.SITEMAP, page.id, page.depth, nesting=page.nesting + 1)
    return Candidate(0, url, host, UrlRole.NAVIGATE, page.id, page.depth + 1, page.outside + 1, 0, link.guess)


def candidate_from_redirect(source: Candidate, url: str) -> Candidate:
    """The candidate that another one is redirected to; a redirect is no step, but one may leave the scope."""
    embedded = source.role is UrlRole.EMBED
    return source._replace(
        id=0,
        url=url,
        host=host_key_of(url),
        via=source.id,
        outside=source.outside if embedded else max(1, source.outside),
        requisite=max(1, source.requisite) if embedded else 0,
        tries=0,
        redirects=source.redirects + 1,
    )


def candidate_from_sitemap(url: str, host: str, via: int, depth: int | None) -> Candidate:
    """The candidate of a sitemap that a host's robots.txt names.

    Steps from a seed do not lead over a sitemap: where they are counted, it is at the end of them.
    """
    target = host_key_of(url)
    role = UrlRole.SITEMAP if target == host else UrlRole.NAVIGATE
    return Candidate(0, url, target, role, via, depth or 0)


def has_foreign_scheme(source: Candidate, target: Candidate) -> bool:
    """Whether a page leads to another scheme than its own or the web's, such as to files of this machine."""
    scheme = target.url.partition(":")[0]
    return scheme not in ("http", "https") and scheme != source.url.partition(":")[0]
