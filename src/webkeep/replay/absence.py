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
    stones = _tombstones(looker, wish.url)
    if stones:
        return Absence(_CLOSED, "Taken down", _stone_words(stones), may_be_captured=False)
    fate = fate_of(looker, wish.url)
    if fate is not None:
        return Absence(_MISSING, "Not held here", fate.words, fate.may_be_captured)
    return Absence(_MISSING, "Not held here")


def _tombstones(looker: Looker, url: str) -> list[Tombstone]:
    """What was taken down of a URL, under any name that a version of it could have been found under, oldest first."""
    now = looker.clock.now()
    spellings = _spellings(url)
    stones = [
        stone
        for archive in looker.collection.archives
        for stone in archive.catalog.ledger.tombstones(spellings)
        if looker.access.shows(surt(stone.url), stone.moment, now)
    ]
    latest = {(stone.url, stone.moment): stone for stone in sorted(stones, key=lambda stone: stone.removed)}
    return sorted(latest.values(), key=lambda stone: stone.moment)


def _spellings(url: str) -> tuple[str, ...]:
    plain = (normal(url) or url).partition("#")[0]
    rest = plain.partition("://")[2].removeprefix("www.")
    return tuple(dict.fromkeys((url, plain, *(f"{each}{www}{rest}" for each in _SCHEMES for www in ("", "www.")))))


def _stone_words(stones: list[Tombstone]) -> str:
    last = max(stones, key=lambda stone: stone.removed)
    reason = f": {last.reason.rstrip('.')}" if last.reason else ""
    first, final = (_instant(stone.moment.iso()) for stone in (stones[0], stones[-1]))
    when = f"{_instant(last.removed.iso())}{reason}."
    if len(stones) == 1:
        return f"The version of {final} was taken down on {when}"
    return f"All {len(stones):,} versions, of {first} to {final}, were taken down, the last of them on {when}"


def _instant(text: str) -> str:
    return f"{text[:19].replace('T', ' ')} UTC"
