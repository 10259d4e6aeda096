"""How likely pages are archived, from what archives hold of them today: chances by archive and directory, and how much
pages of one directory share their fate.

A directory of few pages says little: its share is drawn towards that of the whole site, as if a few more pages of the
usual share were in it; and a page counts for a little more, or less, than its directory by its own record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from webkeep.vault.planning.loss_model import MAX_ARCHIVES, ArchiveOdds, LossModel, PageOdds

DEFAULT_DIRECTORY_CORRELATION = 0.1
"""Of two pages of one directory, where nothing is known of the site."""
DEFAULT_ARCHIVE_ANSWERS = 0.98
"""How likely an archive that answers today does so after the loss."""
_DIRECTORY_PRIOR_PAGES = 4.0
"""A directory's share is reckoned as if so many more pages of the usual share were in it."""
_PAGE_PRIOR = 2.0
"""What its directory says of a page counts twice what its own record does: one look at it is little."""
_MAX_CORRELATION_VALUE = 0.9
"""Samples of few directories may say that all or none are held, which no plan could answer."""


@dataclass(frozen=True, slots=True)
class CoverageEstimate:
    """How likely pages are archived."""

    model: LossModel
    odds: tuple[PageOdds, ...]
    held: int
    """Pages that any archive holds today."""


def directory_of(path: str) -> str:
    """The directory of a page: its path up to the last slash, without the query."""
    return path.partition("?")[0].rpartition("/")[0] + "/"


def assume_coverage(
    paths: Sequence[str], archives: Mapping[str, float], correlation: float = DEFAULT_DIRECTORY_CORRELATION,
    answers: float = DEFAULT_ARCHIVE_ANSWERS,
) -> CoverageEstimate:  # fmt: skip
    """Every archive holds the share of pages that somebody says it does."""
    chances = tuple(archives.values())
    model = LossModel(tuple(ArchiveOdds(name, answers) for name in archives), correlation)
    return CoverageEstimate(model, tuple(PageOdds(path, directory_of(path), chances) for path in paths), 0)


def estimate_coverage(
    paths: Sequence[str],
    held: Mapping[str, Collection[str]],
    answers: float = DEFAULT_ARCHIVE_ANSWERS,
    correlation: float | None = None,
) -> CoverageEstimate:
    """Chances from the lists of archives: which of these pages each of them holds; the correlation is measured unless
    one is given.
    """
    best = sorted(held, key=lambda name: -sum(path in held[name] for path in paths))[:MAX_ARCHIVES]
    columns = [_estimate_chances(paths, held[name]) for name in best]
    directories = [directory_of(path) for path in paths]
    anywhere = [any(path in held[name] for name in best) for path in paths]
    measured = measure_correlation(directories, anywhere) if correlation is None else correlation
    model = LossModel(tuple(ArchiveOdds(name, answers) for name in best), measured)
    odds = tuple(
        PageOdds(path, directory, chances)
        for path, directory, chances in zip(paths, directories, zip(*columns, strict=True), strict=True)
    )
    return CoverageEstimate(model, odds, sum(anywhere))


def _estimate_chances(paths: Sequence[str], held: Collection[str]) -> list[float]:
    usual = (sum(path in held for path in paths) + 1) / (len(paths) + 2)
    sizes, counts = Counter(map(directory_of, paths)), Counter(directory_of(path) for path in paths if path in held)
    shares = {
        each: (counts[each] + _DIRECTORY_PRIOR_PAGES * usual) / (size + _DIRECTORY_PRIOR_PAGES)
        for each, size in sizes.items()
    }
    return [(_PAGE_PRIOR * shares[directory_of(path)] + (path in held)) / (_PAGE_PRIOR + 1) for path in paths]


def measure_correlation(directories: Sequence[str], held: Sequence[bool]) -> float:
    """The correlation of two pages of one directory, by the analysis of variance within and between directories; the
    usual one where the pages cannot tell.
    """
    sizes, counts = (
        Counter(directories),
        Counter(each for each, is_held in zip(directories, held, strict=True) if is_held),
    )
    total, groups = len(directories), len(sizes)
    share = sum(held) / total if total else 0.0
    if groups < 2 or total <= groups or share in (0.0, 1.0):
        return DEFAULT_DIRECTORY_CORRELATION
    between = sum(size * (counts[each] / size - share) ** 2 for each, size in sizes.items()) / (groups - 1)
    within = sum(counts[each] * (1 - counts[each] / size) for each, size in sizes.items()) / (total - groups)
    usual_size = (total - sum(size**2 for size in sizes.values()) / total) / (groups - 1)
    spread = between + (usual_size - 1) * within
    return (
        min(max((between - within) / spread, 0.0), _MAX_CORRELATION_VALUE) if spread else DEFAULT_DIRECTORY_CORRELATION
    )
