"""What pages sent when they were run and the capture held back (POST and the like): which pages of a copy need an
answer that nobody has, by the walk nearest to a moment, and the words for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from webkeep.errors import FormatError, StorageError
from webkeep.formats.states import PING_MARK, ROOT_STATE, StateNote
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note


def withheld_needs(archive: Archive, capture: str, at: Moment, strictly: bool) -> dict[str, str]:
    """What pages need for the requests that were held back, by page: as of the walk nearest to a moment."""
    nearest: dict[str, tuple[int, str]] = {}
    for note in _root_notes(archive):
        if (capture and note.capture != capture) or (strictly and note.moment > at):
            continue
        distance = abs(note.moment.micros - at.micros)
        if note.page not in nearest or distance < nearest[note.page][0]:
            nearest[note.page] = distance, _need_words(note)
    return {page: need for page, (_, need) in nearest.items() if need}


def _root_notes(archive: Archive) -> Iterator[StateNote]:
    """The notes of pages as they loaded, which tell of their walks."""
    for entry in find_state_entries(archive):
        if entry.url.rpartition(":")[2] == ROOT_STATE:
            with suppress(StorageError, FormatError):  # what the copy itself needs of it is read again, and told
                yield read_state_note(archive, entry.place)


def _need_words(note: StateNote) -> str:
    sent = list(dict.fromkeys(_sent_urls(note)))
    if not sent:
        return ""
    others = f" and {len(sent) - 1:,} more" if sent[1:] else ""
    return f"an answer to what it sends ({sent[0]}{others}), which the capture held back"


def _sent_urls(note: StateNote) -> Iterator[str]:
    """The URLs that were sent something; notes of other tools may say anything."""
    happened = note.comment.get("happenings")
    for each in happened if isinstance(happened, list) else ():
        wishes = each.get("wishes") if isinstance(each, dict) else None
        for wish in wishes if isinstance(wishes, list) else ():
            match wish:
                case [str(), str() as url]:
                    yield url
                case [str(), str() as url, str() as kind] if kind != PING_MARK:
                    yield url
