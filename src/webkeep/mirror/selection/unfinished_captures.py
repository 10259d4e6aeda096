"""Unfinished captures that a copy is made of: which kinds count (recordings have no end to come to), when a later
capture makes up for one, and what is said of it.
"""

from __future__ import annotations

from webkeep.model import Capture, CaptureKind, Moment
from webkeep.presentation import format_moment
from webkeep.store.archive import Archive

_OPEN_ENDED_KINDS = frozenset({CaptureKind.RECORD, CaptureKind.APPEND})
"""These have no end that they would come to by themselves."""


def find_unfinished(archive: Archive, capture: str, at: Moment) -> list[Capture]:
    """Those of a moment that did not come to their end and that none since did again; or the one that is meant."""
    captures = [each for each in archive.captures() if not capture or each.id == capture]
    begun = captures if capture else [each for each in captures if each.started <= at]
    return [each for each in begun if _is_unfinished(each) and not any(_is_redone_by(each, other) for other in begun)]


def describe_unfinished(capture: Capture) -> str:
    """What is to be said of one."""
    kind = "recovery" if capture.kind == CaptureKind.RECOVER else capture.kind
    which = f"the {kind} {capture.id} of {format_moment(capture.started)}"
    advice = "" if capture.kind == CaptureKind.IMPORT else "; the command that began it goes on with it"
    return f"{which} has not come to its end, and what it had not come to is not in the copy{advice}"


def _is_unfinished(capture: Capture) -> bool:
    return capture.finished is None and capture.kind not in _OPEN_ENDED_KINDS


def _is_redone_by(capture: Capture, other: Capture) -> bool:
    """Whether a capture was made again from where it began, and to its end."""
    is_whole = other.finished is not None and other.kind not in _OPEN_ENDED_KINDS
    return is_whole and other.started > capture.started and set(other.seeds) >= set(capture.seeds)
