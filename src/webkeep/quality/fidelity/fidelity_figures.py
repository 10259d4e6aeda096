"""What comparing pages in a browser came to: page by page, how many of each verdict, and within which budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.quality.fidelity.page_rendering import RenderingSource
from webkeep.quality.fidelity.rendering_comparison import FidelityVerdict, RenderingComparison

_SOUND_VERDICTS = (FidelityVerdict.SAME, FidelityVerdict.VARYING)


@dataclass(frozen=True, slots=True)
class FidelityBudget:
    """How far comparing pages in a browser may go."""

    pages: int = 10
    """So many pages say how replay does; each is opened up to four times."""
    seconds: float = 300.0
    """Of real time for all of it: what a person waits for."""
    is_offline: bool = False
    """Whether nothing is asked of the live web, and pages are held against the pictures that their capture kept."""


DEFAULT_FIDELITY_BUDGET = FidelityBudget()


@dataclass(frozen=True, slots=True)
class PageFidelity:
    """A page of a capture, and how replay shows it."""

    url: str
    moment: Moment
    """Of the memento that was shown."""
    comparisons: tuple[RenderingComparison, ...]
    """With the live page, and with what was kept of it at capture, as far as there is either."""


@dataclass(frozen=True, slots=True)
class FidelityFigures:
    """How replay shows the pages of a capture."""

    budget: FidelityBudget
    pages: tuple[PageFidelity, ...]
    """Those that were looked at."""
    seconds: float
    """What that took."""
    left: int = 0
    """Pages that were to be looked at, and for which there was no time left."""

    def count(self, source: RenderingSource) -> Mapping[FidelityVerdict, int]:
        """How many pages there are of each verdict, held against the live ones or against what was kept."""
        found = (each.verdict for page in self.pages for each in page.comparisons if each.reference is source)
        return Counter(found)

    @property
    def sources(self) -> tuple[RenderingSource, ...]:
        """What pages were held against."""
        known = {each.reference for page in self.pages for each in page.comparisons}
        return tuple(source for source in RenderingSource if source in known)

    @property
    def judged(self) -> int:
        """Comparisons that say something of replay: neither the live page changed, nor was there nothing to compare."""
        return self.sound + sum(self.count(source)[FidelityVerdict.DIFFERENT] for source in self.sources)

    @property
    def sound(self) -> int:
        """Those of them in which replay shows what there was."""
        return sum(self.count(source)[verdict] for source in self.sources for verdict in _SOUND_VERDICTS)

    @property
    def share(self) -> float | None:
        """The share of comparisons that speak for replay, of those that say anything of it."""
        return self.sound / self.judged if self.judged else None
