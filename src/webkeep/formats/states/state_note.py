"""The note that a client-side state of a page has in an archive: JSON with the field names that Brunelle et al. gave
it, the URN under which it is found, and those of pictures and texts of pages.

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
from webkeep.formats.states.text_delta import TextDelta, compute_delta
from webkeep.model import Moment

STATE_TYPE = "application/vnd.webkeep.state+json"
"""The media type of the metadata records that hold such notes."""
ROOT_STATE = "0"
"""The identifier of the view in which a page loads."""

WINDOW_PREFIX, FULL_PAGE_PREFIX, TEXT_PREFIX = "urn:view:", "urn:fullPage:", "urn:text:"
"""Before the URL of a page: the names that Browsertrix and others give pictures and texts of pages as they load."""
NO_PICTURE = "no_picture"
"""The remark of a note that says why its view has no picture, though pictures were wanted."""

PING_MARK = "Ping"
"""Behind a request that was held back: the page sent it only to be counted, and waited for no answer."""

_URN_PREFIX = "urn:webkeep:state:"
_ID_DIGITS = 16
"""Hexadecimal: 64 bits tell the states of one page apart."""
_ADDRESS = re.compile(rf"{_URN_PREFIX}[0-9a-f]{{{_ID_DIGITS}}}:(?:{ROOT_STATE}|[0-9a-f]{{{_ID_DIGITS}}})")
_ACTION_FIELDS = ("event", "target", "kind", "value", "point", "label")


@dataclass(frozen=True, slots=True)
class StateAction:
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


_DEFAULT_ACTION = StateAction("")


@dataclass(frozen=True, slots=True)
class StateTransition:
    """Where an action leads from a view."""

    action: StateAction
    target: str
    """The identifier of the view that it leads to; empty where it left the page."""
    new_requests: tuple[str, ...] = ()
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
    script: tuple[StateAction, ...] = ()
    """What was done to reach it from the root."""
    parent: str = ""
    level: int = 0
    state: int = 0
    """Views with equal resources are one state, and have one number."""
    rendered: str | TextDelta = ""
    """The whole document, or its difference to the parent's."""
    path_resources: tuple[str, ...] = ()
    """What the way from the root on has needed."""
    resources: tuple[str, ...] = ()
    """What the view itself needs."""
    transitions: tuple[StateTransition, ...] = ()
    caption: str = ""
    """What a person calls it."""
    comment: Mapping[str, Any] = field(default_factory=dict)
    capture: str = ""
    """The capture that found it."""

    @property
    def urn(self) -> str:
        """The name under which it is found; no two views of a page have the same."""
        return state_urn(self.page, self.id)

    def to_block(self) -> bytes:
        """The note as it is kept."""
        values = {
            "startedDateTime": self.moment.iso(),
            "id": self.id,
            "title": self.title,
            "pageTimings": script_csv(self.script),
            "comment": dict(self.comment),
            "renderedContent": self.rendered,
            "renderedElements": list(self.path_resources),
            "map": [_transition_values(move) for move in self.transitions],
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


def state_urn(page: str, state_id: str) -> str:
    """The name of a view's note: by digests, as the names of an index know neither case nor fragments."""
    return f"{state_urn_prefix(page)}{state_id}"


def state_urn_prefix(page: str = "") -> str:
    """How the names of a page's notes begin; without a page, those of all."""
    return f"{_URN_PREFIX}{_short_digest(page)}:" if page else _URN_PREFIX


def rendition_urn(page: str, state_id: str, name: str) -> str:
    """The name of a picture (with or without what lay over the page), text or document of a view."""
    return f"{state_urn(page, state_id)}:{name}"


def is_state_urn(text: str) -> bool:
    """Whether a text can be the name of a view's note."""
    return _ADDRESS.fullmatch(text) is not None


def compute_state_id(script: Iterable[StateAction]) -> str:
    """The identifier of what a script leads to; the same script has the same one at all times."""
    actions = list(script)
    # What an element is called does not tell which one it is.
    return _short_digest(script_csv(replace(action, label="") for action in actions)) if actions else ROOT_STATE


def script_csv(script: Iterable[StateAction]) -> str:
    """A script as CSV, a line for each action."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        [getattr(action, name) for name in _ACTION_FIELDS] for action in script
    )
    return text.getvalue()


def delta_to_parent(parent: str, rendered: str) -> str | TextDelta:
    """A document as it is kept beside its parent's: as a difference where that is shorter."""
    delta = compute_delta(parent, rendered)
    size = sum(len(piece) if isinstance(piece, str) else _ID_DIGITS for piece in delta)
    return delta if size < len(rendered) else rendered


def parse_state_note(block: bytes) -> StateNote:
    """The note that a block holds; an error where it is damaged."""
    values = read_json(block)
    if not isinstance(values, dict):
        raise FormatError("the record of a client-side state is damaged (no JSON that can be read)")
    try:
        ours = values["webkeep"]
        return StateNote(
            str(ours["page"]),
            str(values["id"]),
            str(values["title"]),
            Moment.parse(values["startedDateTime"]),
            tuple(_parse_script(values["pageTimings"])),
            str(ours["parent"]),
            int(ours["level"]),
            int(ours["state"]),
            values["renderedContent"]
            if isinstance(values["renderedContent"], str)
            else list(values["renderedContent"]),
            tuple(map(str, values["renderedElements"])),
            tuple(map(str, ours["resources"])),
            tuple(_parse_transition(each) for each in values["map"]),
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
        raise FormatError(f"the record of a client-side state is damaged ({type(error).__name__}: {error})") from error


def action_values(action: StateAction) -> dict[str, str]:
    """An action as plain values, without what is usual."""
    values = {name: str(getattr(action, name)) for name in _ACTION_FIELDS}
    return {name: value for name, value in values.items() if name == "event" or value != getattr(_DEFAULT_ACTION, name)}


def _parse_action(values: Mapping[str, object]) -> StateAction:
    return StateAction(**{name: str(values[name]) for name in _ACTION_FIELDS if name in values})


def _transition_values(move: StateTransition) -> dict[str, object]:
    return {**action_values(move.action), "leadsTo": move.target, "new": list(move.new_requests)}


def _parse_transition(values: Mapping[str, Any]) -> StateTransition:
    return StateTransition(_parse_action(values), str(values["leadsTo"]), tuple(map(str, values["new"])))


def _parse_script(text: str) -> Iterable[StateAction]:
    return (StateAction(*line) for line in csv.reader(io.StringIO(text, newline="")))


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_DIGITS]
