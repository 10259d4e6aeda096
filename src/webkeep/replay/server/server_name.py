"""Host names: under which names a server answers (control host, replay hosts, on loopback any of its names), what each
stands for, and whether replay hosts can have cookies.

Control pages and protocols have the server's own name. Every archived origin has, for every moment, a name below it, so
that its scripts share nothing with those of another, nor with the control pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.replay.shim.replay_host import ReplayHost, ReplayNaming
from webkeep.url import normalize_url, split_url

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class ServerName:
    """What a server is called by those who ask it."""

    scheme: str
    name: str
    """Without the port."""
    port: int | None
    """None where it is the scheme's own."""
    secret: str = ""
    """A label between those of archived origins and the server's name, which only those know who may look."""

    @classmethod
    def parse(cls, base: str, secret: str = "") -> ServerName:
        """Take `http://localhost:8080` apart."""
        href = normalize_url(base)
        if href is None or not href.startswith(("http://", "https://")):
            raise UsageError(f"not an address to be reached at: {base!r}; write it as in https://archive.example.org")
        url = split_url(href)
        return cls(url.scheme, url.host, url.port, secret)

    @property
    def authority(self) -> str:
        """The server's name and port."""
        return self.name if self.port is None else f"{self.name}:{self.port}"

    @property
    def control_url(self) -> str:
        """Where the control pages are."""
        return f"{self.scheme}://{self.authority}"

    @property
    def replay_base(self) -> str:
        """What stands behind the labels of archived origins, with the scheme before it."""
        return f"{self.scheme}://{self._replay_suffix}"

    @property
    def _replay_suffix(self) -> str:
        return f"{self.secret}.{self.authority}" if self.secret else self.authority

    def is_control_host(self, host: str) -> bool:
        """Whether a Host names the server itself; on loopback under any of its names."""
        if host == self.authority:
            return True
        names = _LOOPBACK_NAMES if self.name in _LOOPBACK_NAMES else ()
        return any(host == (each if self.port is None else f"{each}:{self.port}") for each in names)

    def replay_host_of(self, host: str) -> ReplayHost | None:
        """The archived origin that a Host stands for."""
        label, dot, rest = host.partition(".")
        return _parse_label(label) if dot and rest == self._replay_suffix else None

    def naming_at(self, stamp: str, set_clock: bool = False, within_days: int | None = None) -> ReplayNaming:
        """Where archived URLs are shown, for one reader's moment."""
        return ReplayNaming(self.replay_base, stamp, set_clock, within_days)

    @property
    def can_have_cookies(self) -> bool:
        """Whether replay hosts can have cookies at all: only where no cookie can be for several of them.

        Browsers let a host set cookies for any name above it that has a dot in it.
        """
        return "." not in self._replay_suffix.partition(":")[0]

    @property
    def replay_pattern(self) -> str:
        """All replay hosts, as policies of browsers write it."""
        return f"{self.scheme}://*.{self._replay_suffix}"


@lru_cache(1024)
def _parse_label(label: str) -> ReplayHost | None:
    return ReplayHost.parse(label)
