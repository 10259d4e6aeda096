"""Whether a request is let in: what it asks for held against who asks, as a pure function.

Whoever may not read a collection is told what they would be told were it not there: its name may be what is not to be
known. Whoever may read it, and not do what they ask for, is told that. That there are pages of administration is no
secret, since it stands in the guide.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.dashboard.page_context import Visitor
from webkeep.service.accounts import Permission


class Verdict(enum.Enum):
    """What becomes of a request."""

    LET_IN = "let in"
    UNKNOWN = "who is it"
    """Nobody is signed in."""
    FORBIDDEN = "not allowed"
    HIDDEN = "not there"
    """They are not to know whether it is there."""


@dataclass(frozen=True, slots=True)
class AccessDemand:
    """What a request asks for."""

    permission: Permission
    collection: str | None = None
    """Which it is about; None for none, empty for one that is not there."""
    is_change: bool = False
    """Whether it may change something."""
    needs_session: bool = False
    """Whether it is for a person who logged in, and for no token."""


def judge(demand: AccessDemand, visitor: Visitor) -> Verdict:
    """Whether it may be."""
    if demand.permission is Permission.ANYONE:
        return Verdict.LET_IN
    if not visitor.is_signed_in:
        return Verdict.UNKNOWN
    if demand.collection is not None and not _may_know(demand, visitor):
        return Verdict.HIDDEN
    if not visitor.may(demand.permission, demand.collection or ""):
        return Verdict.FORBIDDEN
    if visitor.token_id and (demand.needs_session or (demand.is_change and visitor.token_scope is Permission.READ)):
        return Verdict.FORBIDDEN
    return Verdict.LET_IN


def _may_know(demand: AccessDemand, visitor: Visitor) -> bool:
    if demand.collection:
        return visitor.may(Permission.READ, demand.collection)
    return visitor.may(demand.permission)
