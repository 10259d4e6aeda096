"""Change histories out of what a server recorded of itself (transactional archiving): when each page changed, how long
it was followed, and whether a change can be missing.

A crawler's looks say only whether a page changed between them. A recorder writes nothing while a page stays as it is,
so two records of it are not two looks: they are two changes, and everything in between is known as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from webkeep.change.rates import ChangeRate, ObservationPair, RateSource, history_rate
from webkeep.formats.status import is_redirection
from webkeep.model import Capture, Moment, Observation
from webkeep.store.archive.archive import Archive
from webkeep.url import UrlMatch

MIDDLEWARE_FACTS = {"recorder": "middleware"}
"""By these facts a capture is known as one that a server made of itself."""

_GAP_FACTS = ("answers-dropped", "answers-failed")


@dataclass(frozen=True, slots=True)
class ServedHistory:
    """A page as it was served: what it was like is known from the first answer to the end of the recording."""

    url: str
    began: Moment
    """When it was first served."""
    ended: Moment
    changes: tuple[Moment, ...]
    """When it was first served as something else."""
    is_exact: bool
    """Whether no change can be missing: all captures came to their end, held nothing back, and lost nothing."""

    @property
    def rate(self) -> ChangeRate:
        """How often it changes; nothing has to be estimated but the chance in it."""
        per_second = history_rate(len(self.changes), self.ended.seconds_since(self.began))
        return ChangeRate(per_second, RateSource.HISTORY, len(self.changes))

    def to_pairs(self) -> Iterator[ObservationPair]:
        """The same as looks, for whoever takes those: one right before each change, and one when it was there."""
        before = self.began
        for change in self.changes:
            eve = Moment(change.micros - 1)
            if eve > before:
                yield ObservationPair(self.url, before, eve, changed=False)
            yield ObservationPair(self.url, max(eve, before), change, changed=True)
            before = change
        if self.ended > before:
            yield ObservationPair(self.url, before, self.ended, changed=False)


def read_history(archive: Archive, url: str) -> ServedHistory | None:
    """The history of one page; None where no recorder saw it."""
    captures = _self_recordings(archive)
    seen = [each for each in archive.history(url) if each.url == url and each.capture in captures]
    return _build_history(url, seen, captures) if seen else None


def read_histories(archive: Archive, url: str = "", match: UrlMatch = UrlMatch.EXACT) -> Iterator[ServedHistory]:
    """The histories of all pages that a recorder saw, or of those of a prefix, host or domain, by their keys."""
    captures = _self_recordings(archive)
    if not captures:
        return
    for _, entries in groupby(archive.entries(url, match), lambda entry: entry.key):
        pages: dict[str, list[Observation]] = {}
        for entry in entries:
            seen = archive.catalog.observations.find_at(entry.place.file, entry.place.offset)
            if seen is not None and seen.capture in captures:
                pages.setdefault(seen.url, []).append(seen)
        for url, looks in pages.items():
            yield _build_history(url, looks, captures)


def is_self_recorded(capture: Capture) -> bool:
    """Whether a server made a capture of itself, in which every record is a change."""
    return MIDDLEWARE_FACTS.items() <= capture.facts.items()


def _self_recordings(archive: Archive) -> Mapping[str, Capture]:
    return {each.id: each for each in archive.captures() if is_self_recorded(each)}


def _build_history(url: str, seen: list[Observation], captures: Mapping[str, Capture]) -> ServedHistory:
    began = seen[0].moment
    followed = [each for each in captures.values() if each.finished is None or each.finished >= began]
    ends = [each.finished for each in followed if each.finished is not None]
    return ServedHistory(
        url,
        began,
        max([*ends, seen[-1].moment]),
        tuple(_change_moments(seen)),
        is_exact=all(_is_gapless(each) for each in followed),
    )


def _change_moments(seen: Iterable[Observation]) -> Iterator[Moment]:
    before: Observation | None = None
    for each in seen:
        if before is not None and _differs(before, each):
            yield each.moment
        before = each


def _differs(one: Observation, other: Observation) -> bool:
    if (one.status, one.content_digest) != (other.status, other.content_digest):
        return True
    # Where a redirect leads is in no digest: within a capture it led elsewhere, and after a restart nobody knew.
    return is_redirection(other.status) and one.capture == other.capture


def _is_gapless(capture: Capture) -> bool:
    lost = any(capture.facts.get(gap, "0") != "0" for gap in _GAP_FACTS)
    return capture.finished is not None and not lost and "gap" not in capture.facts
