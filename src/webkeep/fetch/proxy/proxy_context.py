"""What all connections of a recording proxy have in common: the way out, the recorder, the authority, and whether
tunnels without TLS or HTTP inside are passed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webkeep.fetch.proxy.certificate_authority import CertificateAuthority
from webkeep.fetch.proxy.dialer import Dialer
from webkeep.fetch.proxy.exchange_recorder import ExchangeRecorder
from webkeep.fetch.proxy.upstream_client import UpstreamClient
from webkeep.model import Clock

_BUFFER_BYTES = 64 * 1024
"""The buffer that all connections share, as much as a socket usually has."""


class TunnelRule(enum.StrEnum):
    """What is done about tunnels in which neither TLS nor HTTP is spoken."""

    REFUSE = "refuse"
    PASS = "pass"


@dataclass(slots=True)
class ProxyContext:
    """The way out, the recorder, and who is connected."""

    upstream: UpstreamClient
    dialer: Dialer
    recorder: ExchangeRecorder
    authority: CertificateAuthority
    clock: Clock
    tunnels: TunnelRule
    is_private_open: Callable[[str, int], bool]
    """Whether clients may go to a host at a private address."""
    note_error: Callable[[BaseException], None]
    """Told of errors that are nobody's fault but ours."""
    connections: set[Any] = field(default_factory=set)
    buffer: memoryview = field(default_factory=lambda: memoryview(bytearray(_BUFFER_BYTES)))
    """Where all connections put what comes, one after the other: each takes it at once."""
