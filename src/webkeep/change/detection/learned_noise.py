"""What of a site's pages differs whenever they are fetched, learned from pairs of versions that are seconds apart: how
often it must have been seen to, and in which share of the pairs.

Theory of operation. Two versions of a page that were fetched seconds apart differ in noise, but for the rare page that
was changed in between. Their blocks are aligned. Where one text took the place of another, the words around what
differs make a slot: "Made at … for you" in `footer p`, or its marks: "(…)". Where it has neither, the elements around
it say which it is if they have a name, and else the text before it does. Where blocks came and went, the place as a
whole varies. What was found in one pair is then held against all: noise is what differs in most pairs that have it, and
was seen to differ twice; a change by the author differs once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from webkeep.change.detection.change_category import NoiseKind
from webkeep.change.detection.known_noise import DATE_WORD, KnownNoise
from webkeep.change.detection.made_names import drop_made_names
from webkeep.change.detection.noise_rule import GAP, MaskedValue, NoiseOrigin
from webkeep.change.detection.told_time import gap_times
from webkeep.document import BlockRole, PageBlock

VersionPair = tuple[Sequence[PageBlock], Sequence[PageBlock]]
"""Two versions of one page, fetched seconds apart."""

_MIN_DIFFERENT_PAIRS = 2
"""So often something must have differed: once may have been its author."""
_MIN_DIFFERENT_SHARE = 0.2
"""Of the pairs that have it: a clock that tells seconds is the same in most pairs of a quick capture, and a page that
its author changes every minute differs in one of twenty."""
_MIN_VARIED_SHARE = 0.5
"""Of the blocks at a place that varies as a whole, in pairs where it varies: what stands still among what does not is
no noise."""
MAX_ALIGNED_BLOCKS = 1200
"""Of a page that is learned from: the time to align two grows with their square where all blocks are the same."""
_MAX_TEXT_CHARS = 2000
"""A longer text that differs is no slot."""
_MAX_SHAPE_CHARS = 300
"""A longer text is no date; and to look for numbers in words takes the square of their length."""
_PARTS = re.compile(r"\w+|\W")
_NUMERIC = re.compile(r"\w*[0-9]\w*")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_CLOCK = re.compile(r"[0-9]{1,2}[:.][0-9]{2}|[0-9]{4}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./]")
_OPAQUE = re.compile(r"(?=.*[0-9])[0-9a-zA-Z_+/=-]{8,}\Z")


class NoiseSlot(NamedTuple):
    """A place on the pages of a site where something differs whenever it is fetched."""

    role: BlockRole
    place: str
    prefix: str
    suffix: str
    """The words around what differs; both empty where all of it does."""
    anchor: str
    """The text before it, where that alone says which it is."""
    shape: str = ""
    """What it looks like, where it is made of numbers and names of days and months alone: `D, 0 D 0, 0:0`."""
    skeleton: str = ""
    """The text with a gap for each time that it tells, where nothing but times differs."""

    @property
    def has_words(self) -> bool:
        """Whether words around what differs tell which it is, and not marks alone."""
        return _LETTERS.search(self.prefix + self.suffix) is not None

    def match(self, block: PageBlock, previous: str) -> bool:
        """Whether a block at this place, behind a text, is the slot."""
        value = block.value
        return (
            value.startswith(self.prefix)
            and value.endswith(self.suffix)
            and len(value) >= len(self.prefix) + len(self.suffix)
            and (not self.anchor or self.anchor == _generalise(previous))
            and (not self.shape or self.shape == _shape_of(value))
            and (not self.skeleton or self.skeleton == gap_times(value))
        )


@dataclass(slots=True)
class _SlotEvidence:
    different: int = 0
    same: int = 0
    varied_blocks: int = 0
    blocks: int = 0
    kinds: Counter[NoiseKind] = field(default_factory=Counter)

    def is_noise(self, slot: NoiseSlot) -> bool:
        if self.different < _MIN_DIFFERENT_PAIRS:
            return False
        is_whole_place = not (slot.has_words or slot.anchor)
        if is_whole_place and self.varied_blocks < _MIN_VARIED_SHARE * self.blocks:
            return False
        return self.different >= _MIN_DIFFERENT_SHARE * (self.different + self.same)


class LearnedNoise:
    """The slots that were learned of a site."""

    def __init__(self, slots: Iterable[tuple[NoiseSlot, NoiseKind]] = ()) -> None:
        self.slots = dict(slots)
        self._by_place: dict[tuple[BlockRole, str], list[NoiseSlot]] = defaultdict(list)
        # What varies as a whole comes first: some of its values begin with the same word by chance.
        for slot in sorted(self.slots, key=lambda each: len(each.prefix) + len(each.suffix) + len(each.skeleton)):
            self._by_place[slot.role, slot.place].append(slot)

    def mask(self, block: PageBlock, previous: str) -> MaskedValue | None:
        """What is left of a block behind a text."""
        for slot in self._by_place.get((block.role, box_place(block.place)), ()):
            if slot.match(block, previous):
                # Of addresses that vary nothing counts: how many of them there are varies as well.
                is_text = block.role is BlockRole.TEXT and slot.has_words
                left = slot.skeleton or (f"{slot.prefix}{GAP}{slot.suffix}" if is_text else "")
                return MaskedValue(left, self.slots[slot], NoiseOrigin.LEARNED)
        return None


def learn_noise(found: Iterable[VersionPair]) -> LearnedNoise:
    """What differs whenever it is fetched, out of pairs of versions; pages too long to be aligned are passed over."""
    pairs = [drop_made_names(*pair) for pair in found if max(map(len, pair)) <= MAX_ALIGNED_BLOCKS]
    evidence: dict[NoiseSlot, _SlotEvidence] = defaultdict(_SlotEvidence)
    for before, after in pairs:
        for block, new, previous in changed_blocks(before, after):
            evidence[_slot_of(block, new, previous)].kinds[_classify(block, new or block)] += 1
    by_place: dict[tuple[BlockRole, str], list[NoiseSlot]] = defaultdict(list)
    for slot in evidence:
        by_place[slot.role, slot.place].append(slot)
    for before, after in pairs:
        _weigh_slots(values_by_slot(before, by_place), values_by_slot(after, by_place), evidence)
    return LearnedNoise(
        (slot, found.kinds.most_common(1)[0][0]) for slot, found in evidence.items() if found.is_noise(slot)
    )


def values_by_slot(
    blocks: Sequence[PageBlock], by_place: Mapping[tuple[BlockRole, str], Sequence[NoiseSlot]]
) -> dict[NoiseSlot, Counter[str]]:
    """What a page has in each of some slots, as often as it has it."""
    found: dict[NoiseSlot, Counter[str]] = defaultdict(Counter)
    for block, previous in with_previous_text(blocks):
        for slot in by_place.get((block.role, box_place(block.place)), ()):
            if slot.match(block, previous):
                found[slot][block.value] += 1
    return found


def _weigh_slots(
    before: dict[NoiseSlot, Counter[str]],
    after: dict[NoiseSlot, Counter[str]],
    evidence: dict[NoiseSlot, _SlotEvidence],
) -> None:
    for slot in before.keys() | after.keys():
        one, other, found = before.get(slot, Counter()), after.get(slot, Counter()), evidence[slot]
        varied = (one - other).total() + (other - one).total()
        if varied:
            found.different += 1
            found.varied_blocks += varied
            found.blocks += one.total() + other.total()
        else:
            found.same += 1


def find_slots(before: Sequence[PageBlock], after: Sequence[PageBlock]) -> Iterator[NoiseSlot]:
    """The slots in which two versions differ."""
    return (_slot_of(*change) for change in changed_blocks(before, after))


def changed_blocks(
    before: Sequence[PageBlock], after: Sequence[PageBlock]
) -> Iterator[tuple[PageBlock, PageBlock | None, str]]:
    """The blocks in which two versions differ, each with the one that took its place and with the text before it;
    None where blocks came and went.
    """
    texts = [previous for _, previous in with_previous_text(before)]
    later = [previous for _, previous in with_previous_text(after)]
    for tag, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        one, other = before[start:end], after[first:last]
        if [block[:2] for block in one] == [block[:2] for block in other]:
            changed = zip(one, other, texts[start:end], strict=True)
            yield from (each for each in changed if each[0] != each[1])
        else:
            yield from ((block, None, previous) for block, previous in zip(one, texts[start:end], strict=True))
            yield from ((block, None, previous) for block, previous in zip(other, later[first:last], strict=True))


def _slot_of(block: PageBlock, new: PageBlock | None, previous: str) -> NoiseSlot:
    if new is None or max(len(block.value), len(new.value)) > _MAX_TEXT_CHARS:
        return _whole_slot(block, previous)
    one, other = _PARTS.findall(block.value), _PARTS.findall(new.value)
    prefix = _fixed_start(one, other)
    suffix = _fixed_start(one[len(prefix) :][::-1], other[len(prefix) :][::-1])[::-1]
    start, end = "".join(prefix), "".join(suffix)
    if not _LETTERS.search(start + end) and (_shape_of(block.value) or not (start + end).strip()):
        return _whole_slot(block, previous)
    return NoiseSlot(block.role, box_place(block.place), start, end, "")


def _whole_slot(block: PageBlock, previous: str) -> NoiseSlot:
    """Where all of a block differs, it is known by its looks, by the names around it, or by the text before it."""
    place = box_place(block.place)
    if (shape := _shape_of(block.value)) and block.role is BlockRole.TEXT:
        return NoiseSlot(block.role, place, "", "", "", shape)
    is_named = any(sign in step for step in place.split(" ")[-2:] for sign in "#.")
    return NoiseSlot(block.role, place, "", "", "" if is_named else _generalise(previous))


@lru_cache(4096)
def box_place(place: str) -> str:
    """A place by the nearest element that has a name: one box may stand at the side here and below the text there."""
    steps = place.split(" ")
    named = max((at for at, step in enumerate(steps) if "#" in step or "." in step), default=0)
    return " ".join(steps[named:])


def _fixed_start(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The parts that both begin with, up to the first that is made of numbers or of names of days and months."""
    fixed: list[str] = []
    for left, right in zip(one, other, strict=False):
        if left != right or any(sign.isdigit() for sign in left) or DATE_WORD.fullmatch(left):
            break
        fixed.append(left)
    return fixed


def _shape_of(text: str) -> str:
    """What a text of numbers, tokens and names of days and months looks like; "" where it has other words."""
    if len(text) > _MAX_SHAPE_CHARS:
        return ""
    shape = DATE_WORD.sub("\0", _NUMERIC.sub("0", text))
    return "" if _LETTERS.search(shape) else shape.replace("\0", "D")


def _generalise(text: str) -> str:
    return re.sub(r"[0-9]+", "0", text)


def with_previous_text(blocks: Iterable[PageBlock]) -> Iterator[tuple[PageBlock, str]]:
    """Each block with the text that stands before it."""
    previous = ""
    for block in blocks:
        yield block, previous
        if block.role is BlockRole.TEXT:
            previous = block.value


_KNOWN_NOISE = KnownNoise()


def _classify(block: PageBlock, new: PageBlock) -> NoiseKind:
    """What the difference between two blocks is, for people to read."""
    known = _KNOWN_NOISE.mask(block, "")
    if known is not None:
        return known.kind
    if max(len(block.value), len(new.value)) > _MAX_TEXT_CHARS:
        return NoiseKind.VARYING
    old_parts, new_parts = block.value.split(), new.value.split()
    changed = [part for part in new_parts if part not in old_parts] or new_parts
    words = " ".join(changed)
    if _CLOCK.search(words) or DATE_WORD.search(words):
        return NoiseKind.DATE
    numbers = [int(each) for each in re.findall(r"[0-9]{1,12}", words)]
    if numbers and all(not _LETTERS.search(each) for each in changed):
        return NoiseKind.COUNTER
    return NoiseKind.NONCE if any(map(_OPAQUE.search, changed)) else NoiseKind.VARYING
