"""Lock two: header fields that keep a replayed page from the network, whatever it does and however it was rewritten.

What is found and renamed points into the archive already (lock one). A content security policy stops what was missed,
and `Connection-Allowlist` the ways that escape such policies: navigation, refreshes, windows, speculation, WebRTC.

Theory of operation. A page can open whatever its host answers in a frame, and use that frame as its own: one answer
without locks is a way out for all. So no handler puts them on. The wire does, on every head it writes, by what the
answer says of itself (`Lock`); where it says nothing it is sealed, and so are the errors of the wire.

Chromium lets go of the locks of a document while a policy has its frame replaced by an error page: what it asked to be
connected with just then is connected with. So browsers that obey `Connection-Allowlist` get no `frame-src`, which they
have no need of; to all others it is the lock on frames.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from webkeep.replay.front import Front
from webkeep.replay.message import Lock
from webkeep.url import normal, split

LockFields = tuple[tuple[str, str], ...]
LockRule = Callable[[str, Lock, bool], LockFields]
"""The locks of an answer, by the Host it is given under, and by whether the browser obeys `Connection-Allowlist`."""

_NO_DEVICES = "camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), bluetooth=(), midi=()"
_NOTHING_ELSE = (
    ("X-DNS-Prefetch-Control", "off"),
    ("Permissions-Policy", _NO_DEVICES),
    ("Origin-Agent-Cluster", "?1"),
)
_SEALED: LockFields = (
    ("Content-Security-Policy", "sandbox; default-src 'none'; form-action 'none'; base-uri 'none'"),
    ("Connection-Allowlist", "()"),
    *_NOTHING_ELSE,
)
_NOTICE_SANDBOX = (
    "sandbox allow-forms allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"
)
REFERRING = ("Referrer-Policy", "unsafe-url")
"""Which page asks for a part of itself tells which version of that fits; redirections must not change it."""

_PROXIED: LockFields = (
    ("Connection-Allowlist", '("http://*:*" "https://*:*" "ws://*:*" "wss://*:*");redirects=allow'),
    ("X-DNS-Prefetch-Control", "off"),
)
_OWN: LockFields = (("Referrer-Policy", "same-origin"), *_NOTHING_ELSE)
_ADDED = "content-security-policy"
_LOADING = ("style-src", "img-src", "font-src", "media-src", "object-src", "worker-src", "manifest-src", "script-src")
"""What `default-src` stands for, but for frames."""
_OBEYING_SINCE = 152
"""The first Chromium that obeys `Connection-Allowlist`."""
_BRAND = re.compile(r'"Chromium";v="([0-9]{1,5})"')


@lru_cache(256)
def obeys_allowlist(brands: str) -> bool:
    """Whether a browser obeys `Connection-Allowlist`, by what it says of itself in `Sec-CH-UA`."""
    brand = _BRAND.search(brands)
    return brand is not None and int(brand[1]) >= _OBEYING_SINCE


@lru_cache(64)
def names_of(locks: LockFields) -> frozenset[str]:
    """The fields that nothing but these locks may set; of content security policies all count that there are."""
    named = {name.lower() for name, _ in locks} - {_ADDED}
    return frozenset({*named, "connection-allowlist", "connection-allowlist-report-only"})


def sealed(_host: str, _lock: Lock, _obeys_allowlist: bool) -> LockFields:
    """The locks of what is neither to be shown nor run: no scripts, no origin, no network."""
    return _SEALED


def site_locks(front: Front, elsewhere: tuple[str, ...] = ()) -> LockRule:
    """The locks of a server's answers under its own name and on replay hosts.

    `elsewhere` has other archives, which a notice may lead to.
    """
    return lru_cache(4096)(partial(_site_locks, front, elsewhere))


def proxy_locks(front: Front, elsewhere: tuple[str, ...] = ()) -> LockRule:
    """The locks of answers to a browser whose proxy this is: archived content may ask for anything that a proxy is
    asked for, and for nothing past it.
    """

    def locks(_host: str, lock: Lock, obeys_allowlist: bool) -> LockFields:
        return _PROXIED if lock is Lock.ARCHIVED else _site_locks(front, elsewhere, "", lock, obeys_allowlist)

    return locks


def _site_locks(front: Front, elsewhere: tuple[str, ...], host: str, lock: Lock, obeys_allowlist: bool) -> LockFields:
    if lock is Lock.NOTICE:
        return _notice_locks(front, elsewhere, is_at_home=front.is_control(host))
    if front.is_control(host):
        return sealed_locks(front) if lock is Lock.ARCHIVED else _OWN if lock is Lock.OWN else _SEALED
    return replay_locks(front, obeys_allowlist) if lock is Lock.ARCHIVED else (*_SEALED, REFERRING)


@lru_cache(16)
def replay_locks(front: Front, obeys_allowlist: bool = False) -> LockFields:
    """For archived content on a replay host."""
    inside = f"'self' {front.replay_pattern} data: blob:"
    within = f"{inside} 'unsafe-inline' 'unsafe-eval'"
    framing = (f"default-src {within}", f"frame-src {inside} about:")
    policy = "; ".join(
        (
            *([f"{name} {within}" for name in _LOADING] if obeys_allowlist else framing),
            f"connect-src {inside}",
            f"form-action 'self' {front.replay_pattern}",
            f"base-uri 'self' {front.replay_pattern}",
            f"frame-ancestors {front.root} {front.replay_pattern}",
        )
    )
    return (
        ("Content-Security-Policy", policy),
        # Redirections come from this server alone, and lead to replay hosts.
        ("Connection-Allowlist", f'(response-origin "{front.replay_pattern}");redirects=allow'),
        REFERRING,
        *_NOTHING_ELSE,
    )


@lru_cache(16)
def sealed_locks(front: Front) -> LockFields:
    """For archived content under the server's own name: shown as a page it has neither scripts nor an origin."""
    inside = f"{front.replay_pattern} data:"
    policy = f"sandbox; default-src 'none'; img-src {inside}; media-src {inside}; font-src {inside}; frame-src {inside}"
    return (
        ("Content-Security-Policy", f"{policy}; style-src {inside} 'unsafe-inline'"),
        ("Connection-Allowlist", f'("{front.replay_pattern}")'),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        *_NOTHING_ELSE,
    )


@lru_cache(16)
def _notice_locks(front: Front, elsewhere: tuple[str, ...], is_at_home: bool) -> LockFields:
    """For a page of ours that may stand on any host: nothing runs or is loaded in it, and its links lead to our pages.

    Those to other archives are followed by people alone: without scripts nothing but a press can follow them.
    """
    # Under the server's own name there is nobody whose origin it could be taken for.
    sandbox = () if is_at_home else (_NOTICE_SANDBOX,)
    policy = "; ".join(
        (
            *sandbox,
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'",
            f"form-action {front.root}; frame-ancestors {front.root} {front.replay_pattern}",
        )
    )
    others = [split(href).origin for each in elsewhere if (href := normal(each)) is not None]
    led_to = " ".join(f'"{each}"' for each in dict.fromkeys((front.root, front.replay_pattern, *others)))
    return (
        ("Content-Security-Policy", policy),
        ("Connection-Allowlist", f"({led_to});redirects=allow"),
        REFERRING,
        *_NOTHING_ELSE,
    )
