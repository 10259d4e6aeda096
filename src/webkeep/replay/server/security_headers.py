"""Lock two: header fields that keep a replayed page from the network, whatever it does (Content-Security-Policy,
`Connection-Allowlist`, sandbox); which of them an answer has, by its host and security class.

What is found and renamed points into the archive already (lock one). A content security policy stops what was missed,
and `Connection-Allowlist` the ways that escape such policies: navigation, refreshes, windows, speculation, WebRTC.

Theory of operation. A page can open whatever its host answers in a frame, and use that frame as its own: one answer
without locks is a way out for all. So no handler puts them on. The wire does, on every head it writes, by what the
answer says of itself (`SecurityClass`); where it says nothing it is sealed, and so are the errors of the wire.

Chromium lets go of the locks of a document while a policy has its frame replaced by an error page: what it asked to be
connected with just then is connected with. So browsers that obey `Connection-Allowlist` get no `frame-src`, which they
have no need of; to all others it is the lock on frames.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from webkeep.replay.server.message import SecurityClass
from webkeep.replay.server.server_name import ServerName
from webkeep.url import normalize_url, split_url

SecurityFields = tuple[tuple[str, str], ...]
SecurityRule = Callable[[str, SecurityClass, bool], SecurityFields]
"""The locks of an answer, by the Host it is given under, and by whether the browser obeys `Connection-Allowlist`."""

_NO_DEVICES = "camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), bluetooth=(), midi=()"
_COMMON_LOCKS = (
    ("X-DNS-Prefetch-Control", "off"),
    ("Permissions-Policy", _NO_DEVICES),
    ("Origin-Agent-Cluster", "?1"),
)
_SEALED_LOCKS: SecurityFields = (
    ("Content-Security-Policy", "sandbox; default-src 'none'; form-action 'none'; base-uri 'none'"),
    ("Connection-Allowlist", "()"),
    *_COMMON_LOCKS,
)
_NOTICE_SANDBOX = (
    "sandbox allow-forms allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"
)
REFERRER_FIELD = ("Referrer-Policy", "unsafe-url")
"""Which page asks for a part of itself tells which version of that fits; redirections must not change it."""

_PROXY_LOCKS: SecurityFields = (
    ("Connection-Allowlist", '("http://*:*" "https://*:*" "ws://*:*" "wss://*:*");redirects=allow'),
    ("X-DNS-Prefetch-Control", "off"),
)
_OWN_LOCKS: SecurityFields = (("Referrer-Policy", "same-origin"), *_COMMON_LOCKS)
_ADDITIVE_NAME = "content-security-policy"
_LOADING_DIRECTIVES = (
    "style-src",
    "img-src",
    "font-src",
    "media-src",
    "object-src",
    "worker-src",
    "manifest-src",
    "script-src",
)
"""What `default-src` stands for, but for frames."""
_ALLOWLIST_CHROMIUM_VERSION = 152
"""The first Chromium that obeys `Connection-Allowlist`."""
_BRAND = re.compile(r'"Chromium";v="([0-9]{1,5})"')


@lru_cache(256)
def obeys_allowlist(brands: str) -> bool:
    """Whether a browser obeys `Connection-Allowlist`, by what it says of itself in `Sec-CH-UA`."""
    brand = _BRAND.search(brands)
    return brand is not None and int(brand[1]) >= _ALLOWLIST_CHROMIUM_VERSION


@lru_cache(64)
def reserved_names(locks: SecurityFields) -> frozenset[str]:
    """The fields that nothing but these locks may set; of content security policies all count that there are."""
    named = {name.lower() for name, _ in locks} - {_ADDITIVE_NAME}
    return frozenset({*named, "connection-allowlist", "connection-allowlist-report-only"})


def sealed_security_rule(_host: str, _security_class: SecurityClass, _obeys_allowlist: bool) -> SecurityFields:
    """The locks of what is neither to be shown nor run: no scripts, no origin, no network."""
    return _SEALED_LOCKS


def site_security_rule(server_name: ServerName, elsewhere: tuple[str, ...] = ()) -> SecurityRule:
    """The locks of a server's answers under its own name and on replay hosts.

    `elsewhere` has other archives, which a notice may lead to.
    """
    return lru_cache(4096)(partial(_locks_on_host, server_name, elsewhere))


def proxy_security_rule(server_name: ServerName, elsewhere: tuple[str, ...] = ()) -> SecurityRule:
    """The locks of answers to a browser whose proxy this is: archived content may ask for anything that a proxy is
    asked for, and for nothing past it.
    """

    def locks(_host: str, security_class: SecurityClass, obeys_allowlist: bool) -> SecurityFields:
        return (
            _PROXY_LOCKS
            if security_class is SecurityClass.ARCHIVED
            else _locks_on_host(server_name, elsewhere, "", security_class, obeys_allowlist)
        )

    return locks


def _locks_on_host(
    server_name: ServerName, elsewhere: tuple[str, ...], host: str, security_class: SecurityClass, obeys_allowlist: bool
) -> SecurityFields:
    if security_class is SecurityClass.NOTICE:
        return _notice_locks(server_name, elsewhere, is_at_home=server_name.is_control_host(host))
    if server_name.is_control_host(host):
        return (
            sealed_security_fields(server_name)
            if security_class is SecurityClass.ARCHIVED
            else _OWN_LOCKS
            if security_class is SecurityClass.OWN
            else _SEALED_LOCKS
        )
    return (
        replay_security_fields(server_name, obeys_allowlist)
        if security_class is SecurityClass.ARCHIVED
        else (*_SEALED_LOCKS, REFERRER_FIELD)
    )


@lru_cache(16)
def replay_security_fields(server_name: ServerName, obeys_allowlist: bool = False) -> SecurityFields:
    """For archived content on a replay host."""
    inside = f"'self' {server_name.replay_pattern} data: blob:"
    within = f"{inside} 'unsafe-inline' 'unsafe-eval'"
    framing = (f"default-src {within}", f"frame-src {inside} about:")
    policy = "; ".join(
        (
            *([f"{name} {within}" for name in _LOADING_DIRECTIVES] if obeys_allowlist else framing),
            f"connect-src {inside}",
            f"form-action 'self' {server_name.replay_pattern}",
            f"base-uri 'self' {server_name.replay_pattern}",
            f"frame-ancestors {server_name.control_url} {server_name.replay_pattern}",
        )
    )
    return (
        ("Content-Security-Policy", policy),
        # Redirections come from this server alone, and lead to replay hosts.
        ("Connection-Allowlist", f'(response-origin "{server_name.replay_pattern}");redirects=allow'),
        REFERRER_FIELD,
        *_COMMON_LOCKS,
    )


@lru_cache(16)
def sealed_security_fields(server_name: ServerName) -> SecurityFields:
    """For archived content under the server's own name: shown as a page it has neither scripts nor an origin."""
    inside = f"{server_name.replay_pattern} data:"
    policy = f"sandbox; default-src 'none'; img-src {inside}; media-src {inside}; font-src {inside}; frame-src {inside}"
    return (
        ("Content-Security-Policy", f"{policy}; style-src {inside} 'unsafe-inline'"),
        ("Connection-Allowlist", f'("{server_name.replay_pattern}")'),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        *_COMMON_LOCKS,
    )


@lru_cache(16)
def _notice_locks(server_name: ServerName, elsewhere: tuple[str, ...], is_at_home: bool) -> SecurityFields:
    """For a page of ours that may stand on any host: nothing runs or is loaded in it, and its links lead to our pages.

    Those to other archives are followed by people alone: without scripts nothing but a press can follow them.
    """
    # Under the server's own name there is nobody whose origin it could be taken for.
    sandbox = () if is_at_home else (_NOTICE_SANDBOX,)
    policy = "; ".join(
        (
            *sandbox,
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'",
            f"form-action {server_name.control_url}",
            f"frame-ancestors {server_name.control_url} {server_name.replay_pattern}",
        )
    )
    others = [split_url(href).origin for each in elsewhere if (href := normalize_url(each)) is not None]
    led_to = " ".join(
        f'"{each}"' for each in dict.fromkeys((server_name.control_url, server_name.replay_pattern, *others))
    )
    return (
        ("Content-Security-Policy", policy),
        ("Connection-Allowlist", f"({led_to});redirects=allow"),
        REFERRER_FIELD,
        *_COMMON_LOCKS,
    )
