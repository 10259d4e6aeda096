"""Why there is nothing to show of a URL: closed by the rules, taken down, or not held, and what became of it then."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.replay.collection import Wish
from webkeep.replay.fates import fate_of
from webkeep.replay.looking import Looker
from webkeep.store.ledger import Tombstone
from webkeep.url import normal, surt

_CLOSED = 451
_MISSING = 404
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Absence:
    """What is said in place of a version."""

    status: int
    title: str
    why: str = ""
    """One sentence; nothing where nothing is known."""
    may_be_captured: bool = True


def absence_of(looker: Looker, wish: Wish) -> Absence:
    """Why nothing answers a wish."""
    if looker.is_hidden(wish):
        words = "It is held, and the rules of this archive keep it closed."
        return Absence(_CLOSED, "Not shown", words, may_be_captured=False)
    stone = _tombstone(looker, wish.url)
    if stone is not None:
        return Absence(_CLOSED, "Taken down", _stone_words(stone), may_be_captured=False)
    fate = fate_of(looker, wish.url)
    if fate is not None:
        return Absence(_MISSING, "Not held here", fate.words, fate.may_be_captured)
    return Absence(_MISSING, "Not held here")


def _tombstone(looker: Looker, url: str) -> Tombstone | None:
    """The newest tombstone of a URL, under any name that a version of it could have been found under."""
    now = looker.clock.now()
    spellings = _spellings(url)
    stones = [
        stone
        for archive in looker.collection.archives
        for stone in archive.catalog.ledger.tombstones(spellings)
        if looker.access.shows(surt(stone.url), stone.moment, now)
    ]
    return max(stones, key=lambda stone: stone.removed, default=None)


def _spellings(url: str) -> tuple[str, ...]:
    plain = (normal(url) or url).partition("#")[0]
    rest = plain.partition("://")[2].removeprefix("www.")
    return tuple(dict.fromkeys((url, plain, *(f"{each}{www}{rest}" for each in _SCHEMES for www in ("", "www.")))))


def _stone_words(stone: Tombstone) -> str:
    reason = f": {stone.reason.rstrip('.')}" if stone.reason else ""
    return f"The version of {_instant(stone.moment.iso())} was taken down on {_instant(stone.removed.iso())}{reason}."


def _instant(text: str) -> str:
    return f"{text[:19].replace('T', ' ')} UTC"
