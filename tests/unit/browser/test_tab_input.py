"""What somebody sends to a shown tab is done or refused, whatever it is."""

import pytest

from webkeep.browser.screencast import parse_tab_input
from webkeep.errors import UsageError


def test_keys_write_what_they_say_and_commands_nothing() -> None:
    typed = parse_tab_input({"kind": "keydown", "key": "a", "number": 65})
    command = parse_tab_input({"kind": "keydown", "key": "a", "number": 65, "modifiers": 2})
    assert (typed.params["type"], typed.params["text"]) == ("keyDown", "a")
    assert command.params["type"] == "rawKeyDown"
    assert "text" not in command.params
    assert parse_tab_input({"kind": "keydown", "key": "Enter"}).params["text"] == "\r"


def test_a_finger_that_is_lifted_touches_nothing() -> None:
    down = parse_tab_input({"kind": "touchstart", "x": 3, "y": 4}).params
    assert down == {"type": "touchStart", "touchPoints": [{"x": 3, "y": 4}]}
    assert parse_tab_input({"kind": "touchend", "x": 3, "y": 4}).params["touchPoints"] == []


def test_a_view_has_bounds() -> None:
    assert parse_tab_input({"kind": "size", "width": 9, "height": 99_999}).params == {
        "width": 200, "height": 2000, "phone": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "sent",
    [None, [], {}, {"kind": "evaluate"}, {"kind": "Page.navigate"}, {"kind": "move", "x": "1"},
     {"kind": "text", "text": 1},
     {"kind": "move", "x": 1e300}, {"kind": "move", "x": float("nan")}, {"kind": "text", "text": "x" * 100_001},
     {"kind": "keydown", "key": "x" * 33}, {"kind": "down", "x": True}, {"kind": ["go"]}],
)  # fmt: skip
def test_what_cannot_be_done_is_refused(sent: object) -> None:
    with pytest.raises(UsageError):
        parse_tab_input(sent)
