"""Names of database dumps in an archive: URNs that no page can have, so that replay, copies and exports can tell such
data, which is private, from what visitors of a site saw.
"""

from __future__ import annotations

import enum

DUMP_PREFIX = "urn:webkeep:dump:"
"""What the target URI of every dump begins with."""


class DumpPhase(enum.StrEnum):
    """When a dump was made: before the first page of a capture was asked for, or after the last."""

    BEFORE = "before"
    AFTER = "after"


def dump_urn(capture: str, name: str, phase: DumpPhase) -> str:
    """The target URI of a dump of a capture."""
    return f"{DUMP_PREFIX}{capture}:{name}:{phase}"


def is_dump_urn(url: str) -> bool:
    """Whether a target URI is that of a dump."""
    return url.startswith(DUMP_PREFIX)
