"""What may be lost: how likely each page is in each archive, which archives still answer, and how much pages of one
directory share their fate; out of it the chances of segments and of the whole.

Three kinds of loss are told apart. A page is missed by itself, with its own chance in each archive. A directory is
missed as a whole (a robots rule, a depth limit, a redesign): the correlation of two of its pages says how often, and
each page then is the likelier where it was not, so that its chance stays what it was. An archive is gone, or does not
answer, with all that it holds. Of archives every combination is gone through, so that all chances are exact; only the
whole of several segments that share directories is a bound: it is never less likely than told here, because what helps
one segment never harms another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from webkeep.errors import UsageError
from webkeep.vault.planning.recovery_odds import CarrierGroup, chance_of_enough

MAX_ARCHIVES = 6
"""Archives whose every combination is gone through: 64 of them; further ones are left out, which tells too little."""
_MAX_CLASSES = 100
"""So many different chances are reckoned with one by one; where there are more, all are rounded down to hundredths."""


@dataclass(frozen=True, slots=True)
class ArchiveOdds:
    """An archive: its name, and how likely it still answers after the loss."""

    name: str
    answers: float = 1.0


@dataclass(frozen=True, slots=True)
class PageOdds:
    """A page that can carry blocks: where it lies, and how likely each archive has its present version."""

    url: str
    directory: str
    chances: tuple[float, ...]
    """One for each archive of the loss model."""

    @property
    def chance(self) -> float:
        """How likely any archive has it, where all of them answer."""
        return 1.0 - prod(1.0 - each for each in self.chances)


@dataclass(frozen=True, slots=True)
class LossModel:
    """What is assumed of losses."""

    archives: tuple[ArchiveOdds, ...]
    directory_correlation: float = 0.0
    """Of two pages of one directory: 0 where each is missed by itself, 1 where all or none are held."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.directory_correlation < 1.0:
            raise UsageError(
                f"a correlation of {self.directory_correlation:g} within directories cannot be; give 0 up to below 1"
            )
        if not 0 < len(self.archives) <= MAX_ARCHIVES:
            raise UsageError(f"{len(self.archives)} archives cannot be reckoned with; give 1 to {MAX_ARCHIVES}")

    @property
    def any_answers(self) -> float:
        """How likely at least one archive answers: more than that no plan can reach."""
        return 1.0 - prod(1.0 - each.answers for each in self.archives)

    @property
    def independent(self) -> LossModel:
        """The same, if pages and archives were lost one by one: archives all answer, directories mean nothing."""
        return LossModel(tuple(ArchiveOdds(each.name) for each in self.archives))

    def segment_chance(self, pages: Sequence[PageOdds], needed: int) -> float:
        """How likely at least so many of the pages that carry a segment come back."""
        return self.whole_chance([(pages, needed)])

    def whole_chance(self, segments: Sequence[tuple[Sequence[PageOdds], int]]) -> float:
        """How likely all segments come back, each with the pages that carry it and how many of them are needed."""
        counted = [(Counter((page.directory, page.chances) for page in pages), needed) for pages, needed in segments]
        return sum(
            weight * prod(chance_of_enough(self._build_groups(pages, answering), needed) for pages, needed in counted)
            for weight, answering in self._situations()
        )

    def _situations(self) -> Iterator[tuple[float, tuple[bool, ...]]]:
        """Which archives answer, and how likely it is these."""
        for answering in product((True, False), repeat=len(self.archives)):
            weight = prod(
                each.answers if is_there else 1.0 - each.answers
                for each, is_there in zip(self.archives, answering, strict=True)
            )
            if weight:
                yield weight, answering

    def _build_groups(
        self, pages: Counter[tuple[str, tuple[float, ...]]], answering: tuple[bool, ...]
    ) -> list[tuple[CarrierGroup, int]]:
        chances = {key: _held_chance(key, answering) for key in {key for _, key in pages}}
        steps = 100 if len(set(chances.values())) > _MAX_CLASSES else 0
        by_directory: dict[str, Counter[float]] = {}
        for (directory, key), count in pages.items():
            chance = int(chances[key] * steps) / steps if steps else chances[key]
            group = directory if self.directory_correlation else ""
            by_directory.setdefault(group, Counter())[chance] += count
        return list(Counter(self._build_group(counts) for counts in by_directory.values()).items())

    def _build_group(self, counts: Counter[float]) -> CarrierGroup:
        mean = sum(chance * count for chance, count in counts.items()) / counts.total()
        lost = directory_loss(mean, self.directory_correlation)
        raised: Counter[float] = Counter()
        for chance, count in counts.items():
            # A page is never likelier than its directory: where it was said to be, that is told too low.
            raised[min(chance / (1.0 - lost), 1.0) if lost < 1.0 else 0.0] += count
        return CarrierGroup(tuple(sorted(raised.items())), lost)


def directory_loss(chance: float, correlation: float) -> float:
    """How often a directory is missed as a whole, by the chance of its pages and the correlation of two of them."""
    missed = correlation * (1.0 - chance)
    return missed / (chance + missed) if missed else 0.0


def _held_chance(chances: tuple[float, ...], answering: tuple[bool, ...]) -> float:
    return 1.0 - prod(1.0 - chance for chance, there in zip(chances, answering, strict=True) if there)
