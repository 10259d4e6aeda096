"""Where the demo site's resources live: all on one origin, or spread over several host names (`--hosts`); which paths
lie on which host.
"""

from __future__ import annotations

from dataclasses import dataclass

MAIN_HOST = "www.tidewick.example"
STATIC_HOST = "static.tidewick.example"
IMAGE_HOST = "img.tidewick.example"
SISTER_HOST = "www.upperfell.example"
HOSTS = (MAIN_HOST, STATIC_HOST, IMAGE_HOST, SISTER_HOST)
SISTER_PATH = "/upper-fell/"

_HOST_OF_PREFIX = (("/static/", STATIC_HOST), ("/pictures/", IMAGE_HOST), (SISTER_PATH, SISTER_HOST))
_ON_EVERY_HOST = frozenset({"/robots.txt", "/favicon.ico"})


def host_of(path: str) -> str:
    """The host name a resource belongs to when the site is spread over several."""
    return next((host for prefix, host in _HOST_OF_PREFIX if path.startswith(prefix)), MAIN_HOST)


@dataclass(frozen=True, slots=True)
class DemoAddresses:
    """How resources are addressed: under one origin, or by the host of each.

    A path is the same in both; only the origin before it differs.
    """

    origin: str = f"http://{MAIN_HOST}"
    spread: bool = False
    port: int = 80

    @classmethod
    def on_port(cls, port: int, spread: bool) -> DemoAddresses:
        """The addresses of a site served on a loopback port."""
        return cls(f"http://127.0.0.1:{port}", spread, port)

    def absolute_url(self, path: str) -> str:
        """The full URL of a resource."""
        if not self.spread:
            return self.origin + path
        suffix = "" if self.port == 80 else f":{self.port}"
        return f"http://{host_of(path)}{suffix}{path}"

    def link(self, source: str, target: str) -> str:
        """How one resource links another: by path alone where both share an origin."""
        if not self.spread or host_of(source) == host_of(target):
            return target
        return self.absolute_url(target)

    def serves(self, host: str, path: str) -> bool:
        """Whether a host answers for a path; a name that is none of ours sees the whole site."""
        return not self.spread or host not in HOSTS or path in _ON_EVERY_HOST or host_of(path) == host
