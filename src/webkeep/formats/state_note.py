"""The note that a client-side state has in an archive: JSON with the field names that Brunelle et al. gave it.

A page is walked from the view in which it loads, the root. Each view has a note of its own, under an address of its
own. What a browser rendered is kept as the difference to the view that it was reached from, and has to be expanded.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from webkeep.errors import FormatError, UsageError
from webkeep.formats.json_value import read_json
from webkeep.formats.text_delta import Delta, text_delta
from webkeep.model import Moment

STATE_TYPE = "application/vnd.webkeep.state+json"
"""The media type of the metadata records that hold such notes."""
ROOT = "0"
"""The identifier of the view in which a page loads."""

WINDOW, FULL_PAGE, TEXT = "urn:view:", "urn:fullPage:", "urn:text:"
"""Before the URL of a page: the names that Browsertrix and others give pictures and texts of pages as they load."""
NO_PICTURE = "no_picture"
"""The remark of a note that says why its view has no picture, though pictures were wanted."""

PING = "Ping"
"""Behind a request that was held back: the page sent it only to be counted, and waited for no answer."""

_NAMES = "urn:webkeep:state:"
_DIGITS = 16
_ADDRESS = re.compile(rf"{_NAMES}[0-9a-f]{{{_DIGITS}}}:(?:{ROOT}|[0-9a-f]{{{_DIGITS}}})")
_FIELDS = ("event", "target", "kind", "value", "point", "label")


@dataclass(frozen=True, slots=True)
class Deed:
    """Something done to a page: an event, and the element that it was for."""

    event: str
    target: str = ""
    """How the element is found again: selectors, joined by ` >>> ` where the way goes into a frame or shadow tree."""
    kind: str = "listener"
    value: str = ""
    """The option, the key, the text or the direction."""
    point: str = ""
    """Where in the element, as `x y` in pixels; its middle where nothing is said."""
    label: str = ""
    """What a person sees of the element."""


_USUAL = Deed("")


@dataclass(frozen=True, slots=True)
class Move:
    """Where a deed leads from a view."""

    deed: Deed
    target: str
    """The identifier of the view that it leads to; empty where it left the page."""
    fresh: tuple[str, ...] = ()
    """What it requested that nothing before it had."""


@dataclass(frozen=True, slots=True)
class StateNote:
    """One view of a page, and which state it is."""

    page: str
    """The URL that was loaded."""
    id: str
    title: str
    """The URL that the view has."""
    moment: Moment
    script: tuple[Deed, ...] = ()
    """What was done to reach it from the root."""
    parent: str = ""
    level: int = 0
    state: int = 0
    """Views with equal resources are one state, and have one number."""
    rendered: str | Delta = ""
    """The whole document, or its difference to the parent's."""
    path_resources: tuple[str, ...] = ()
    """What the way from the root on has needed."""
    resources: tuple[str, ...] = ()
    """What the view itself needs."""
    moves: tuple[Move, ...] = ()
    caption: str = ""
    """What a person calls it."""
    comment: Mapping[str, Any] = field(default_factory=dict)
    capture: str = ""
    """The capture that found it."""

    @property
    def address(self) -> str:
        """The name under which it is found; no two views of a page have the same."""
        return state_address(self.page, self.id)

    def block(self) -> bytes:
        """The note as it is kept."""
        values = {
            "startedDateTime": self.moment.iso(),
            "id": self.id,
            "title": self.title,
            "pageTimings": script_text(self.script),
            "comment": dict(self.comment),
            "renderedContent": self.rendered,
            "renderedElements": list(self.path_resources),
            "map": [_move_values(move) for move in self.moves],
            "webkeep": {
                "page": self.page,
                "parent": self.parent,
                "level": self.level,
                "state": self.state,
                "resources": list(self.resources),
                "caption": self.caption,
                "capture": self.capture,
            },
        }
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def state_address(page: str, state_id: str) -> str:
    """The name of a view's note: by digests, as the names of an index know neither case nor fragments."""
    return f"{state_prefix(page)}{state_id}"


def state_prefix(page: str = "") -> str:
    """How the names of a page's notes begin; without a page, those of all."""
    return f"{_NAMES}{_short_digest(page)}:" if page else _NAMES


def is_state_address(text: str) -> bool:
    """Whether a text can be the name of a view's note."""
    return _ADDRESS.fullmatch(text) is not None


def state_id(script: Iterable[Deed]) -> str:
    """The identifier of what a script leads to; the same script has the same one at all times."""
    deeds = list(script)
    # What an element is called does not tell which one it is.
    return _short_digest(script_text(replace(deed, label="") for deed in deeds)) if deeds else ROOT


def script_text(script: Iterable[Deed]) -> str:
    """A script as CSV, a line for each deed."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        [getattr(deed, name) for name in _FIELDS] for deed in script
    )
    return text.getvalue()


def difference(parent: str, rendered: str) -> str | Delta:
    """A document as it is kept beside its parent's: as a difference where that is shorter."""
    delta = text_delta(parent, rendered)
    size = sum(len(piece) if isinstance(piece, str) else _DIGITS for piece in delta)
    return delta if size < len(rendered) else rendered


def read_state(block: bytes) -> StateNote:
    """The note that a block holds; an error where it is damaged."""
    values = read_json(block)
    if not isinstance(values, dict):
        raise FormatError("a note of a client-side state is damaged (no JSON that can be read)")
    try:
        ours = values["webkeep"]
        return StateNote(
            str(ours["page"]),
            str(values["id"]),
            str(values["title"]),
            Moment.parse(values["startedDateTime"]),
            tuple(_script_in(values["pageTimings"])),
            str(ours["parent"]),
            int(ours["level"]),
            int(ours["state"]),
            values["renderedContent"]
            if isinstance(values["renderedContent"], str)
            else list(values["renderedContent"]),
            tuple(map(str, values["renderedElements"])),
            tuple(map(str, ours["resources"])),
            tuple(_move_in(each) for each in values["map"]),
            str(ours["caption"]),
            dict(values["comment"]),
            str(ours["capture"]),
        )
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        csv.Error,
        UsageError,
    ) as error:
        raise FormatError(f"a note of a client-side state is damaged ({type(error).__name__}: {error})") from error


def deed_values(deed: Deed) -> dict[str, str]:
    """A deed as plain values, without what is usual."""
    values = {name: str(getattr(deed, name)) for name in _FIELDS}
    return {name: value for name, value in values.items() if name == "event" or value != getattr(_USUAL, name)}


def _deed_in(values: Mapping[str, object]) -> Deed:
    return Deed(**{name: str(values[name]) for name in _FIELDS if name in values})


def _move_values(move: Move) -> dict[str, object]:
    return {**deed_values(move.deed), "leadsTo": move.target, "new": list(move.fresh)}


def _move_in(values: Mapping[str, Any]) -> Move:
    return Move(_deed_in(values), str(values["leadsTo"]), tuple(map(str, values["new"])))


def _script_in(text: str) -> Iterable[Deed]:
    return (Deed(*line) for line in csv.reader(io.StringIO(text, newline="")))


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
