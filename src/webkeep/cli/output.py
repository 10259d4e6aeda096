"""What a command says: lines for people on standard error, results and JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TextIO


class Output:
    """Where a command prints; the same calls serve people and, with `--json`, programs."""

    def __init__(self, as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout
        self._err = err or sys.stderr

    def note(self, text: str) -> None:
        """A line for the person watching."""
        print(text, file=self._err, flush=True)

    def line(self, text: str) -> None:
        """A line of the result itself; programs get it as events instead."""
        if not self.as_json:
            print(text, file=self._out)

    def event(self, name: str, /, **facts: object) -> None:
        """A fact for programs, one JSON object to a line; people do not see it."""
        if self.as_json:
            self._json({"event": name, **facts})

    def summary(self, facts: Mapping[str, object], text: str = "") -> None:
        """The last word: one JSON object for programs, a line for people."""
        if self.as_json:
            self._json(facts)
        elif text:
            self.note(text)

    def _json(self, facts: Mapping[str, object]) -> None:
        print(json.dumps(facts, ensure_ascii=False, default=str), file=self._out, flush=True)
