"""What differed between the two looks of a capture at one page: the category of the change, and the lines that came and
went; how many pages are read for that, and how much of each is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice, takewhile, zip_longest

from webkeep.change.detection import ChangeCategory
from webkeep.errors import FormatError
from webkeep.model import Moment, Observation, RecordPlace
from webkeep.quality.changes import ChangeJudge
from webkeep.quality.diff import has_lines, read_text_lines
from webkeep.quality.report.url_course import SeriesChange
from webkeep.store.archive import Archive

_MAX_SHOWN_PAGES = 40
"""Incoherent pages whose lines are held against each other: a reader looks at a few."""
_MAX_COMPARED_LINES = 2000
"""Of either version: the time to align them grows with their square."""
_MAX_LINES_TOLD = 12
"""Lines that differ, of one page; `webkeep diff` shows all."""
_MAX_LINE_CHARS = 240
"""Of a line, around what differs in it."""
_LEAD_CHARS = 60
"""Of a line, before what differs in it, by which a reader finds the place."""


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line of a page before and after; "" for one that came or went."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class IncoherentUrl:
    """A URL that was another, or gone, when the capture looked again."""

    url: str
    change: SeriesChange
    visited: Moment
    revisited: Moment
    category: ChangeCategory | None = None
    """How much it matters; None where the versions were not compared."""
    evidence: str = ""
    """What the category was decided by, or why there is none."""
    lines: tuple[LineChange, ...] = ()
    """The first lines of text that differ."""
    further_lines: int = 0
    """That differ as well and are not shown."""


IncoherentLooks = tuple[IncoherentUrl, RecordPlace, RecordPlace]
"""An incoherent URL, and where the records of the first and the last look at it lie."""


def compare_incoherent(
    archive: Archive, judge: ChangeJudge, found: Sequence[IncoherentLooks]
) -> tuple[IncoherentUrl, ...]:
    """The incoherent URLs, those that differ in nothing that matters last; the first of them with what differed."""
    judged = [(_judge_versions(archive, judge, *each), each) for each in found]
    judged.sort(key=lambda each: each[0].category is ChangeCategory.INSIGNIFICANT)
    return tuple(
        _compare_lines(archive, told, *places) if number < _MAX_SHOWN_PAGES else told
        for number, (told, (_, *places)) in enumerate(judged)
    )


def _judge_versions(
    archive: Archive, judge: ChangeJudge, known: IncoherentUrl, visit: RecordPlace, revisit: RecordPlace
) -> IncoherentUrl:
    before, after = archive.observation_at(visit), archive.observation_at(revisit)
    if before is None or after is None:
        return replace(known, evidence="one of the two records is not held any more")
    try:
        verdict = judge.judge(before, after)
    except FormatError as error:
        return replace(known, evidence=f"one of the two versions cannot be read: {error}")
    return replace(known, category=verdict.category, evidence=verdict.describe())


def _compare_lines(archive: Archive, known: IncoherentUrl, visit: RecordPlace, revisit: RecordPlace) -> IncoherentUrl:
    before, after = archive.observation_at(visit), archive.observation_at(revisit)
    if before is None or after is None or known.category is None or known.change is not SeriesChange.CHANGED:
        return known
    if not (has_lines(before) and has_lines(after)):
        return known
    try:
        changes = _changed_lines(archive, before, after)
        lines = tuple(islice(changes, _MAX_LINES_TOLD))
        return replace(known, lines=lines, further_lines=sum(1 for _ in changes))
    except FormatError as error:
        return replace(known, evidence=f"{known.evidence}; the lines of one version cannot be read: {error}")


def _changed_lines(archive: Archive, before: Observation, after: Observation) -> Iterator[LineChange]:
    old, new = (read_text_lines(archive, each)[:_MAX_COMPARED_LINES] for each in (before, after))
    for tag, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            for one, other in zip_longest(old[start:end], new[first:last], fillvalue=""):
                yield _shorten(one, other)


def _shorten(before: str, after: str) -> LineChange:
    """Two lines around what differs in them."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    start = max(0, same - _LEAD_CHARS)
    return LineChange(_cut(before, start), _cut(after, start))


def _cut(line: str, start: int) -> str:
    shown = line[start : start + _MAX_LINE_CHARS]
    head, tail = "…" if start and line else "", "…" if start + _MAX_LINE_CHARS < len(line) else ""
    return f"{head}{shown}{tail}"
