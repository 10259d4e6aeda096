"""How a recovery is doing, for whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from webkeep.recover.book import Desk, Resource


@dataclass(frozen=True, slots=True)
class Glance:
    """A recovery as it is now."""

    recovered: int
    missing: int
    queued: int
    listed: int
    """URLs that are known to be held, and that nothing has led to."""
    bytes: int
    desks: tuple[Desk, ...] = ()

    @property
    def progress(self) -> float:
        """The share of what is known that is done."""
        done = self.recovered + self.missing
        return done / (done + self.queued) if done + self.queued else 0.0


class Watcher(Protocol):
    """Someone who is told what happens."""

    def begun(self, capture: str, resumed: bool) -> None:
        """The recovery was begun, or is gone on with."""

    def listed(self, desk: Desk) -> None:
        """A repository has told more of what it holds."""

    def recovered(self, resource: Resource, repository: str) -> None:
        """A resource is back."""

    def cut_off(self, resource: Resource, repository: str) -> None:
        """A resource is back, and its end is missing."""

    def missed(self, resource: Resource, note: str) -> None:
        """A resource could not be had."""

    def noted(self, text: str) -> None:
        """Something that a person should know."""

    def glanced(self, glance: Glance) -> None:
        """How it is doing now; told about twice a second."""


class Nobody:
    """A watcher that looks away."""

    def begun(self, capture: str, resumed: bool) -> None:
        """The recovery was begun, or is gone on with."""

    def listed(self, desk: Desk) -> None:
        """A repository has told more of what it holds."""

    def recovered(self, resource: Resource, repository: str) -> None:
        """A resource is back."""

    def cut_off(self, resource: Resource, repository: str) -> None:
        """A resource is back, and its end is missing."""

    def missed(self, resource: Resource, note: str) -> None:
        """A resource could not be had."""

    def noted(self, text: str) -> None:
        """Something that a person should know."""

    def glanced(self, glance: Glance) -> None:
        """How it is doing now."""
