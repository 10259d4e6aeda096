"""What a running capture can be told: to pause, to go on, to go at another pace or to other places.

A word is a file in the job's folder that the capture looks for twice a second and takes away. It needs no server, works
for every user who may write to the archive, and two who speak at the same time are both heard.
"""

from __future__ import annotations

import enum
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.formats.json_value import read_json
from webkeep.process.new_file import write_whole
from webkeep.store.layout import replace_file

_WORD = "word-{moment:020d}-{process}.json"
_WORDS = "word-*.json"
_STATE = "state.json"
_CHANGES = "changes.json"


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
    """Where words for one job are left and found, and where the job tells how it is doing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def leave(self, word: Word) -> None:
        """Leave a word for the capture, behind those that were left before."""
        name = _WORD.format(moment=time.time_ns(), process=os.getpid())
        replace_file(self._folder / name, json.dumps({"order": word.order, "values": word.values}).encode())

    def words(self) -> list[Word]:
        """The words that were left, in order; they are taken away."""
        found = (_taken(path) for path in sorted(self._folder.glob(_WORDS)))
        return [word for word in found if word is not None]

    def tell(self, state: dict[str, Any]) -> None:
        """Let others see how the capture is doing."""
        with suppress(OSError):  # nobody may be watching, and the capture matters more
            write_whole(self._folder / _STATE, json.dumps(state).encode())

    def state(self) -> dict[str, Any]:
        """How the capture was doing when it last told; empty where it never did."""
        return _read(self._folder / _STATE)

    @property
    def is_heard(self) -> bool:
        """Whether a process is there that listens, as far as can be told from this machine."""
        process = self.state().get("process")
        if not isinstance(process, int) or process <= 0:
            return False
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it is there, and another user's
            return True
        return True

    def keep(self, changes: dict[str, Any]) -> None:
        """Keep what was changed about the plan, for when the capture is gone on with."""
        replace_file(self._folder / _CHANGES, json.dumps(changes).encode())

    def kept(self) -> dict[str, Any]:
        """What was changed about the plan while it was carried out."""
        return _read(self._folder / _CHANGES)


def _taken(path: Path) -> Word | None:
    told = _read(path)
    path.unlink(missing_ok=True)
    values = told.get("values", {})
    order = told.get("order")
    if not isinstance(order, str) or order not in set(Order) or not isinstance(values, dict):
        return None
    return Word(Order(order), values)


def _read(path: Path) -> dict[str, Any]:
    try:
        told = read_json(path.read_bytes())
    except OSError:
        return {}
    return told if isinstance(told, dict) else {}
