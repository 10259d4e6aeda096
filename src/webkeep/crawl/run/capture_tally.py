"""What a capture brought so far, for whoever watches it: how many answers of which type and status, the newest failures
and why, the newest pages that a browser ran.

It is as small for a site of millions as for one of ten, and what an earlier process counted is counted on.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from webkeep.formats.status import is_error, reason_phrase
from webkeep.model import Moment

_MAX_KINDS = 60
"""Of types and of statuses, each: a server can make up as many as it likes."""
_OTHERS = "others"
_MAX_FAILURES = 20
"""Of what is newest: as much as somebody who watches can take in."""
_MAX_PICTURES = 6
"""Of pages that were run: one row of them."""
_MAX_TEXT_CHARS = 500
"""Of a URL or a reason."""


class CaptureTally:
    """Counts what comes, in one thread."""

    def __init__(self) -> None:
        self._types: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._failures: deque[dict[str, str]] = deque(maxlen=_MAX_FAILURES)
        self._pictures: deque[dict[str, object]] = deque(maxlen=_MAX_PICTURES)

    def note_stored(self, url: str, media_type: str, status: int, now: Moment) -> None:
        """An answer is on disk."""
        _count(self._types, media_type.partition(";")[0].strip().lower()[:80] or "unknown")
        if status:
            _count(self._statuses, str(status))
        if is_error(status):
            self.note_failed(url, f"{status} {reason_phrase(status)}".strip(), now)

    def note_failed(self, url: str, reason: str, now: Moment) -> None:
        """Something could not be had."""
        self._failures.append(
            {"at": now.iso(), "url": url[:_MAX_TEXT_CHARS], "reason": reason[:_MAX_TEXT_CHARS] or "unknown"}
        )

    def note_picture(self, number: int, url: str) -> None:
        """A picture of a page that was run is there to be seen."""
        self._pictures.append({"number": number, "url": url[:_MAX_TEXT_CHARS]})

    def to_values(self) -> dict[str, Any]:
        """All of it as JSON has it, the newest failures first."""
        return {
            "types": dict(self._types.most_common()),
            "statuses": dict(self._statuses.most_common()),
            "failures": list(reversed(self._failures)),
            "pictures": list(reversed(self._pictures)),
        }

    def restore(self, values: Mapping[str, Any]) -> None:
        """Count on from what an earlier process of the capture told; its pictures are gone."""
        for kept, name in ((self._types, "types"), (self._statuses, "statuses")):
            told = values.get(name)
            if isinstance(told, dict):
                kept.update({str(key): count for key, count in told.items() if isinstance(count, int)})
        failures = values.get("failures")
        if isinstance(failures, list):
            self._failures.extend(each for each in reversed(failures) if isinstance(each, dict))


def _count(counts: Counter[str], kind: str) -> None:
    counts[kind if kind in counts or len(counts) < _MAX_KINDS else _OTHERS] += 1
