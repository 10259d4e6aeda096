"""Two versions of a page compared block by block, noise left out: which category of change is left, by links, by the
share of words that were edited, and by order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from webkeep.change.detection.change_category import ChangeCategory, NoiseKind
from webkeep.change.detection.change_verdict import ChangeEvidence, ChangeVerdict
from webkeep.change.detection.edit_distance import edit_share
from webkeep.change.detection.known_noise import KnownNoise, unseen_noise
from webkeep.change.detection.learned_noise import LearnedNoise, with_previous_text
from webkeep.change.detection.made_names import drop_made_names
from webkeep.change.detection.noise_rule import HandRule, MaskedValue, NoiseRule
from webkeep.change.detection.shingles import text_resemblance
from webkeep.document import BlockRole, PageBlock

MAJOR_EDIT_SHARE = 0.1
"""The share of words from which on a change of the text is a large one."""
_MAX_PLACES_TOLD = 5
"""Of noise, in the words of a verdict."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """All that is taken for noise on a site; what was set by hand comes first."""

    by_hand: tuple[HandRule, ...] = ()
    learned: LearnedNoise = field(default_factory=LearnedNoise)
    known: KnownNoise | None = field(default_factory=KnownNoise)
    slow: LearnedNoise = field(default_factory=LearnedNoise)
    """What moves from capture to capture; what pages everywhere say of themselves tells more."""

    def mask(self, block: PageBlock, previous: str) -> MaskedValue | None:
        """What is left of a block behind a text; None where nothing of it is noise."""
        rules: Iterable[NoiseRule | None] = (*self.by_hand, self.learned, self.known, self.slow)
        found = (rule.mask(block, previous) for rule in rules if rule is not None)
        return next((each for each in found if each is not None), None)


_ADDRESSES, _TEXTS = (BlockRole.LINK, BlockRole.PICTURE), (BlockRole.TEXT,)


class _JudgedBlock(NamedTuple):
    """A block that can be seen, in the light of the other version."""

    block: PageBlock
    is_shared: bool
    """Whether the other version has it as well, wherever it stands there."""
    noise: MaskedValue | None

    @property
    def value(self) -> str:
        """What of it counts; "" where nothing does."""
        return self.block.value if self.is_shared or self.noise is None else self.noise.value


def compare_blocks(before: Sequence[PageBlock], after: Sequence[PageBlock], noise: NoiseModel) -> ChangeVerdict:
    """How a page changed, by all that can be seen of both versions."""
    one, other = drop_made_names(before, after)
    old, new = list(_judge_blocks(before, one, other, noise)), list(_judge_blocks(after, other, one, noise))
    kinds, places = _describe_noise(before, after, [*old, *new])
    old_links, new_links = _values_of(old, _ADDRESSES), _values_of(new, _ADDRESSES)
    old_texts, new_texts = _values_of(old, _TEXTS), _values_of(new, _TEXTS)
    if set(old_links) == set(new_links) and Counter(old_texts) == Counter(new_texts):
        if _shared_texts(old) != _shared_texts(new):
            kinds = (*kinds, NoiseKind.ORDERING)
        return ChangeVerdict(
            ChangeCategory.INSIGNIFICANT, ChangeEvidence.CONTENT, noise=kinds or (NoiseKind.MARKUP,), places=places
        )
    was, now = " ".join(old_texts), " ".join(new_texts)
    edited = edit_share(_WORD.findall(was), _WORD.findall(now))
    added, deleted = len(set(new_links) - set(old_links)), len(set(old_links) - set(new_links))
    text_category = ChangeCategory.MAJOR if edited >= MAJOR_EDIT_SHARE else ChangeCategory.MINOR
    return ChangeVerdict(
        ChangeCategory.STRUCTURAL if added or deleted else text_category,
        ChangeEvidence.CONTENT,
        noise=kinds,
        places=places,
        resemblance=text_resemblance(was, now),
        edited=edited,
        links_added=added,
        links_deleted=deleted,
    )


def _judge_blocks(
    blocks: Sequence[PageBlock], placed: Sequence[PageBlock], others: Sequence[PageBlock], noise: NoiseModel
) -> Iterator[_JudgedBlock]:
    """The blocks that can be seen; only what the other version has not can be noise.

    `placed` are the same blocks, at places that both versions have names for.
    """
    at_place, anywhere = Counter(others), Counter(block[::2] for block in others)
    # What stands where it stood is paired first, so that what is left over is what came or went.
    for block, count in (Counter(placed) & at_place).items():
        anywhere[block[::2]] -= count
    for (block, previous), bare in zip(with_previous_text(blocks), placed, strict=True):
        if block.role is BlockRole.UNSEEN:
            continue
        if is_shared := at_place[bare] > 0:
            at_place[bare] -= 1
        elif is_shared := anywhere[block[::2]] > 0:
            anywhere[block[::2]] -= 1
        found = None if is_shared else noise.mask(block, previous)
        if found is None and not is_shared and bare is not block:
            found = noise.mask(bare, previous)
        yield _JudgedBlock(block, is_shared, found)


def _values_of(judged: Iterable[_JudgedBlock], roles: Collection[BlockRole]) -> list[str]:
    return [value for each in judged if each.block.role in roles and (value := each.value)]


def _shared_texts(judged: Iterable[_JudgedBlock]) -> list[str]:
    return [each.block.value for each in judged if each.is_shared and each.block.role is BlockRole.TEXT]


def _describe_noise(
    before: Sequence[PageBlock], after: Sequence[PageBlock], judged: Iterable[_JudgedBlock]
) -> tuple[tuple[NoiseKind, ...], tuple[str, ...]]:
    """The kinds of noise in which two versions differ, and where it is."""
    kinds: dict[NoiseKind, None] = {}
    places: dict[str, None] = {}
    for each in judged:
        if each.noise is not None:
            kinds[each.noise.kind] = None
            places[f"{each.noise.kind} in {each.block.place or 'the text'} ({each.noise.origin})"] = None
    one, other = ({block.value for block in blocks if block.role is BlockRole.UNSEEN} for blocks in (before, after))
    kinds |= {unseen_noise(value): None for value in sorted(one ^ other)}
    return tuple(kinds), tuple(places)[:_MAX_PLACES_TOLD]
