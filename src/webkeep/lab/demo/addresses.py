"""Where the site's resources live: all on one origin, or spread over several host names."""

from __future__ import annotations

from dataclasses import dataclass

MAIN = "www.tidewick.example"
STATIC = "static.tidewick.example"
IMAGES = "img.tidewick.example"
SISTER = "www.upperfell.example"
HOSTS = (MAIN, STATIC, IMAGES, SISTER)
SISTER_HOME = "/upper-fell/"

_HOST_OF_PREFIX = (("/static/", STATIC), ("/pictures/", IMAGES), (SISTER_HOME, SISTER))
_ON_EVERY_HOST = frozenset({"/robots.txt", "/favicon.ico"})


def host_of(path: str) -> str:
    """The host name a resource belongs to when the site is spread over several."""
    return next((host for prefix, host in _HOST_OF_PREFIX if path.startswith(prefix)), MAIN)


@dataclass(frozen=True, slots=True)
class Addresses:
    """How resources are addressed: under one origin, or by the host of each.

    A path is the same in both; only the origin before it differs.
    """

    origin: str = f"http://{MAIN}"
    spread: bool = False
    port: int = 80

    @classmethod
    def on_port(cls, port: int, spread: bool) -> Addresses:
        """The addresses of a site served on a loopback port."""
        return cls(f"http://127.0.0.1:{port}", spread, port)

    def absolute(self, path: str) -> str:
        """The full URL of a resource."""
        if not self.spread:
            return self.origin + path
        suffix = "" if self.port == 80 else f":{self.port}"
        return f"http://{host_of(path)}{suffix}{path}"

    def link(self, source: str, target: str) -> str:
        """How one resource links another: by path alone where both share an origin."""
        if not self.spread or host_of(source) == host_of(target):
            return target
        return self.absolute(target)

    def serves(self, host: str, path: str) -> bool:
        """Whether a host answers for a path; a name that is none of ours sees the whole site."""
        return not self.spread or host not in HOSTS or path in _ON_EVERY_HOST or host_of(path) == host
