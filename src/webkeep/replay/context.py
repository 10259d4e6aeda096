"""What the parts of a server share: what it shows, under which names, by which rules, and its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webkeep.memento import Addresses, Version
from webkeep.model import Clock, Moment
from webkeep.replay.absence import Absence
from webkeep.replay.collection import Collection
from webkeep.replay.front import Front
from webkeep.replay.looking import Looker
from webkeep.replay.message import Answer, Later, Request
from webkeep.replay.origins import Origins
from webkeep.replay.password_check import PasswordCheck


@dataclass(frozen=True, slots=True)
class Missing:
    """What is known about something that cannot be shown."""

    url: str
    moment: Moment | None
    absence: Absence
    nearest: Sequence[Version] = ()
    """Versions that are held all the same, nearest first."""
    siblings: Sequence[str] = ()
    """URLs of the same host."""


class Pages(Protocol):
    """The pages beside replay, which another room makes."""

    def answer(self, request: Request) -> Answer | Later:
        """Answer a request on the control host that no protocol takes."""
        ...

    def missing(self, missing: Missing) -> Answer:
        """The page that says that something is missing, fit to stand on any host."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """One server's surroundings."""

    collection: Collection
    front: Front
    looker: Looker
    clock: Clock
    pages: Pages
    origins: Origins
    addresses: Addresses
    """How mementos are called by those who come to a replay host."""
    password: PasswordCheck | None = None
    elsewhere: tuple[str, ...] = ()
    """Other archives that a page of ours may lead to."""
