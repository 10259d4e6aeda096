"""What a running capture can be told: to pause, to go on, to go at another pace or to other places.

A word is a file in the job's folder that the engine looks for twice a second and takes away. It needs no server, works
for every user who may write to the archive, and a word to a capture that runs no more is found by the next one.
"""

from __future__ import annotations

import contextlib
import enum
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.store.layout import replace_file

_WORD = "control.json"
_STATE = "state.json"


class Order(enum.StrEnum):
    """What a capture is told to do."""

    PAUSE = "pause"
    RESUME = "resume"
    SET = "set"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Word:
    """One thing a running capture is told."""

    order: Order
    values: dict[str, Any] = field(default_factory=dict)
    """For `set`: names and values of the plan."""


class ControlDesk:
    """Where words for one job are left and found."""

    def __init__(self, folder: Path) -> None:
        self._word = folder / _WORD
        self._state = folder / _STATE

    def leave(self, word: Word) -> None:
        """Leave a word for the engine; those that were not found yet stand before it."""
        waiting = [*self._waiting(), {"order": word.order, "values": word.values}]
        replace_file(self._word, json.dumps(waiting).encode())

    def words(self) -> list[Word]:
        """The words that were left, in order; they are taken away."""
        if not self._word.exists():
            return []
        waiting = self._waiting()
        self._word.unlink(missing_ok=True)
        return [Word(Order(each["order"]), each.get("values", {})) for each in waiting]

    def tell(self, state: dict[str, Any]) -> None:
        """Let others see how the capture is doing."""
        unfinished = self._state.with_suffix(".new")
        with contextlib.suppress(OSError):  # nobody may be watching, and the capture matters more
            unfinished.write_text(json.dumps(state))
            unfinished.replace(self._state)

    def state(self) -> dict[str, Any]:
        """How the capture was doing when it last told; empty where it never did."""
        try:
            told = json.loads(self._state.read_bytes())
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) else {}

    def _waiting(self) -> list[dict[str, Any]]:
        try:
            waiting = json.loads(self._word.read_bytes())
        except (OSError, ValueError):
            return []
        known = set(Order)
        return [each for each in waiting if isinstance(each, dict) and each.get("order") in known]
