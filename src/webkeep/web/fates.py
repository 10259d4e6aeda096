"""Why something is not held: what became of it in the captures that came across it."""

from __future__ import annotations

from itertools import islice

from webkeep.model import Fate, Outcome
from webkeep.replay.looking import Looker
from webkeep.store.archive import Archive
from webkeep.url import normal, surt
from webkeep.web.numbers import date

_MOST = 50
_WORDS = {
    Outcome.REFUSED: "did not ask for it, because the site refuses it",
    Outcome.OUT_OF_SCOPE: "did not ask for it, because it was out of scope",
    Outcome.FAILED: "asked for it, and that failed",
    Outcome.CUT: "did not ask for it, because a limit was reached",
    Outcome.TRAPPED: "did not ask for it, because it looks like a trap",
    Outcome.QUEUED: "had yet to ask for it",
}


def fate_words(looker: Looker, url: str) -> str:
    """One sentence on what the latest capture that knows of a URL says; nothing where none does or it is closed."""
    now = looker.clock.now()
    if not looker.access.shows(surt(url), now, now):
        return ""
    return next((words for archive in looker.collection.archives if (words := _in(archive, url))), "")


def _in(archive: Archive, url: str) -> str:
    spellings = dict.fromkeys((url, normal(url) or url))
    captures = sorted(archive.captures(), key=lambda each: each.started, reverse=True)
    for capture in islice(captures, _MOST):
        for spelling in spellings:
            fate = archive.catalog.ledger.fate(capture.id, spelling.partition("#")[0])
            if fate is not None and fate.outcome in _WORDS:
                return f"The capture of {date(capture.started)} {_WORDS[fate.outcome]}{_reason(fate)}."
    return ""


def _reason(fate: Fate) -> str:
    return f": {fate.reason.rstrip('.')}" if fate.reason else ""
