"""Comments with their places, found by what they say."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from webkeep.rewrite.tags import Span

_SIGN = re.compile(r"<[a-zA-Z/]")
_CONDITION = re.compile(r"\s*\[if\b[^\]]{0,200}\]>", re.IGNORECASE)
_MOST_MISSES = 16


def comment_places(text: str, comments: Sequence[str], raw: Callable[[], Iterable[Span]]) -> Iterator[tuple[str, int]]:
    """The markup of each comment that has any, and where it begins; the comments come in the order of the page.

    `raw` gives the places of scripts and the like, where no comment is one.
    """
    wanted = [comment for comment in comments if _SIGN.search(comment)]
    taken = sorted(raw()) if wanted else []
    at = misses = 0
    for comment in wanted:
        begin = _found(text, f"<!--{comment}-->", at, taken)
        if begin < 0:
            misses += 1
            if misses > _MOST_MISSES:
                return
            continue
        at = begin + 4 + len(comment)
        condition = _CONDITION.match(comment)
        start = begin + 4 + (condition.end() if condition else 0)
        yield text[start:at], start


def _found(text: str, words: str, at: int, taken: Sequence[Span]) -> int:
    """Where words stand outside the places that are taken; -1 for nowhere."""
    begin = text.find(words, at)
    while begin >= 0:
        around = taken[bisect_right(taken, (begin, len(text))) - 1] if taken else (0, 0)
        if not around[0] <= begin < around[1]:
            break
        begin = text.find(words, around[1])
    return begin
