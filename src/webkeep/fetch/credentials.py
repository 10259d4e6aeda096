"""Names and passwords: which are known for a URL, by host and port, and how they are taken out of URLs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from webkeep.errors import UsageError
from webkeep.fetch.addresses import authority_of, host_of
from webkeep.url import parse_url

_PORT = re.compile(r":[0-9]+\Z")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ftp": "21"}


@dataclass(frozen=True, slots=True)
class Credentials:
    """A name and a password for one host; never shown."""

    user: str
    password: str = field(default="", repr=False)


def credentials_for(known: Mapping[str, Credentials], url: str) -> Credentials | None:
    """What is known for a URL: by its host and port, or else by its host."""
    if not known:
        return None
    authority = authority_of(url).rpartition("@")[2]
    scheme = url.partition(":")[0]
    named = authority if _PORT.search(authority) else f"{authority}:{_DEFAULT_PORTS.get(scheme, '')}"
    return known.get(named) or known.get(host_of(authority)) or known.get(_PORT.sub("", authority))


def split_credentials(url: str) -> tuple[str, Credentials | None]:
    """The URL without the name and password in it, and these."""
    if "@" not in authority_of(url):
        return url, None
    try:
        parts = parse_url(url)
    except UsageError:
        # The library's message would show the URL, password and all.
        raise UsageError("not a URL, and it holds a name or password; write it as https://example.org/page") from None
    if not parts.userinfo:
        return parts.href, None
    user, _, password = parts.userinfo.partition(":")
    stripped = parts.href.replace(f"//{parts.userinfo}@", "//", 1)
    return stripped, Credentials(unquote(user), unquote(password)) if user or password else None
