"""What one run of a recovery works with: given once, to whoever takes part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.model import Clock
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import FetchedVersion, Repository
from webkeep.recover.run.recovery_observer import RecoveryObserver
from webkeep.recover.run.version_search import VersionJudge
from webkeep.recover.run.version_sink import VersionSink
from webkeep.recover.state.recovery_store import RecoveredResource, RecoveryStore


def _accept_all(_resource: RecoveredResource, _found: FetchedVersion) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class RecoveryContext:
    """One run of a recovery: the plan, who is asked, where things are kept, and who is told."""

    plan: RecoveryPlan
    repositories: Sequence[Repository]
    store: RecoveryStore
    sink: VersionSink
    clock: Clock
    observer: RecoveryObserver
    judge: VersionJudge = _accept_all
    """Says why a version is not what it pretends to be; nothing where it is."""
