"""What the parts of a server share: what it shows, under which names, by which rules; and the interface of the pages
beside replay, which another room makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webkeep.memento import MementoAddresses, MementoVersion
from webkeep.model import Clock, Moment
from webkeep.replay.choice.absence import Absence
from webkeep.replay.choice.collection import Collection
from webkeep.replay.choice.hashed_origins import HashedOrigins
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.replay.endpoints.basic_auth import PasswordCheck
from webkeep.replay.server.message import DeferredResponse, Request, Response
from webkeep.replay.server.server_name import ServerName


@dataclass(frozen=True, slots=True)
class MissingMemento:
    """What is known about something that cannot be shown."""

    url: str
    moment: Moment | None
    absence: Absence
    nearest: Sequence[MementoVersion] = ()
    """Versions that are held all the same, nearest first."""
    siblings: Sequence[str] = ()
    """URLs of the same host."""


class ReplayPages(Protocol):
    """The pages beside replay, which another room makes."""

    def respond(self, request: Request) -> Response | DeferredResponse:
        """Answer a request on the control host that no protocol takes."""
        ...

    def missing_response(self, missing: MissingMemento) -> Response:
        """The page that says that something is missing, fit to stand on any host."""
        ...


@dataclass(frozen=True, slots=True)
class ServerContext:
    """One server's surroundings."""

    collection: Collection
    server_name: ServerName
    lookup: MementoLookup
    clock: Clock
    pages: ReplayPages
    origins: HashedOrigins
    addresses: MementoAddresses
    """How mementos are called by those who come to a replay host."""
    password_check: PasswordCheck | None = None
    other_archives: tuple[str, ...] = ()
    """Other archives that a page of ours may lead to."""
