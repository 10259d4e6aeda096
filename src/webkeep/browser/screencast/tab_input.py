"""What somebody does to a shown tab, read out of what their page sends: mouse, touch, keyboard, text, size, navigation.
It is checked here, as anybody can send anything; what is outside its bounds is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import UsageError

MIN_SIDE_PIXELS, MAX_SIDE_PIXELS = 200, 2000
"""Of the view: a phone has less and a page may have more, and each picture costs as much as it has pixels."""
_MAX_TEXT_CHARS = 100_000
"""Of what is pasted at once."""
_MAX_KEY_CHARS = 32
"""Of the name of a key; the longest that browsers know has 20."""
_MAX_PIXELS = 100_000
"""Of a place or a distance: no view reaches that far, and codes of keys and buttons are smaller."""
_MOUSE_TYPES = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased", "wheel": "mouseWheel"}
_TOUCH_TYPES = {"touchstart": "touchStart", "touchmove": "touchMove", "touchend": "touchEnd"}
_BUTTONS = ("left", "middle", "right", "back", "forward")
_ENTER_TEXT = {"Enter": "\r"}
"""Keys whose name is no letter and that write one all the same."""
NAVIGATIONS = frozenset({"go", "back", "forward", "reload"})
"""What is asked of the tab, and not of the page in it."""


@dataclass(frozen=True, slots=True)
class TabInput:
    """One thing that is done: a call of the debugging protocol, or a navigation by its name."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


def parse_tab_input(values: object) -> TabInput:
    """What was sent, as what is to be done; UsageError where it is nothing that can be."""
    if not isinstance(values, dict):
        raise UsageError("an input is an object with a kind")
    kind = str(values.get("kind"))
    if kind in _MOUSE_TYPES:
        return TabInput("Input.dispatchMouseEvent", _mouse_params(kind, values))
    if kind in _TOUCH_TYPES:
        points = [] if kind == "touchend" else [{"x": _number(values, "x"), "y": _number(values, "y")}]
        return TabInput("Input.dispatchTouchEvent", {"type": _TOUCH_TYPES[kind], "touchPoints": points})
    if kind in ("keydown", "keyup"):
        return TabInput("Input.dispatchKeyEvent", _key_params(kind == "keydown", values))
    if kind == "text":
        return TabInput("Input.insertText", {"text": _text(values, "text", _MAX_TEXT_CHARS)})
    if kind == "size":
        size = {side: min(max(_number(values, side), MIN_SIDE_PIXELS), MAX_SIDE_PIXELS) for side in ("width", "height")}
        return TabInput("size", {**size, "phone": values.get("phone") is True})
    if kind == "answer":
        text = _text(values, "text", _MAX_TEXT_CHARS)
        return TabInput("answer", {"accept": values.get("accept") is True, "promptText": text})
    if kind in NAVIGATIONS:
        return TabInput(kind, {"url": _text(values, "url", _MAX_TEXT_CHARS)} if kind == "go" else {})
    raise UsageError(f"{kind[:40]!r} is nothing that can be done to a tab")


def _mouse_params(kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    button = _number(values, "button")
    params: dict[str, Any] = {
        "type": _MOUSE_TYPES[kind],
        "x": _number(values, "x"),
        "y": _number(values, "y"),
        "modifiers": _number(values, "modifiers") & 15,
        "buttons": _number(values, "buttons") & 31,
    }
    if kind in ("down", "up"):
        params |= {"button": _BUTTONS[button % len(_BUTTONS)], "clickCount": min(max(_number(values, "clicks"), 1), 3)}
    if kind == "wheel":
        params |= {"deltaX": _number(values, "dx"), "deltaY": _number(values, "dy")}
    return params


def _key_params(is_down: bool, values: Mapping[str, Any]) -> dict[str, Any]:
    key, modifiers = _text(values, "key", _MAX_KEY_CHARS), _number(values, "modifiers") & 15
    is_command = bool(modifiers & 0b110)  # with Control or Meta a letter is a command and writes nothing
    text = _ENTER_TEXT.get(key, key if len(key) == 1 and not is_command else "")
    return {
        "type": ("keyDown" if text else "rawKeyDown") if is_down else "keyUp",
        "key": key,
        "code": _text(values, "code", _MAX_KEY_CHARS),
        "windowsVirtualKeyCode": _number(values, "number") & 0xFFFF,
        "modifiers": modifiers,
        **({"text": text} if is_down and text else {}),
    }


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_MAX_PIXELS <= value <= _MAX_PIXELS:
        raise UsageError(f"{name} of an input is a number up to {_MAX_PIXELS:,}")
    return int(value)


def _text(values: Mapping[str, Any], name: str, longest: int) -> str:
    value = values.get(name, "")
    if not isinstance(value, str) or len(value) > longest:
        raise UsageError(f"{name} of an input is a text of up to {longest:,} characters")
    return value
