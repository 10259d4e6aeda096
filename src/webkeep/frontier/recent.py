"""Links met lately: most links of a page are on the page before, and need no look into the book."""

from __future__ import annotations

from typing import NamedTuple

from webkeep.frontier.lately import Lately

_LEAST = 50_000


class Claim(NamedTuple):
    """What a link has to say for its target; smaller is better in every respect."""

    depth: int
    outside: int
    requisite: int
    guess: bool
    no_embed: bool

    def covers(self, other: Claim) -> bool:
        """Whether the other has nothing better to say."""
        return (
            self[0] <= other[0]
            and self[1] <= other[1]
            and self[2] <= other[2]
            and self[3] <= other[3]
            and self[4] <= other[4]
        )


class Recent:
    """The links met lately, each with the best that was said for it."""

    def __init__(self, least: int = _LEAST) -> None:
        # By a hash: a page may have many links of any length, and what is known of them by their text would add up.
        self._claims: Lately[int, Claim] = Lately(least)

    def is_news(self, url: str, claim: Claim) -> bool:
        """Whether the link may change what is known of its target; it is remembered."""
        key = hash(url)
        known = self._claims.get(key)
        if known is not None and (known is claim or known.covers(claim)):
            return False
        self._claims[key] = claim
        return True

    def clear(self) -> None:
        """Forget everything."""
        self._claims.clear()
