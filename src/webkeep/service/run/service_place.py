"""Where a service is reached: the address it listens at, the URL by which people know it, and whether that is beyond
this machine.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from webkeep.errors import UsageError
from webkeep.url import registrable_domain

LOCAL_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServicePlace:
    """Where a service is."""

    host: str = LOCAL_HOST
    """The address that it listens at."""
    public_url: str = ""
    """By which people know it, where a proxy stands in front of it."""
    replay_url: str = ""
    """By which public collections are shown to others: a name below which everything leads to `replay_port`."""
    replay_port: int = 0
    """Of the server that shows public collections; 0 for any that is free."""

    def __post_init__(self) -> None:
        parts = _split(self.public_url)
        if self.public_url and (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.username is not None
            or parts.path not in ("", "/")
            or parts.query
            or parts.fragment
        ):
            raise UsageError(f"not the URL of a service: {self.public_url[:200]!r}; write https://archive.example/")
        self._check_replay()
        if _is_wildcard(self.host) and not self.public_url:
            raise UsageError(f"a service at {self.host} has no name of its own; say by which it goes with --public-url")

    def _check_replay(self) -> None:
        """Refuse names of replay that archived scripts would share with the service."""
        parts = _split(self.replay_url)
        if not self.replay_url:
            return
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
            raise UsageError(f"not the URL of replay: {self.replay_url[:200]!r}; write https://replay.example/")
        own = [name for name in (_split(self.public_url).hostname, self.host) if name]
        if any(_site_of(name) == _site_of(parts.hostname) for name in own):
            raise UsageError(
                f"archived pages would share {_site_of(parts.hostname)} with the service; "
                "give --replay-url a domain that nothing else uses"
            )
        if self.is_exposed and not self.replay_port:
            raise UsageError("a proxy must know where replay is; say its port with --replay-port")

    @property
    def is_exposed(self) -> bool:
        """Whether others than people at this machine can reach it."""
        return bool(self.public_url) or not _is_loopback(self.host)

    @property
    def is_secure(self) -> bool:
        """Whether people reach it by https."""
        return self.public_url.lower().startswith("https:")

    @property
    def names(self) -> tuple[str, ...]:
        """The host names that it answers to, beside those of this machine."""
        named = _split(self.public_url).hostname
        own = () if _is_wildcard(self.host) else (_bracket(self.host),)
        return (*own, *(() if named is None else (_bracket(named),)))

    def address(self, port: int) -> str:
        """The beginning of its URLs."""
        return self.public_url.rstrip("/") or f"http://{_bracket(self.host)}:{port}"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"not the URL of a service: {url[:200]!r}; write https://archive.example/") from error
    return parts


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _site_of(name: str) -> str:
    return registrable_domain(name) or name


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host
