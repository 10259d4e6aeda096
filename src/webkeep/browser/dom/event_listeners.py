"""Event listeners of a page as Chromium tells of them: at which node, to which type of event, by which function."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EventListener:
    """Someone listens to a type of event at a node."""

    node: int
    """0 for a window."""
    event: str
    place: str
    """Which function, by script and position: equal for listeners made by the same piece of code."""


def parse_listeners(answer: Iterable[dict[str, Any]]) -> list[EventListener]:
    """The answers of `DOMDebugger.getEventListeners`."""
    return [
        EventListener(
            each.get("backendNodeId", 0),
            str(each["type"]),
            f"{each.get('scriptId', '')}:{each.get('lineNumber', 0)}:{each.get('columnNumber', 0)}",
        )
        for each in answer
    ]
