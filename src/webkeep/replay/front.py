"""Host names: under which names a server answers, and what each stands for.

Control pages and protocols have the server's own name. Every archived origin has, for every moment, a name below it, so
that its scripts share nothing with those of another, nor with the control pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.replay.shim.replay_host import Naming, ReplayHost
from webkeep.url import normal, split

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Front:
    """What a server is called by those who ask it."""

    scheme: str
    name: str
    """Without the port."""
    port: int | None
    """None where it is the scheme's own."""
    secret: str = ""
    """A label between those of archived origins and the server's name, which only those know who may look."""

    @classmethod
    def read(cls, base: str, secret: str = "") -> Front:
        """Take `http://localhost:8080` apart."""
        href = normal(base)
        if href is None or not href.startswith(("http://", "https://")):
            raise UsageError(f"not an address to be reached at: {base!r}; write it as in https://archive.example.org")
        url = split(href)
        return cls(url.scheme, url.host, url.port, secret)

    @property
    def authority(self) -> str:
        """The server's name and port."""
        return self.name if self.port is None else f"{self.name}:{self.port}"

    @property
    def root(self) -> str:
        """Where the control pages are."""
        return f"{self.scheme}://{self.authority}"

    @property
    def replay_base(self) -> str:
        """What stands behind the labels of archived origins, with the scheme before it."""
        return f"{self.scheme}://{self._below}"

    @property
    def _below(self) -> str:
        return f"{self.secret}.{self.authority}" if self.secret else self.authority

    def is_control(self, host: str) -> bool:
        """Whether a Host names the server itself; on loopback under any of its names."""
        if host == self.authority:
            return True
        names = _LOOPBACK if self.name in _LOOPBACK else ()
        return any(host == (each if self.port is None else f"{each}:{self.port}") for each in names)

    def replayed(self, host: str) -> ReplayHost | None:
        """The archived origin that a Host stands for."""
        label, dot, rest = host.partition(".")
        return _read_label(label) if dot and rest == self._below else None

    def naming(self, stamp: str, set_clock: bool = False, within_days: int | None = None) -> Naming:
        """Where archived URLs are shown, for one reader's moment."""
        return Naming(self.replay_base, stamp, set_clock, within_days)

    @property
    def has_cookies(self) -> bool:
        """Whether replay hosts can have cookies at all: only where no cookie can be for several of them.

        Browsers let a host set cookies for any name above it that has a dot in it.
        """
        return "." not in self._below.partition(":")[0]

    @property
    def replay_pattern(self) -> str:
        """All replay hosts, as policies of browsers write it."""
        return f"{self.scheme}://*.{self._below}"


@lru_cache(1024)
def _read_label(label: str) -> ReplayHost | None:
    return ReplayHost.read(label)
