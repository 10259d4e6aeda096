"""What a reconstruction is worth: loss scores (s1 to s5), by what changed, missing and added resources are held to
cost.

A loss of zero is a perfect reconstruction. The five levels s1 to s5 forgive more and more: first what was added, then
what is similar, then every change, and last what is known to be held but was not asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.recover.report.site_difference import DifferenceCounts, DifferenceVector, ResourceLikeness


@dataclass(frozen=True, slots=True)
class DifferencePenalties:
    """What each kind of difference costs, from nothing (0) to all that the resource is worth (1)."""

    changed: float = 1.0
    missing: float = 1.0
    added: float = 1.0

    def __post_init__(self) -> None:
        if not all(0.0 <= each <= 1.0 for each in (self.changed, self.missing, self.added)):
            raise UsageError(f"a penalty lies between 0 and 1; {self} does not")

    def penalty(self, likeness: ResourceLikeness) -> float:
        """What one resource costs."""
        match likeness:
            case ResourceLikeness.CHANGED:
                return self.changed
            case ResourceLikeness.MISSING:
                return self.missing
            case ResourceLikeness.ADDED:
                return self.added
            case ResourceLikeness.IDENTICAL:
                return 0.0


ALL_EQUAL = DifferencePenalties()
ADDED_FREE = DifferencePenalties(added=0.0)
ONLY_MISSING = DifferencePenalties(changed=0.0, added=0.0)


@dataclass(frozen=True, slots=True)
class LossScores:
    """The five loss scores; of s4 and s5 one may say that the rest was recovered, or could have been."""

    s1: float
    """Changed, missing and added are equally bad."""
    s2: float
    """What was added does not matter."""
    s3: float
    """Nor do changes of texts that stayed similar."""
    s4: float
    """Only what is missing matters."""
    s5: float
    """Only what is missing and known to be held nowhere matters."""

    @property
    def recovered(self) -> float:
        """The share of the lost site that came back."""
        return 1.0 - self.s4

    @property
    def recoverable(self) -> float:
        """The share of the lost site that came back, or would have if it had been asked for."""
        return 1.0 - self.s5


def weighted_loss(vector: DifferenceVector, penalties: DifferencePenalties = ALL_EQUAL) -> float:
    """The difference weighed: between 0 and 2, and the less the better."""
    return vector.changed * penalties.changed + vector.missing * penalties.missing + vector.added * penalties.added


def score_losses(difference: DifferenceCounts, similar: int = 0, skipped: int = 0) -> LossScores:
    """The five scores of a reconstruction with so many similar among the changed, and skipped among the missing."""
    if not 0 <= similar <= difference.changed:
        raise UsageError(f"{similar} similar resources are not among {difference.changed} changed ones")
    if not 0 <= skipped <= difference.missing:
        raise UsageError(f"{skipped} skipped resources are not among {difference.missing} missing ones")
    vector, whole = difference.vector, difference.lost
    alike = DifferenceVector(vector.changed - similar / whole, vector.missing, vector.added)
    asked = DifferenceVector(vector.changed, vector.missing - skipped / whole, vector.added)
    return LossScores(
        weighted_loss(vector),
        weighted_loss(vector, ADDED_FREE),
        weighted_loss(alike, ADDED_FREE),
        weighted_loss(vector, ONLY_MISSING),
        weighted_loss(asked, ONLY_MISSING),
    )


def loss_by_resource(fates: Iterable[tuple[ResourceLikeness, DifferencePenalties]]) -> float:
    """The loss of a reconstruction whose resources have penalties of their own."""
    lost = recovered = 0
    of_lost = of_recovered = 0.0
    for likeness, penalties in fates:
        is_added = likeness is ResourceLikeness.ADDED
        lost += not is_added
        recovered += likeness is not ResourceLikeness.MISSING
        if is_added:
            of_recovered += penalties.penalty(likeness)
        else:
            of_lost += penalties.penalty(likeness)
    if not lost:
        raise UsageError("a site of no resources cannot be lost; compare with one that has some")
    return of_lost / lost + (of_recovered / recovered if recovered else 0.0)
