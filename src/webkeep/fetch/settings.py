"""How the door to the web is set up: who we are, which way we go, what we may be asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.version import __version__

USER_AGENT = f"webkeep/{__version__} (web archiving)"


@dataclass(frozen=True, slots=True)
class Credentials:
    """A name and a password for one host; never shown."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class DoorSettings:
    """Everything that holds for all requests of a crawl."""

    user_agent: str = USER_AGENT
    connections: int = 16
    connections_per_host: int = 16
    resolve: tuple[str, ...] = ()
    """As curl has it: `HOST:PORT:ADDRESS`."""
    proxy: str = field(default="", repr=False)
    cookies: str = ""
    """A Netscape cookie file to begin with."""
    save_cookies: str = ""
    """A Netscape cookie file to end with."""
    credentials: dict[str, Credentials] = field(default_factory=dict)
    """By host name."""
    headers: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Further headers by host name; "" for all hosts."""
    insecure: bool = False
    """Whether servers with invalid certificates are talked to; the fact is recorded."""
    certificate_authorities: str = ""
    client_certificate: str = ""
    client_key: str = ""
    http2: bool = True
    ipv6: bool = True


def checked_resolve(text: str) -> str:
    """A `--resolve` argument, made sure of."""
    host, _, rest = text.partition(":")
    port, _, address = rest.partition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536 or not address:
        raise UsageError(f"not HOST:PORT:ADDRESS: {text!r}; write it as example.org:80:127.0.0.1")
    return text
