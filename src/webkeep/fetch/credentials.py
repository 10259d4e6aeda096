"""Names and passwords, and how they are taken out of URLs."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote

from webkeep.errors import UsageError
from webkeep.fetch.addresses import authority_of
from webkeep.url import parse


@dataclass(frozen=True, slots=True)
class Credentials:
    """A name and a password for one host; never shown."""

    user: str
    password: str = field(default="", repr=False)


def split_credentials(url: str) -> tuple[str, Credentials | None]:
    """The URL without the name and password in it, and these."""
    if "@" not in authority_of(url):
        return url, None
    try:
        parts = parse(url)
    except UsageError:
        # The library's message would show the URL, password and all.
        raise UsageError("not a URL, and it holds a name or password; write it as https://example.org/page") from None
    if not parts.userinfo:
        return parts.href, None
    user, _, password = parts.userinfo.partition(":")
    stripped = parts.href.replace(f"//{parts.userinfo}@", "//", 1)
    return stripped, Credentials(unquote(user), unquote(password)) if user or password else None
