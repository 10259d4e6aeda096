"""Steps on a URL's site, which is scheme, userinfo, host and port: lower case, punycode, https taken for http, and what
is dropped (userinfo, a scheme's own port, www.).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ada_url import idna_to_ascii

from webkeep.url.canonical.recipe_builder import RecipeStep, UrlPart, step
from webkeep.url.whatwg_url import replace_surrogates

_SITE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(?:(.*)@)?(\[[^\]]*\]|[^:@]*)(?::([0-9]*))?", re.DOTALL).fullmatch
_WWW = re.compile(r"(?:www[0-9]*\.)+(?=[^.]+\.)", re.IGNORECASE).match
_OWN_PORTS = {("http", "80"), ("https", "443"), ("ws", "80"), ("wss", "443"), ("ftp", "21")}


@dataclass(frozen=True, slots=True)
class UrlSite:
    """The part of a URL before its path."""

    scheme: str
    userinfo: str | None
    host: str
    port: str | None

    @classmethod
    def parse(cls, text: str) -> UrlSite | None:
        """Take `scheme://user@host:port` apart; None where it is not of that shape."""
        match = _SITE(text)
        return None if match is None else cls(match[1], match[2], match[3], match[4])

    def __str__(self) -> str:
        userinfo = "" if self.userinfo is None else f"{self.userinfo}@"
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{userinfo}{self.host}{port}"


def site_step(function: Callable[[UrlSite], UrlSite]) -> RecipeStep:
    """Make a step of a function on sites; text that is no site passes unchanged."""

    def apply_to_host(text: str) -> str:
        site = UrlSite.parse(text)
        return text if site is None else str(function(site))

    apply_to_host.__name__, apply_to_host.__doc__ = function.__name__, function.__doc__
    return step(UrlPart.SITE)(apply_to_host)


@site_step
def lowercase_host(site: UrlSite) -> UrlSite:
    """Write scheme and host in lower case."""
    return replace(site, scheme=site.scheme.lower(), host=site.host.lower())


@site_step
def punycode_host(site: UrlSite) -> UrlSite:
    """Write a host in other scripts as ASCII (`bücher.example` as `xn--bcher-kva.example`)."""
    if site.host.isascii():
        return site
    spelled = idna_to_ascii(replace_surrogates(site.host)).decode("ascii", "replace")
    return replace(site, host=spelled or site.host)


@site_step
def drop_userinfo(site: UrlSite) -> UrlSite:
    """Drop `user:password@`."""
    return replace(site, userinfo=None)


@site_step
def drop_default_port(site: UrlSite) -> UrlSite:
    """Drop the port where it is the scheme's own, or empty."""
    return replace(site, port=None) if site.port == "" or (site.scheme.lower(), site.port) in _OWN_PORTS else site


@site_step
def merge_schemes(site: UrlSite) -> UrlSite:
    """Write `https` as `http`, and drop the ports of both."""
    if site.scheme.lower() not in {"http", "https"}:
        return site
    return replace(site, scheme="http", port=None if site.port in {"80", "443"} else site.port)


@site_step
def drop_www(site: UrlSite) -> UrlSite:
    """Drop a leading `www.`, `www2.` and the like where a name with a dot remains."""
    match = _WWW(site.host)
    return site if match is None else replace(site, host=site.host[match.end() :])
