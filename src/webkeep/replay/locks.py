"""Lock two: header fields that keep a replayed page from the network, whatever it does and however it was rewritten.

What is found and renamed points into the archive already (lock one). A content security policy stops what was missed,
and `Connection-Allowlist` the ways that escape such policies: navigation, refreshes, windows, speculation, WebRTC.
"""

from __future__ import annotations

from functools import lru_cache

from webkeep.replay.front import Front

Fields = list[tuple[str, str]]

_NOTHING_ELSE = [
    ("Referrer-Policy", "unsafe-url"),
    ("X-DNS-Prefetch-Control", "off"),
    (
        "Permissions-Policy",
        "camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), bluetooth=(), midi=()",
    ),
]


@lru_cache(16)
def replay_locks(front: Front) -> tuple[tuple[str, str], ...]:
    """For everything that comes from a replay host."""
    inside = f"'self' {front.replay_pattern} data: blob:"
    policy = "; ".join(
        (
            f"default-src {inside} 'unsafe-inline' 'unsafe-eval'",
            f"connect-src {inside}",
            f"frame-src {inside} about:",
            f"form-action 'self' {front.replay_pattern}",
            f"base-uri 'self' {front.replay_pattern}",
            f"frame-ancestors {front.root} {front.replay_pattern}",
        )
    )
    return (
        ("Content-Security-Policy", policy),
        # Redirections come from this server alone, and lead to replay hosts.
        ("Connection-Allowlist", f'(response-origin "{front.replay_pattern}");redirects=allow'),
        *_NOTHING_ELSE,
    )


@lru_cache(16)
def sealed_locks(front: Front) -> tuple[tuple[str, str], ...]:
    """For archived content under the server's own name: shown as a page it has neither scripts nor an origin."""
    inside = f"{front.replay_pattern} data:"
    policy = f"sandbox; default-src 'none'; img-src {inside}; media-src {inside}; font-src {inside}; frame-src {inside}"
    return (
        ("Content-Security-Policy", f"{policy}; style-src {inside} 'unsafe-inline'"),
        ("Connection-Allowlist", f'("{front.replay_pattern}")'),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    )
