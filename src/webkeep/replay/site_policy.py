"""A page's own content security policy, as far as it can hold for the page when it is replayed.

Hosts in it become replay hosts, so that what it blocked is blocked again and told to the page. What it says of scripts
and styles holds where that goes by nonces and hosts; where it goes by hashes of scripts that rewriting changes, or by
trust handed on from script to script, it is left out. The locks hold beside it in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.model import Headers
from webkeep.replay.shim import OWN_PATH, Naming
from webkeep.url import normal

_LOADING = (
    "script-src", "script-src-elem", "script-src-attr", "style-src", "style-src-elem", "style-src-attr", "img-src",
    "font-src", "media-src", "connect-src", "frame-src", "child-src", "worker-src", "object-src", "manifest-src",
    "default-src",
)  # fmt: skip
_BEHAVING = ("form-action", "base-uri")
_WORD = re.compile(
    r"'(?:self|none|unsafe-inline|unsafe-eval|wasm-unsafe-eval|unsafe-hashes|report-sample|nonce-[\w+/=-]+)'"
)
_BEYOND = re.compile(r"'(?:sha(?:256|384|512)-|strict-dynamic|trusted-types)", re.IGNORECASE)
_HOST = re.compile(r"(?:(https?|wss?)://)?(\*\.)?([a-z0-9.-]+)(?::(\d+|\*))?(/[^;,\s]*)?", re.IGNORECASE)
_SCHEMES = frozenset({"data:", "blob:", "mediastream:", "filesystem:"})
_NONE = "'none'"
_MOST_POLICIES = 4
_LONGEST = 8 * 1024


def site_policies(headers: Headers, pattern: str, naming: Naming, replay_origin: str) -> list[tuple[str, str]]:
    """The fields to send: one for each policy of the page; `pattern` stands for all replay hosts."""
    written = [value for value in headers.all("content-security-policy")[:_MOST_POLICIES] if len(value) <= _LONGEST]
    kept = ["; ".join(_directives(value, pattern, naming, replay_origin)) for value in written]
    return [("Content-Security-Policy", policy) for policy in kept if policy]


def _directives(policy: str, pattern: str, naming: Naming, replay_origin: str) -> Iterator[str]:
    seen: set[str] = set()
    for written in policy.split(";"):
        name, *sources = written.split()[:200] or [""]
        key = name.lower()
        if key in seen or key not in (*_LOADING, *_BEHAVING):
            continue
        seen.add(key)
        if any(_BEYOND.match(source) for source in sources):
            if key == "default-src":  # without it nothing else of the policy means what it meant
                return
            yield f"{key} * data: blob: 'unsafe-inline' 'unsafe-eval'"
            continue
        kept = [place for source in sources if (place := _source(source, pattern, naming))]
        if key.startswith(("script-src", "default-src", "connect-src")):
            kept = [each for each in kept if each != _NONE] + [f"{replay_origin}{OWN_PATH}"]
        yield f"{key} {' '.join(dict.fromkeys(kept)) or _NONE}"


def _source(source: str, pattern: str, naming: Naming) -> str:
    """What stands for a source on replay hosts, "" where nothing does."""
    lowered = source.lower()
    if _WORD.fullmatch(source) or lowered in _SCHEMES:
        return source
    if lowered in ("*", "http:", "https:", "ws:", "wss:"):
        return pattern
    match = _HOST.fullmatch(source)
    if match is None:
        return ""
    scheme, wildcard, host, port, _ = match.groups()
    if wildcard or port == "*":
        return pattern
    schemes = [scheme.lower().replace("ws", "http", 1)] if scheme else ["http", "https"]
    places = [_place(f"{each}://{host}{f':{port}' if port else ''}/", naming) for each in schemes]
    return " ".join(place for place in places if place)


def _place(url: str, naming: Naming) -> str:
    href = normal(url)
    address = naming.address(href) if href is not None else None
    return (address or "").removesuffix("/")
