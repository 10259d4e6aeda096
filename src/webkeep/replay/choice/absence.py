"""Why there is nothing to show of a URL: closed by the rules or taken down (451), or not held (404), and what became of
it in the captures; the sentences told, and whether it may be captured.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from webkeep.formats.status import NOT_FOUND, UNAVAILABLE_FOR_LEGAL_REASONS
from webkeep.model import Fate, UrlOutcome
from webkeep.presentation import format_date, format_moment, format_times_seen
from webkeep.replay.choice.collection import MementoQuery
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone
from webkeep.url import normalize_url, surt

# Why something is not held: what became of it in the captures that came across it.

_MAX_CAPTURES = 50
"""The newest captures that are asked what became of a URL."""
_RECAPTURABLE = frozenset(
    {UrlOutcome.OUT_OF_SCOPE, UrlOutcome.FAILED, UrlOutcome.CUT, UrlOutcome.TRAPPED, UrlOutcome.QUEUED}
)
_OUTCOME_WORDS = {
    UrlOutcome.REFUSED: "did not ask for it, because the site refuses it",
    UrlOutcome.OUT_OF_SCOPE: "did not ask for it, because it was out of scope",
    UrlOutcome.TAKEN_DOWN: "did not ask for it, because it was taken down here",
    UrlOutcome.FAILED: "asked for it, and that failed",
    UrlOutcome.CUT: "did not ask for it, because a limit was reached",
    UrlOutcome.TRAPPED: "did not ask for it, because it looks like a trap",
    UrlOutcome.QUEUED: "had yet to ask for it",
}


@dataclass(frozen=True, slots=True)
class FateExplanation:
    """What became of a URL that is not held."""

    words: str
    """One sentence."""
    may_be_captured: bool
    """Whether another capture could do better: what a site refuses it refuses again."""


def explain_fate(lookup: MementoLookup, url: str) -> FateExplanation | None:
    """What the latest capture that knows of a URL says of it; None where none does, or it is closed."""
    now = lookup.clock.now()
    if not lookup.access.allows(surt(url), now, now):
        return None
    return next((told for archive in lookup.collection.archives if (told := _fate_in(archive, url))), None)


def _fate_in(archive: Archive, url: str) -> FateExplanation | None:
    spellings = dict.fromkeys((url, normalize_url(url) or url))
    captures = sorted(archive.captures(), key=lambda each: each.started, reverse=True)
    for capture in islice(captures, _MAX_CAPTURES):
        for spelling in spellings:
            fate = archive.catalog.log.fate(capture.id, spelling.partition("#")[0])
            if fate is not None and fate.outcome in _OUTCOME_WORDS:
                came_to = f"{_OUTCOME_WORDS[fate.outcome]}{_reason_words(fate)}"
                words = f"The capture of {format_date(capture.started)} {came_to}."
                return FateExplanation(words, fate.outcome in _RECAPTURABLE)
    return None


def _reason_words(fate: Fate) -> str:
    return f": {fate.reason.rstrip('.')}" if fate.reason else ""


_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Absence:
    """What is said in place of a version."""

    status: int
    title: str
    why: str = ""
    """One sentence; nothing where nothing is known."""
    may_be_captured: bool = True


def explain_absence(lookup: MementoLookup, query: MementoQuery) -> Absence:
    """Why nothing answers a query."""
    if lookup.is_hidden(query):
        words = "It is held, and the rules of this archive keep it closed."
        return Absence(UNAVAILABLE_FOR_LEGAL_REASONS, "Not shown", words, may_be_captured=False)
    stones = _find_tombstones(lookup, query.url)
    if stones:
        return Absence(UNAVAILABLE_FOR_LEGAL_REASONS, "Taken down", _tombstone_words(stones), may_be_captured=False)
    fate = explain_fate(lookup, query.url)
    if fate is not None:
        return Absence(NOT_FOUND, "Not held here", fate.words, fate.may_be_captured)
    return Absence(NOT_FOUND, "Not held here")


def _find_tombstones(lookup: MementoLookup, url: str) -> list[Tombstone]:
    """What was taken down of a URL, under any name that a version of it could have been found under, oldest first."""
    now = lookup.clock.now()
    spellings = _url_spellings(url)
    stones = [
        stone
        for archive in lookup.collection.archives
        for stone in archive.catalog.log.tombstones(spellings)
        if lookup.access.allows(surt(stone.url), stone.moment, now)
    ]
    latest = {(stone.url, stone.moment): stone for stone in sorted(stones, key=lambda stone: stone.removed)}
    return sorted(latest.values(), key=lambda stone: stone.moment)


def _url_spellings(url: str) -> tuple[str, ...]:
    plain = (normalize_url(url) or url).partition("#")[0]
    rest = plain.partition("://")[2].removeprefix("www.")
    return tuple(dict.fromkeys((url, plain, *(f"{each}{www}{rest}" for each in _SCHEMES for www in ("", "www.")))))


def _tombstone_words(stones: list[Tombstone]) -> str:
    last = max(stones, key=lambda stone: stone.removed)
    reason = f": {last.reason.rstrip('.')}" if last.reason else ""
    first, final = (f"{format_moment(stone.moment)} UTC" for stone in (stones[0], stones[-1]))
    when = f"{format_moment(last.removed)} UTC{reason}."
    if len(stones) == 1:
        return f"What was seen on {final} was taken down on {when}"
    times = format_times_seen(len(stones))
    return f"All that was seen of it, {times} from {first} to {final}, was taken down, the last of it on {when}"
