"""Linking: the candidate that a link, a redirect or a sitemap makes of its target.

It has as many steps outside as if it were outside, and one level of embedding more than its page: whether it is in
scope by itself, and has none, is for admission to say.
"""

from __future__ import annotations

from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import host_of
from webkeep.frontier.recent import Claim

_SITEMAP_OF_AN_INDEX = "sitemap index"


def claim_of(page: Candidate, role: LinkRole, guess: bool, counts_depth: bool) -> Claim:
    """What the links of a page in one role say for their targets."""
    step = role is LinkRole.NAVIGATE
    # Where no depth is set none is better than another.
    depth = page.depth + step if counts_depth else 0
    return Claim(depth, page.outside + step, 0 if step else page.requisite + 1, guess, step)


def linked(page: Candidate, url: str, link: Link) -> Candidate:
    """The candidate that a page links to."""
    host = host_of(url)
    if link.role is LinkRole.EMBED:
        levels = page.requisite + 1
        return Candidate(0, url, host, Role.EMBED, page.id, page.depth, page.outside, levels, link.guess)
    if page.role is Role.SITEMAP and link.source == _SITEMAP_OF_AN_INDEX and host == page.host:
        return Candidate(0, url, host, Role.SITEMAP, page.id, page.depth, nesting=page.nesting + 1)
    return Candidate(0, url, host, Role.NAVIGATE, page.id, page.depth + 1, page.outside + 1, 0, link.guess)


def redirected(source: Candidate, url: str) -> Candidate:
    """The candidate that another one is redirected to; a redirect is no step, but one may leave the scope."""
    embedded = source.role is Role.EMBED
    return source._replace(
        id=0,
        url=url,
        host=host_of(url),
        via=source.id,
        outside=source.outside if embedded else max(1, source.outside),
        requisite=max(1, source.requisite) if embedded else 0,
        tries=0,
        redirects=source.redirects + 1,
    )


def declared(url: str, host: str, via: int, depth: int | None) -> Candidate:
    """The candidate of a sitemap that a host's robots.txt names.

    Steps from a seed do not lead over a sitemap: where they are counted, it is at the end of them.
    """
    target = host_of(url)
    role = Role.SITEMAP if target == host else Role.NAVIGATE
    return Candidate(0, url, target, role, via, depth or 0)


def is_led_astray(source: Candidate, target: Candidate) -> bool:
    """Whether a page leads to another scheme than its own or the web's, such as to files of this machine."""
    scheme = target.url.partition(":")[0]
    return scheme not in ("http", "https") and scheme != source.url.partition(":")[0]
