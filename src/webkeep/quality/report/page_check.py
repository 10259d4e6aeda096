"""How well a live page can be archived, by a capture of it alone: what stands in the way, what each obstacle costs, and
what would help.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from webkeep.document import PlaceholderSuspicion
from webkeep.formats.status import is_answered
from webkeep.model import Fate, UrlOutcome
from webkeep.presentation import describe_failure, format_count, format_share
from webkeep.quality.damage import PartKind
from webkeep.quality.report.archive_report import ArchiveReport, read_archive_report
from webkeep.store.archive import Archive
from webkeep.store.views import read_unstored_fates
from webkeep.url import surt

_HUNGRY_LOSS = 0.5
"""What a page is taken to lose that shows little until its scripts have run, where no browser ran them."""
_PARTS_NAMED = 3
"""Missing parts that are named."""


@dataclass(frozen=True, slots=True)
class ArchivingObstacle:
    """Something that keeps a page from being archived as it is."""

    name: str
    words: str
    loss: float
    """What it takes from the page, from nought to one."""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class PageCheck:
    """How well a page can be archived."""

    url: str
    archivability: float | None
    """From nought to one; None where nobody could tell, for the page gave no answer."""
    parts: int
    missing: int
    obstacles: tuple[ArchivingObstacle, ...]
    has_validators: bool
    """Whether updates can ask whether it changed without having it sent."""


def check_page(archive: Archive, url: str) -> PageCheck:
    """What the last capture of an archive, which is of one page, says of how well that can be archived."""
    report = read_archive_report(archive)
    fates = {surt(fate.url): fate for each in archive.captures() for fate in read_unstored_fates(archive, each.id)}
    seen = archive.lookup(url)
    if seen is None:
        return PageCheck(url, None, 0, 0, (_explain_absence(fates.get(surt(url))),), has_validators=False)
    obstacles = tuple(_find_obstacles(archive, report, fates, seen.status))
    left = prod(1.0 - each.loss for each in obstacles)
    parts = sum(report.damage.missing_by_kind.values())
    return PageCheck(url, left, report.completeness.urls, parts, obstacles, bool(seen.etag or seen.last_modified))


def _explain_absence(fate: Fate | None) -> ArchivingObstacle:
    """Why there is no page: nobody answered, or it was not asked for."""
    if fate is not None and fate.outcome is UrlOutcome.REFUSED:
        return ArchivingObstacle("refused", f"it was not asked for, by {fate.reason}", 1.0, _REFUSED_ADVICE)
    reason = f"it gave no answer: {describe_failure(fate.reason)}" if fate is not None else "it gave no answer"
    return ArchivingObstacle("unreachable", reason, 1.0)


_REFUSED_ADVICE = "ask whoever runs the site; --robots decides what is asked for"
_WALL_ADVICE = {
    PlaceholderSuspicion.LOGIN: "webkeep login lets a person in first",
    PlaceholderSuspicion.REGION: "ask by a proxy elsewhere (--proxy)",
}


def _find_obstacles(
    archive: Archive, report: ArchiveReport, fates: dict[str, Fate], status: int | None
) -> Iterator[ArchivingObstacle]:
    if status is not None and not is_answered(status):
        yield ArchivingObstacle("error", f"the server answered with status {status}", 1.0)
        return
    for wall in report.damage.placeholders:
        advice = _WALL_ADVICE.get(wall.suspicion, "ask less often, or in a browser")
        yield ArchivingObstacle("wall", f"it shows {wall.suspicion.value} in place of the page", 1.0, advice)
    if report.damage.hungry:
        words = "it shows little until its scripts have run"
        yield ArchivingObstacle("scripts", words, _HUNGRY_LOSS, "capture it with --browser auto, which is the default")
    yield from _find_missing(archive, report, fates)


def _find_missing(archive: Archive, report: ArchiveReport, fates: dict[str, Fate]) -> Iterator[ArchivingObstacle]:
    """Parts that cannot be had, by why."""
    by_reason: dict[str, list[tuple[float, str, PartKind]]] = {}
    for page in report.damage.worst:
        for part in page.worst:
            reason = _missing_reason(archive, part.url, fates.get(surt(part.url)))
            by_reason.setdefault(reason, []).append((part.loss, part.url, part.kind))
    for reason, parts in sorted(by_reason.items()):
        loss = 1.0 - prod(1.0 - each[0] for each in parts)
        named = ", ".join(f"{kind} {url}" for _, url, kind in sorted(parts, reverse=True)[:_PARTS_NAMED])
        words = f"{format_count(len(parts), 'part')} cannot be had ({reason}; {format_share(loss)} of it): {named}"
        advice = _REFUSED_ADVICE if reason == "robots.txt" else ""
        yield ArchivingObstacle("missing", words, loss, advice)


def _missing_reason(archive: Archive, url: str, fate: Fate | None) -> str:
    if fate is not None:
        return "robots.txt" if fate.outcome is UrlOutcome.REFUSED else fate.reason or str(fate.outcome)
    seen = archive.lookup(url)
    if seen is None:
        return "not asked for"
    return f"the server answered with status {seen.status}"
