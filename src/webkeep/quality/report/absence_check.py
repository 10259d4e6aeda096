"""Why a capture did not see what the one before it held: whether it looked and found no way there, or could not look.

A page is gone only where its server says so, or where the page that led to it was read again and leads there no more.
Where a page on that way failed, was refused or cut, nobody knows what lies behind it; nor of what recordings and
imports lack, as nobody knows what they looked for.
"""

from __future__ import annotations

from webkeep.formats.status import GONE_STATUSES, is_error
from webkeep.model import STORED_OUTCOMES, CaptureKind, Observation
from webkeep.quality.report.capture_series import CaptureSeries
from webkeep.store.archive import Archive

_MAX_WAY_STEPS = 1000
"""Links followed back from a page; circles end, and so do traps."""
_MAX_KNOWN_PAGES = 100_000
"""Pages of which it is remembered whether the way over them is lost; some 20 MB."""


class AbsenceCheck:
    """Tells of what a capture of a series did not see whether it looked for it."""

    def __init__(self, archive: Archive, series: CaptureSeries) -> None:
        self._archive, self._series = archive, series
        self._lost: dict[tuple[int, str], bool] = {}

    def is_gone(self, url: str, via: str, place: int) -> bool:
        """Whether the capture at a place would have seen a page that `via` led to before, had there been a way."""
        capture = self._series.captures[place]
        if not capture.is_finished or capture.kind != CaptureKind.CAPTURE:
            return False
        fate = self._archive.catalog.log.fate(capture.id, url)
        if fate is not None and fate.outcome not in STORED_OUTCOMES:
            return False
        return not self._is_way_lost(via, place)

    def _is_way_lost(self, via: str, place: int) -> bool:
        """Whether a page on the way was there and could not be read; so is a way that begins nowhere now."""
        trail: list[tuple[int, str]] = []
        answer: bool | None = None
        while answer is None:
            step = (place, via)
            if not via or step in trail or len(trail) >= _MAX_WAY_STEPS:
                answer = True
                break
            answer = self._lost.get(step)
            if answer is None:
                trail.append(step)
                answer, via = self._look_at(via, place)
        if len(self._lost) > _MAX_KNOWN_PAGES:
            self._lost.clear()
        self._lost.update(dict.fromkeys(trail, answer))
        return answer

    def _look_at(self, url: str, place: int) -> tuple[bool | None, str]:
        """Whether a page on the way failed; None where the capture did not see it either, with what led to it."""
        capture = self._series.captures[place].id
        fate = self._archive.catalog.log.fate(capture, url)
        if fate is not None and fate.outcome not in STORED_OUTCOMES:
            return True, ""
        seen = [each for each in self._archive.history(url, resolve=False) if each.url == url]
        mine = [each for each in seen if each.capture == capture]
        if mine:
            return _has_failed(mine[-1]), ""
        end = self._series.captures[place].last.micros
        return None, next((each.via for each in reversed(seen) if each.via and each.moment.micros < end), "")


def _has_failed(seen: Observation) -> bool:
    return seen.status is not None and is_error(seen.status) and seen.status not in GONE_STATUSES
