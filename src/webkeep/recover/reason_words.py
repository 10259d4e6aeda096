"""Why nothing came of a URL, in words for people; programs keep the reasons' codes."""

from __future__ import annotations

from webkeep.recover.repository import Reason

_WORDS = {
    Reason.NOT_HELD: "none of those asked holds it",
    Reason.ADVERTISED: "it is on a list, and is not there",
    Reason.BLOCKED: "it is not given to us",
    Reason.LIMIT: "a limit is used up",
    Reason.TROUBLE: "trouble with who may hold it",
    Reason.UNREACHABLE: "nobody answers",
    Reason.UNSUPPORTED: "cannot be asked for",
}
_SELF_EVIDENT = frozenset({Reason.LIMIT, Reason.TROUBLE})
"""The reasons that a detail behind them explains by itself."""


def plain_reason(note: str) -> str:
    """A note on a URL, with the reason it begins with in words."""
    code, _, detail = note.partition(": ")
    if code not in set(Reason):
        return note
    reason = Reason(code)
    if not detail:
        return _WORDS[reason]
    return detail if reason in _SELF_EVIDENT else f"{_WORDS[reason]}: {detail}"
