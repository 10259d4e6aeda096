"""The account of a recovery: everything that is counted over its URLs, in one pass; which media types make a kind, and
how distances in time are summed up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from webkeep.model import Moment
from webkeep.recover.judging.url_identity import guess_media_type
from webkeep.recover.report.completeness import Completeness, RepositoryOverlap, sum_estimates
from webkeep.recover.report.outcome import OutcomeLine

_DAY_MICROS = 86_400_000_000
_MAX_LISTED_GAPS = 2000
"""Missing URLs that are kept with their reasons; the others are counted."""


@dataclass(slots=True)
class RecoveryCounts:
    """What a recovery came to, counted."""

    recovered: int = 0
    current: int = 0
    """Recovered, and part of the site as it was last."""
    missing: int = 0
    skipped: int = 0
    """Held, and not gone for."""
    further: int = 0
    """Versions kept beside the chosen ones."""
    bytes: int = 0
    truncated: int = 0
    redirects: int = 0
    """Recovered, and leading elsewhere."""
    by_repository: Counter[str] = field(default_factory=Counter)
    by_year: Counter[str] = field(default_factory=Counter)
    by_type: Counter[str] = field(default_factory=Counter)
    missing_by_type: Counter[str] = field(default_factory=Counter)
    by_fidelity: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    gaps: list[tuple[str, str]] = field(default_factory=list)
    """Some of the URLs that are missing, and why."""
    refused: Counter[str] = field(default_factory=Counter)
    first: Moment | None = None
    last: Moment | None = None
    overlap: RepositoryOverlap = field(default_factory=RepositoryOverlap)
    """Who holds what, of everything."""
    by_kind: dict[str, RepositoryOverlap] = field(default_factory=dict)
    """The same of the site as it was last, kind by kind: archives differ in what they keep of each."""
    current_missing: int = 0
    distances: list[float] = field(default_factory=list)
    """Days between each version taken and the wanted moment, or the newest that is held."""

    @property
    def spread_days(self) -> float:
        """Days from the earliest version taken to the latest."""
        if self.first is None or self.last is None:
            return 0.0
        return (self.last.micros - self.first.micros) / _DAY_MICROS

    @property
    def staleness_days(self) -> float:
        """How far versions lie from what was wanted, in the middle of them."""
        ordered = sorted(self.distances)
        return ordered[len(ordered) // 2] if ordered else 0.0

    @property
    def completeness(self) -> Completeness:
        """What is known of how complete the site as it was last is."""
        estimate, by = sum_estimates(self.by_kind.values())
        return Completeness(self.current, self.current + self.current_missing, estimate, by)

    def add(self, line: OutcomeLine, wanted: Moment | None) -> None:
        """Count one URL."""
        self.overlap.add(line.repositories)
        kind = _type_group(line)
        if line.is_current:
            self.by_kind.setdefault(kind, RepositoryOverlap()).add(line.repositories)
        self.refused.update(line.refused)
        self.further += len(line.further)
        if line.chosen is None:
            self._add_missing(line, kind)
            return
        chosen = line.chosen
        self.recovered += 1
        self.current += line.is_current
        self.bytes += chosen.size
        self.truncated += chosen.truncated
        self.redirects += chosen.is_redirect
        self.by_repository[chosen.listed.repository] += 1
        self.by_year[chosen.moment.iso()[:4]] += 1
        self.by_type[kind] += 1
        self.by_fidelity[chosen.fidelity] += 1
        self.first = chosen.moment if self.first is None else min(self.first, chosen.moment)
        self.last = chosen.moment if self.last is None else max(self.last, chosen.moment)
        newest = max([chosen.moment, *(each.moment for each in line.others if each.moment is not None)])
        self.distances.append(abs(chosen.moment.micros - (wanted or newest).micros) / _DAY_MICROS)

    def _add_missing(self, line: OutcomeLine, kind: str) -> None:
        if line.is_skipped:
            self.skipped += 1
            return
        self.missing += 1
        self.current_missing += line.is_current
        self.missing_by_type[kind] += 1
        self.reasons[line.note.partition(":")[0] or "not-held"] += 1
        if len(self.gaps) < _MAX_LISTED_GAPS:
            self.gaps.append((line.url, line.note))


def count_outcomes(lines: Iterable[OutcomeLine], wanted: Moment | None = None) -> RecoveryCounts:
    """Count what became of all URLs."""
    counts = RecoveryCounts()
    for line in lines:
        counts.add(line, wanted)
    return counts


def _type_group(line: OutcomeLine) -> str:
    media_type = line.chosen.media_type if line.chosen is not None else ""
    named = media_type or guess_media_type(line.url) or "application/octet-stream"
    if named in ("text/html", "application/xhtml+xml"):
        return "pages"
    return "pictures" if named.startswith("image/") else "other texts" if named.startswith("text/") else "other files"
