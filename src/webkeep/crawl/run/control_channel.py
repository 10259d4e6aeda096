"""What a running capture can be told (`webkeep control`): which commands there are, how words, state and changes lie as
files in the job's folder, and whether a process listens.

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

from webkeep.formats import read_json
from webkeep.process import write_atomically
from webkeep.store.folder import replace_file_durably

_MESSAGE_FILE = "word-{moment:020d}-{process}.json"
_MESSAGE_FILES = "word-*.json"
_STATE_FILE = "state.json"
_CHANGES_FILE = "changes.json"


class ControlCommand(enum.StrEnum):
    """What a capture is told to do."""

    PAUSE = "pause"
    RESUME = "resume"
    SET = "set"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class ControlMessage:
    """One thing a running capture is told."""

    command: ControlCommand
    values: dict[str, Any] = field(default_factory=dict)
    """For `set`: names and values of the plan."""


class ControlChannel:
    """Where words for one job are left and found, and where the job tells how it is doing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """The folder of the job."""
        return self._folder

    def send(self, message: ControlMessage) -> None:
        """Leave a word for the capture, behind those that were left before."""
        name = _MESSAGE_FILE.format(moment=time.time_ns(), process=os.getpid())
        replace_file_durably(
            self._folder / name, json.dumps({"order": message.command, "values": message.values}).encode()
        )

    def receive(self) -> list[ControlMessage]:
        """The words that were left, in order; they are taken away."""
        found = (_take_message(path) for path in sorted(self._folder.glob(_MESSAGE_FILES)))
        return [message for message in found if message is not None]

    def write_state(self, state: dict[str, Any]) -> None:
        """Let others see how the capture is doing."""
        with suppress(OSError):  # nobody may be watching, and the capture matters more
            write_atomically(self._folder / _STATE_FILE, json.dumps(state).encode())

    def read_state(self) -> dict[str, Any]:
        """How the capture was doing when it last told; empty where it never did."""
        return _read_object(self._folder / _STATE_FILE)

    @property
    def is_listening(self) -> bool:
        """Whether a process is there that listens, as far as can be told from this machine."""
        process = self.read_state().get("process")
        if not isinstance(process, int) or process <= 0:
            return False
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it is there, and another user's
            return True
        return True

    def save_changes(self, changes: dict[str, Any]) -> None:
        """Keep what was changed about the plan, for when the capture is gone on with."""
        replace_file_durably(self._folder / _CHANGES_FILE, json.dumps(changes).encode())

    def load_changes(self) -> dict[str, Any]:
        """What was changed about the plan while it was carried out."""
        return _read_object(self._folder / _CHANGES_FILE)


def _take_message(path: Path) -> ControlMessage | None:
    told = _read_object(path)
    path.unlink(missing_ok=True)
    values = told.get("values", {})
    order = told.get("order")
    if not isinstance(order, str) or order not in set(ControlCommand) or not isinstance(values, dict):
        return None
    return ControlMessage(ControlCommand(order), values)


def _read_object(path: Path) -> dict[str, Any]:
    try:
        told = read_json(path.read_bytes())
    except OSError:
        return {}
    return told if isinstance(told, dict) else {}
