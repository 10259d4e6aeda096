"""How a recovery is doing, for whoever watches it: what an observer is told, and what counts as done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from webkeep.recover.state.recovery_store import RecoveredResource, RepositoryStatus


@dataclass(frozen=True, slots=True)
class RecoveryProgress:
    """A recovery as it is now."""

    recovered: int
    missing: int
    queued: int
    listed: int
    """URLs that are known to be held, and that nothing has led to."""
    bytes: int
    repositories: tuple[RepositoryStatus, ...] = ()

    @property
    def share_done(self) -> float:
        """The share of what is known that is done."""
        done = self.recovered + self.missing
        return done / (done + self.queued) if done + self.queued else 0.0


class RecoveryObserver(Protocol):
    """Someone who is told what happens."""

    def on_started(self, capture: str, resumed: bool) -> None:
        """The recovery was begun, or is gone on with."""

    def on_listed(self, status: RepositoryStatus) -> None:
        """A repository has told more of what it holds."""

    def on_recovered(self, resource: RecoveredResource, repository: str) -> None:
        """A resource is back."""

    def on_truncated(self, resource: RecoveredResource, repository: str) -> None:
        """A resource is back, and its end is missing."""

    def on_missing(self, resource: RecoveredResource, note: str) -> None:
        """A resource could not be had."""

    def on_note(self, text: str) -> None:
        """Something that a person should know."""

    def on_progress(self, progress: RecoveryProgress) -> None:
        """How it is doing now; told about twice a second."""


class NullRecoveryObserver:
    """A watcher that looks away."""

    def on_started(self, capture: str, resumed: bool) -> None:
        """The recovery was begun, or is gone on with."""

    def on_listed(self, status: RepositoryStatus) -> None:
        """A repository has told more of what it holds."""

    def on_recovered(self, resource: RecoveredResource, repository: str) -> None:
        """A resource is back."""

    def on_truncated(self, resource: RecoveredResource, repository: str) -> None:
        """A resource is back, and its end is missing."""

    def on_missing(self, resource: RecoveredResource, note: str) -> None:
        """A resource could not be had."""

    def on_note(self, text: str) -> None:
        """Something that a person should know."""

    def on_progress(self, progress: RecoveryProgress) -> None:
        """How it is doing now."""
