"""What a page does with its content in the course of time: whether it is static, churns or scrolls."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Set as AbstractSet


class ChangeBehaviour(enum.StrEnum):
    """What a page does with its content in the course of time."""

    STATIC = "static"
    CHURN = "churn"
    """It overwrites: what is new is gone by the next change."""
    SCROLL = "scroll"
    """It adds: what is new stays for some time."""


def classify_behaviour(versions: Iterable[AbstractSet[Hashable]]) -> ChangeBehaviour:
    """What a page does, by the shingles or the hashes of its versions in their order; two versions alone are churn."""
    distinct: list[AbstractSet[Hashable]] = []
    for version in versions:
        if not distinct or version != distinct[-1]:
            distinct.append(version)
    if len(distinct) < 2:
        return ChangeBehaviour.STATIC
    appeared = stayed = 0
    for before, new, after in zip(distinct, distinct[1:], distinct[2:], strict=False):
        fresh = new - before
        appeared += len(fresh)
        stayed += len(fresh & after)
    return ChangeBehaviour.SCROLL if 2 * stayed > appeared else ChangeBehaviour.CHURN
