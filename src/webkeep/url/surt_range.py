"""Ranges of lookup keys: which stretch of a sorted CDX index holds a page, a prefix, a host or a domain (matchType),
and which of these `*.example.org` and `example.org/a*` ask for.
"""

from __future__ import annotations

import enum
import re

from webkeep.errors import UsageError
from webkeep.url.surt_key_rules import NO_KEY, complete_surt

_HOST_AND_PORT = re.compile(r"[A-Za-z0-9._-]+:[0-9]+(?:[/?#]|\Z)").match


class UrlMatch(enum.StrEnum):
    """How much a look-up takes in, as the CDX server's `matchType` names it."""

    EXACT = "exact"
    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"


def key_range(url: str, match: UrlMatch) -> tuple[str, str]:
    """The lowest key and the first one beyond: `low <= key < high` holds for exactly the keys that match.

    It holds as well for whole lines that begin with a key and a space. Keys have no final slash, so the prefix
    `http://example.org/a/` finds all that lies below `/a/` and not `/a/` itself, as in other CDX servers.
    """
    site, rest = complete_surt(url)
    if (site, rest) == ("", NO_KEY):
        raise UsageError("no URL to look up: give one such as example.org/page")
    if match is UrlMatch.EXACT:
        # No key has a character below `!`.
        return site + rest, site + rest + "!"
    if match is UrlMatch.PREFIX:
        low = site + rest + _dropped_character(url, rest)
        return low, _next_key(low)
    if not site:
        raise UsageError(f"{url[:200]!r} has no host: look it up with the match exact or prefix")
    # `)` closes the host, `,` leads on to its subdomains, and what sorts between them is in no host's name.
    return site, _next_key(site) if match is UrlMatch.HOST else site[:-1] + _next_key(",")


def parse_url_pattern(text: str) -> tuple[str, UrlMatch]:
    """A look-up as CDX servers let people write it: `*.example.org` is a domain, `example.org/a*` a prefix."""
    if text.startswith("*."):
        return _add_scheme(text[2:].removesuffix("*")), UrlMatch.DOMAIN
    if text.endswith("*"):
        return _add_scheme(text[:-1]), UrlMatch.PREFIX
    return _add_scheme(text), UrlMatch.EXACT


def _add_scheme(text: str) -> str:
    # By the rules of keys `localhost:8080/` has the scheme `localhost`, which no person means.
    return f"http://{text}" if _HOST_AND_PORT(text) else text


def _dropped_character(url: str, rest: str) -> str:
    """The last character of a prefix where making the key cut it off, and with it what the prefix tells apart."""
    written = url.partition("#")[0].rstrip()
    return written[-1:] if "?" not in rest and written.endswith(("/", "?")) and not rest.endswith("/") else ""


def _next_key(text: str) -> str:
    return text[:-1] + chr(ord(text[-1]) + 1)
