"""Captures: one run over a site (a crawl, a recording, an import, a recovery), from its start to its end, with its
seeds and whatever else its maker wanted kept.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from webkeep.model.moment import Moment


class CaptureKind(enum.StrEnum):
    """What makes a capture; captures have it as a string, for other programs may have made them."""

    CAPTURE = "capture"
    RECORD = "record"
    IMPORT = "import"
    RECOVER = "recover"
    APPEND = "append"
    """What is written into an archive beside any of these."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One run over a site: a crawl, a recording, an import."""

    id: str
    kind: str
    """What made it, a `CaptureKind` as a rule."""
    started: Moment
    finished: Moment | None = None
    """None while it runs, and for one that never came to its end."""
    seeds: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    """Whatever else its maker wanted kept: the plan, the software, the operator."""
