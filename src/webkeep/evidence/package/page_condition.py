"""What the portrait of a page really shows: the page, or an error, a wall, nothing at all, something still loading; by
which signs that is told, and in which words.
"""

from __future__ import annotations

import enum
import re

from webkeep.document import MAX_SCANNED_BYTES, PlaceholderSuspicion, detect_placeholder_page
from webkeep.errors import FormatError
from webkeep.formats import is_blank
from webkeep.formats.states import PortraitNote
from webkeep.formats.status import BLOCKED_STATUSES, UNAUTHORIZED, is_error
from webkeep.url import parse_url

_LOADING_TEXT = re.compile(
    r"\W*(?:loading|please wait|just a moment|one moment|wird geladen|bitte warten|chargement(?: en cours)?"
    r"|cargando|caricamento|carregando|laden|загрузка)\W*",
    re.IGNORECASE,
)
"""All that a page says which waits for its scripts."""
_ELSEWHERE = "another vantage point may be let in (--vantage)"


class PageCondition(enum.StrEnum):
    """What a portrait shows."""

    SHOWN = "shown"
    """The page, as far as anybody can tell."""
    ERROR = "error"
    """What a server says where there is no page, or where it gives none."""
    WALL = "wall"
    """Something in place of the page: a login, a question for consent, a test for robots."""
    EMPTY = "empty"
    """Nothing: no text, and a picture of one colour."""
    LOADING = "loading"
    """A page that says no more than that it is loading."""
    FILE = "file"
    """No page, but a file that browsers keep rather than show: handed on as it was sent."""
    RESTLESS = "restless"
    """The page, which had not come to rest: as far as it had come."""
    UNSEEN = "unseen"
    """There is no portrait."""


PAGE_CONDITIONS = frozenset({PageCondition.SHOWN, PageCondition.FILE, PageCondition.RESTLESS})
"""Those in which there is what was asked for, and not something in its place."""


def judge_portrait(note: PortraitNote, text: str, dom: bytes, picture: bytes) -> tuple[PageCondition, str]:
    """What a portrait shows, and what is to be said of it."""
    if note.failure:
        return PageCondition.UNSEEN, f"the browser could not show it: {note.failure}"
    if is_error(note.status):
        return PageCondition.ERROR, _describe_error(note.status)
    wall = detect_placeholder_page(note.url, dom[:MAX_SCANNED_BYTES], _is_root(note.url))
    if wall is not None:
        return PageCondition.WALL, _describe_wall(wall)
    if not text.strip() and _is_one_colour(picture):
        return PageCondition.EMPTY, "it shows nothing: there is no text on it, and its picture is of one colour"
    if _LOADING_TEXT.fullmatch(text):
        return PageCondition.LOADING, f"all that it says is {text.strip()!r}: its scripts had brought no more by then"
    if not note.is_at_rest:
        return PageCondition.RESTLESS, "it did not come to rest: it is shown as far as it had come by then"
    return PageCondition.SHOWN, ""


def _describe_wall(wall: PlaceholderSuspicion) -> str:
    told = f"it shows {wall.value} in place of the page"
    return f"{told}; {_ELSEWHERE}" if wall is PlaceholderSuspicion.REGION else told


def _describe_error(status: int) -> str:
    told = f"the server answered with status {status}, which is an error, and not with the page"
    if status == UNAUTHORIZED:
        return f"{told}: it wants a login (--auth, --cookies or --browser-profile)"
    if status in BLOCKED_STATUSES:
        return f"{told}: it refuses whoever asks from here; {_ELSEWHERE}"
    return told


def _is_root(url: str) -> bool:
    parsed = parse_url(url)
    return parsed is not None and parsed.path in ("", "/")


def _is_one_colour(picture: bytes) -> bool:
    """Whether nothing is on a picture; one that cannot be read shows nothing to anybody."""
    try:
        return is_blank(picture)
    except FormatError:
        return True
