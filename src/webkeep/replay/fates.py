"""Why something is not held: what became of it in the captures that came across it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from webkeep.model import Fate, Outcome
from webkeep.replay.looking import Looker
from webkeep.store.archive import Archive
from webkeep.url import normal, surt

_MOST = 50
_AGAIN = frozenset({Outcome.OUT_OF_SCOPE, Outcome.FAILED, Outcome.CUT, Outcome.TRAPPED, Outcome.QUEUED})
_WORDS = {
    Outcome.REFUSED: "did not ask for it, because the site refuses it",
    Outcome.OUT_OF_SCOPE: "did not ask for it, because it was out of scope",
    Outcome.TAKEN_DOWN: "did not ask for it, because it was taken down here",
    Outcome.FAILED: "asked for it, and that failed",
    Outcome.CUT: "did not ask for it, because a limit was reached",
    Outcome.TRAPPED: "did not ask for it, because it looks like a trap",
    Outcome.QUEUED: "had yet to ask for it",
}


@dataclass(frozen=True, slots=True)
class ToldFate:
    """What became of a URL that is not held."""

    words: str
    """One sentence."""
    may_be_captured: bool
    """Whether another capture could do better: what a site refuses it refuses again."""


def fate_of(looker: Looker, url: str) -> ToldFate | None:
    """What the latest capture that knows of a URL says of it; None where none does, or it is closed."""
    now = looker.clock.now()
    if not looker.access.shows(surt(url), now, now):
        return None
    return next((told for archive in looker.collection.archives if (told := _in(archive, url))), None)


def _in(archive: Archive, url: str) -> ToldFate | None:
    spellings = dict.fromkeys((url, normal(url) or url))
    captures = sorted(archive.captures(), key=lambda each: each.started, reverse=True)
    for capture in islice(captures, _MOST):
        for spelling in spellings:
            fate = archive.catalog.ledger.fate(capture.id, spelling.partition("#")[0])
            if fate is not None and fate.outcome in _WORDS:
                words = f"The capture of {capture.started.iso()[:10]} {_WORDS[fate.outcome]}{_reason(fate)}."
                return ToldFate(words, fate.outcome in _AGAIN)
    return None


def _reason(fate: Fate) -> str:
    return f": {fate.reason.rstrip('.')}" if fate.reason else ""
