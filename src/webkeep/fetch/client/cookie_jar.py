"""The cookies of a crawl: shared by all handles, loaded from and saved to Netscape cookie files, and how many a domain
may have.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pycurl

from webkeep.errors import StorageError, UsageError
from webkeep.process import write_atomically

_MAX_COOKIES_PER_DOMAIN = 180
"""As many as browsers keep for one domain; a site that sets one a page would slow down every request to it."""
_COOKIES_BETWEEN_PRUNES = 1000
"""After so many cookies were set, those of domains that have too many are dropped."""
_NETSCAPE_TITLE = "# Netscape HTTP Cookie File\n"


class CookieJar:
    """Looks after the cookies in a share; its handle makes no requests."""

    def __init__(self, share: pycurl.CurlShare) -> None:
        self._curl = pycurl.Curl()
        self._curl.setopt(pycurl.SHARE, share)
        self._curl.setopt(pycurl.COOKIEFILE, "")
        self._set = 0
        self._is_from_file = False
        self._sites: set[str] = set()
        """Where cookies were set, by the last two labels of the names of hosts."""

    def load(self, path: str) -> None:
        """Take the cookies of a file."""
        self._is_from_file = True
        try:
            lines = Path(path).read_text("utf-8", "replace").splitlines()
        except OSError as error:
            raise UsageError(f"cannot read the cookie file {path} ({error.strerror}); check its name") from error
        for line in lines:
            if line.strip() and (not line.startswith("#") or line.startswith("#HttpOnly_")):
                self._curl.setopt(pycurl.COOKIELIST, line)

    def save(self, path: str) -> None:
        """Write all cookies to a file that only its owner can read."""
        lines = self._curl.getinfo(pycurl.INFO_COOKIELIST)
        try:
            write_atomically(
                Path(path), (_NETSCAPE_TITLE + "".join(f"{line}\n" for line in lines)).encode("utf-8"), 0o600
            )
        except OSError as error:
            raise StorageError(f"cannot write the cookie file {path} ({error.strerror}); choose another") from error

    def note_set(self, count: int, host: str) -> None:
        """Take note that a host set so many cookies; now and then those that are too many are dropped."""
        self._sites.add(_site_of(host))
        self._set += count
        if self._set >= _COOKIES_BETWEEN_PRUNES:
            self._set = 0
            self._prune()

    def may_hold_for(self, host: str) -> bool:
        """Whether there may be cookies for a host."""
        return self._is_from_file or (bool(self._sites) and _site_of(host) in self._sites)

    def close(self) -> None:
        """Let go of the share."""
        self._curl.close()

    def _prune(self) -> None:
        domains: defaultdict[str, list[str]] = defaultdict(list)
        for line in self._curl.getinfo(pycurl.INFO_COOKIELIST):
            domains[line.partition("\t")[0]].append(line)
        for lines in domains.values():
            for line in lines[:-_MAX_COOKIES_PER_DOMAIN]:
                fields = line.split("\t")
                fields[4] = "1"  # expired long ago: that is how one cookie is taken out
                self._curl.setopt(pycurl.COOKIELIST, "\t".join(fields))


def _site_of(host: str) -> str:
    """What all hosts have in common that one of them may set cookies for."""
    return ".".join(host.lower().rstrip(".").rsplit(".", 2)[-2:])
