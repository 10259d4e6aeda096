"""Noise that stands still while a page is fetched twice, and is another in the next capture: what all pages of a site
show alike, and what tells the time; in how many captures it must have moved.

Theory of operation. Versions of pages from consecutive captures differ in what their authors changed, too. Two things
tell noise from that. A box that the site puts on its pages (the weather, the latest headlines) is the same on all of
them in one capture and the same other thing in the next: it is no page's own; one page under many URLs is one. And what
tells the time (a countdown, a clock, an age) moves by as much as passed between the two fetches, by the clock of the
server. Either must have been seen more than once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from webkeep.change.detection.change_category import NoiseKind
from webkeep.change.detection.learned_noise import (
    MAX_ALIGNED_BLOCKS,
    NoiseSlot,
    box_place,
    changed_blocks,
    find_slots,
    values_by_slot,
)
from webkeep.change.detection.made_names import drop_made_names
from webkeep.change.detection.shingles import SAME_TEXT_SIMILARITY, jaccard_similarity
from webkeep.change.detection.told_time import gap_times, moves_with_time
from webkeep.document import BlockRole, PageBlock

_MIN_SHARING_PAGES = 3
"""Pages that show the same, and then the same other thing, before it is taken for a box of the site."""
_MAX_COMPARED_PAGES = 20
"""Of those, to see whether they are different ones."""
_MIN_SHARING_SHARE = 0.8
"""Of the pages that have it: the others may be older copies in some cache."""
_MIN_MOVED_INTERVALS = 2
"""Once may have been the author of the site, who put another line on all of its pages."""
_MIN_MOVED_SHARE = 1 / 6
"""Of the intervals between captures: authors change what all pages have more seldom. What goes by the day (sunrise, on
this day) or by its hours (open, closed) moves once or twice in eight captures of a day."""
_MIN_TICKS = 2
"""So often a text must have moved with the time: once may have been a chance."""


class TimedPair(NamedTuple):
    """Versions of one page from two consecutive captures."""

    interval: Hashable
    """From which capture to which."""
    seconds: float
    """From one fetch to the other, by the server's clock."""
    before: Sequence[PageBlock]
    after: Sequence[PageBlock]


def learn_slow_noise(found: Iterable[TimedPair]) -> Iterator[tuple[NoiseSlot, NoiseKind]]:
    """What moves from capture to capture without its authors; pages too long to be aligned are passed over."""
    pairs = [
        TimedPair(pair.interval, pair.seconds, *drop_made_names(pair.before, pair.after))
        for pair in found
        if max(len(pair.before), len(pair.after)) <= MAX_ALIGNED_BLOCKS
    ]
    yield from ((slot, NoiseKind.DATE) for slot in _find_clocks(pairs))
    yield from ((slot, NoiseKind.VARYING) for slot in _find_shared_boxes(pairs))


# What all pages of a site show alike.


def _find_shared_boxes(pairs: Sequence[TimedPair]) -> Iterator[NoiseSlot]:
    slots = {slot for pair in pairs for slot in find_slots(pair.before, pair.after)}
    by_place: dict[tuple[BlockRole, str], list[NoiseSlot]] = defaultdict(list)
    for slot in slots:
        by_place[slot.role, slot.place].append(slot)
    courses: dict[NoiseSlot, dict[Hashable, dict[_Course, list[TimedPair]]]]
    courses = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for pair in pairs:
        before, after = (values_by_slot(each, by_place) for each in (pair.before, pair.after))
        for slot in before.keys() & after.keys():
            courses[slot][pair.interval][_Course.between(before[slot], after[slot])].append(pair)
    for slot, by_interval in courses.items():
        told = [course for pages in by_interval.values() if (course := _shared_course(pages)) is not None]
        moved = sum(course.moved for course in told)
        if moved >= max(_MIN_MOVED_INTERVALS, _MIN_MOVED_SHARE * len(told)):
            yield slot


class _Course(NamedTuple):
    """What one page had in a slot, and what it had there in the next capture."""

    before: frozenset[tuple[str, int]]
    after: frozenset[tuple[str, int]]
    moved: bool
    """Whether most of it is another."""

    @classmethod
    def between(cls, before: Counter[str], after: Counter[str]) -> _Course:
        varied = (before - after).total() + (after - before).total()
        is_moved = 2 * varied >= before.total() + after.total()
        return cls(frozenset(before.items()), frozenset(after.items()), is_moved)


def _shared_course(pages: Mapping[_Course, Sequence[TimedPair]]) -> _Course | None:
    """What nearly all pages have in common; None where they have not, or are too few."""
    course, alike = max(pages.items(), key=lambda item: len(item[1]))
    is_shared = len(alike) >= _MIN_SHARING_SHARE * sum(map(len, pages.values()))
    return course if is_shared and _are_several_pages(alike) else None


def _are_several_pages(pairs: Sequence[TimedPair]) -> bool:
    """Whether the pages are enough, and not one under several URLs."""
    found: list[frozenset[str]] = []
    for pair in pairs[:_MAX_COMPARED_PAGES]:
        texts = frozenset(block.value for block in pair.before if block.role is BlockRole.TEXT)
        if all(jaccard_similarity(texts, other) < SAME_TEXT_SIMILARITY for other in found):
            found.append(texts)
            if len(found) == _MIN_SHARING_PAGES:
                return True
    return False


# What tells the time.


def _find_clocks(pairs: Sequence[TimedPair]) -> Iterator[NoiseSlot]:
    ticks: Counter[NoiseSlot] = Counter()
    for pair in pairs:
        for block, new, _ in changed_blocks(pair.before, pair.after):
            if new is not None and block.role is BlockRole.TEXT:
                moved = moves_with_time(block.value, new.value, pair.seconds)
                if moved is not None:
                    skeleton = gap_times(block.value)
                    ticks[NoiseSlot(block.role, box_place(block.place), "", "", "", skeleton=skeleton)] += (
                        1 if moved else -1
                    )
    yield from (slot for slot, count in ticks.items() if count >= _MIN_TICKS)
