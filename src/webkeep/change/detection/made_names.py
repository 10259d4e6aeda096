"""Names of elements that are made anew whenever a page is built or sent: classes and ids that one of two versions has
and the other has not.

Where a block stands is told by the names around it. A name that only one version has tells nothing of where the block
stands in the other: without it, both are at the same place, whoever made the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set as AbstractSet

from webkeep.document import PageBlock

_MARK = re.compile(r"([#.])")


def drop_made_names(
    before: Sequence[PageBlock], after: Sequence[PageBlock]
) -> tuple[Sequence[PageBlock], Sequence[PageBlock]]:
    """Both versions, their places told by the names alone that both have."""
    one, other = ({block.place for block in blocks} for blocks in (before, after))
    if one == other:
        return before, after
    kept = _names_of(one) & _names_of(other)
    bare = {place: _keep_names(place, kept) for place in one | other}
    return [_put_at(block, bare) for block in before], [_put_at(block, bare) for block in after]


def _put_at(block: PageBlock, bare: dict[str, str]) -> PageBlock:
    place = bare[block.place]
    return block if place == block.place else block._replace(place=place)


def _names_of(places: Iterable[str]) -> frozenset[str]:
    return frozenset(name for place in places for step in place.split(" ") for name in _MARK.split(step)[2::2])


def _keep_names(place: str, kept: AbstractSet[str]) -> str:
    steps = []
    for step in place.split(" "):
        tag, *named = _MARK.split(step)
        steps.append(
            tag + "".join(mark + name for mark, name in zip(named[::2], named[1::2], strict=True) if name in kept)
        )
    return " ".join(steps)
