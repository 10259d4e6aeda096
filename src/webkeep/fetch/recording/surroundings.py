"""What all connections of a recording proxy have in common."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webkeep.fetch.recording.authority import Authority
from webkeep.fetch.recording.dialing import Dialer
from webkeep.fetch.recording.passage import Recorder
from webkeep.fetch.recording.upstream import Upstream
from webkeep.model import Clock

_READ = 64 * 1024


class TunnelRule(enum.StrEnum):
    """What is done about tunnels in which neither TLS nor HTTP is spoken."""

    REFUSE = "refuse"
    PASS = "pass"


@dataclass(slots=True)
class Surroundings:
    """The way out, the recorder, and who is connected."""

    upstream: Upstream
    dialer: Dialer
    recorder: Recorder
    authority: Authority
    clock: Clock
    tunnels: TunnelRule
    is_private_open: Callable[[str, int], bool]
    """Whether clients may go to a host at a private address."""
    failed: Callable[[BaseException], None]
    """Told of errors that are nobody's fault but ours."""
    connections: set[Any] = field(default_factory=set)
    buffer: memoryview = field(default_factory=lambda: memoryview(bytearray(_READ)))
    """Where all connections put what comes, one after the other: each takes it at once."""
