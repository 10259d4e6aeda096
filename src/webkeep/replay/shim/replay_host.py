"""Replay hosts: the host name under which an archived origin is shown as of a moment, and back; how moment, scheme,
port and host are spelled in one DNS label, in base32 or as a hash where they have to be.

A host name is one label of at most 63 characters before the server's own name; `README.md` has its grammar.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from webkeep.url import Url, normalize_url, split_url

MAX_LABEL_CHARS = 63
"""What DNS lets a label have."""

_SCHEME_LETTERS = {"http": "h", "https": "s", "ftp": "f", "ws": "h", "wss": "s"}
_SCHEMES_BY_LETTER = {"h": "http", "s": "https", "f": "ftp"}
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}
_PLAIN = re.compile(r"[a-z0-9]++(?:(?:-++|\.)[a-z0-9]++)*+")
_LABEL = re.compile(r"(\d{14})(c?)(?:w(\d{1,5}))?([hsf])([1-9]\d{0,4})?([xz]?)-([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)")
_HYPHENS = re.compile(r"-+")
_AUTHORITY_END = re.compile(r"[/?#]")
_HASH_BYTES, _HASH_CHARS = 20, 32
"""Of a SHA-256, and the characters that they make in base32: a label of a host's name has 63 at most."""


@dataclass(frozen=True, slots=True)
class ReplayHost:
    """An archived origin as of a moment, with what the reader asked of its replay."""

    stamp: str
    """The moment asked for, as 14 digits."""
    scheme: str
    host: str
    """Empty where the label has only a hash of the origin."""
    port: int | None = None
    """None where it is the scheme's own."""
    set_clock: bool = False
    """Whether the clock and the dice of scripts are set to the moment."""
    within_days: int | None = None
    """How far from the moment the parts of a page may be; None for any distance."""
    origin_hash: str = ""
    """What the label has in place of a host that is too long."""

    @property
    def origin(self) -> str:
        """The archived origin; empty where the label does not tell it."""
        if not self.host:
            return ""
        return f"{self.scheme}://{self.host}" + ("" if self.port is None else f":{self.port}")

    @property
    def label(self) -> str:
        """The label that stands for this."""
        start = self.stamp + ("c" if self.set_clock else "")
        start += "" if self.within_days is None else f"w{self.within_days}"
        start += _SCHEME_LETTERS[self.scheme] + ("" if self.port is None else str(self.port))
        if self.origin_hash:
            return f"{start}z-{self.origin_hash}"
        label = (
            f"{start}-{_hyphenate(self.host)}" if _PLAIN.fullmatch(self.host) else f"{start}x-{_base32_host(self.host)}"
        )
        return label if len(label) <= MAX_LABEL_CHARS else f"{start}z-{hash_origin(self.origin)}"

    @classmethod
    def for_url(
        cls, url: Url, stamp: str, set_clock: bool = False, within_days: int | None = None
    ) -> ReplayHost | None:
        """The replay host of a URL; None where its scheme is not replayed."""
        letter = _SCHEME_LETTERS.get(url.scheme)
        if letter is None or not url.host:
            return None
        return cls(stamp, _SCHEMES_BY_LETTER[letter], url.host, url.port, set_clock, within_days)

    @classmethod
    def parse(cls, label: str) -> ReplayHost | None:
        """What a label stands for; None where it is none that `label` could give."""
        match = _LABEL.fullmatch(label) if len(label) <= MAX_LABEL_CHARS else None
        if match is None:
            return None
        stamp, clock, days, letter, port, form, text = match.groups()
        scheme = _SCHEMES_BY_LETTER[letter]
        host = "" if form == "z" else _unhyphenate(text) if not form else _unbase32(text)
        found = cls(
            stamp, scheme, host, int(port) if port else None, bool(clock), int(days) if days else None,
            text if form == "z" else "",
        )  # fmt: skip
        # Only the one spelling counts, so that no origin has two hosts; a host has to be one to a browser as well.
        known = (
            len(text) == _HASH_CHARS
            if form == "z"
            else (host and normalize_url(f"{found.origin}/") == f"{found.origin}/")
        )
        return found if known and found.label == label else None


@dataclass(frozen=True, slots=True)
class ReplayNaming:
    """Where archived URLs are found on a server, for one reader's moment."""

    base: str
    """The server's scheme and the part of its host names behind the label, as in `http://localhost:8080`."""
    stamp: str
    set_clock: bool = False
    within_days: int | None = None

    def replay_url(self, url: str) -> str | None:
        """Where a URL, in its normal form, is replayed; None where it is none to replay."""
        origin, rest = _split_origin(url)
        prefix = _replay_prefix(self.base, self.stamp, self.set_clock, self.within_days, origin) if origin else None
        return None if prefix is None else prefix + rest

    def archived_url(self, address: str, known: Mapping[str, str] | None = None) -> str:
        """The archived URL that an address on this server stands for; empty where it stands for none.

        `known` has the origins of hashes.
        """
        scheme, _, rest = self.base.partition("://")
        start, end = f"{scheme}://", f".{rest}"
        before, found, after = address.removeprefix(start).partition(end)
        host = ReplayHost.parse(before) if found and address.startswith(start) else None
        if host is None or (after and after[0] not in "/?#"):
            return ""
        origin = host.origin or (known or {}).get(host.origin_hash, "")
        return origin + after if origin else ""


def _split_origin(url: str) -> tuple[str, str]:
    """Origin and the rest of a URL; what is not of that shape has no origin."""
    scheme, sign, after = url.partition("://")
    if not sign:
        return "", url
    match = _AUTHORITY_END.search(after)
    end = match.start() if match else len(after)
    return f"{scheme}://{after[:end].rpartition('@')[2]}", after[end:]


# A page's links go to few origins, and a server's pages have them in common.
@lru_cache(4096)
def _replay_prefix(base: str, stamp: str, set_clock: bool, within_days: int | None, origin: str) -> str | None:
    host = ReplayHost.for_url(split_url(f"{origin}/"), stamp, set_clock, within_days)
    if host is None:
        return None
    scheme, _, rest = base.partition("://")
    return f"{scheme}://{host.label}.{rest}"


def hash_origin(origin: str) -> str:
    """What stands in a label for an origin whose host is too long."""
    scheme, _, authority = origin.partition("://")
    if not re.search(r":\d+\Z", authority):
        authority += f":{_DEFAULT_PORTS.get(scheme, 0)}"
    return _base32_bytes(hashlib.sha256(f"{scheme}://{authority}".encode()).digest()[:_HASH_BYTES])


def _hyphenate(host: str) -> str:
    return host.replace("-", "--").replace(".", "-") if "-" in host else host.replace(".", "-")


def _unhyphenate(text: str) -> str:
    return _HYPHENS.sub(lambda run: "." if len(run[0]) == 1 else "-" * (len(run[0]) // 2), text)


def _base32_host(host: str) -> str:
    return _base32_bytes(host.encode("utf-8", "replace"))


def _base32_bytes(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()


def _unbase32(text: str) -> str:
    padded = text.upper() + "=" * (-len(text) % 8)
    try:
        return base64.b32decode(padded).decode()
    except ValueError:
        return ""
