"""What a command says: results and JSON on standard output, notes and the status line on standard error. Here are
decided how prose is wrapped, and that bytes which could disturb a terminal are kept off it.

Much of what is said was written by strangers. People and terminals get it with every control character shown as an
escape; programs get JSON, whose escapes mean the very character.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
import threading
from collections.abc import Iterable, Mapping
from typing import BinaryIO, TextIO

from webkeep.cli.output.table import cell_width, cut_to_width
from webkeep.errors import UsageError
from webkeep.presentation import TerminalGuard, escape_controls, escape_json_controls
from webkeep.process import redirect_to_null

_MAX_PROSE_COLUMNS = 110
"""Lines of prose that are longer tire the reader."""


class Output:
    """Where a command prints; the same calls serve people and, with `--json`, programs."""

    def __init__(self, as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._status = ""
        self._is_alone = False
        self._lock = threading.RLock()

    def note(self, text: str) -> None:
        """A line for the person watching."""
        with self._lock:
            self._clear_status()
            self._print_message(escape_controls(text) + "\n")

    def status(self, text: str) -> None:
        """Lines that stand on the terminal only until the next ones, or anything else, are said."""
        with self._lock:
            self._clear_status()
            if text and self.is_watched:
                most = _terminal_columns(self._err) - 1
                self._status = "\n".join(cut_to_width(escape_controls(line), most) for line in text.split("\n"))
                self._print_message(self._status)

    def line(self, text: str = "") -> None:
        """A line of the result itself; programs get it as events instead."""
        if not self.as_json:
            with self._lock:
                self._clear_status()
                _print(escape_controls(text), self._out)

    def prose(self, text: str) -> None:
        """Sentences of the result; a terminal gets them in lines that break between words."""
        most = min(_terminal_columns(self._out), _MAX_PROSE_COLUMNS) if self.is_terminal else 0
        for line in textwrap.wrap(text, most - 1, subsequent_indent="  ", break_on_hyphens=False) if most else [text]:
            self.line(line)

    def event(self, name: str, /, **facts: object) -> None:
        """A fact for programs, one JSON object to a line; people do not see it."""
        if self.as_json:
            self._print_json({"event": name, **facts})

    def summary(self, facts: Mapping[str, object], text: str = "") -> None:
        """The last word: one JSON object for programs, a line for people."""
        if self.as_json:
            self._print_json(facts)
        elif text:
            # What was printed comes before the word about it, also where both go to one screen.
            self._out.flush()
            self.note(text)

    def content(self, pieces: Iterable[bytes], anywhere: bool = False) -> int:
        """Bytes of the result as they are, and how many they were; a terminal gets only text that cannot disturb it."""
        self._out.flush()
        target: BinaryIO = self._out.buffer
        guard = TerminalGuard() if self.is_terminal and not anywhere else None
        size = 0
        for piece in pieces:
            if guard is not None and not guard.is_safe(piece):
                advice = "choose --output FILE, or --output - to print it all the same"
                raise UsageError(f"this is not plain text and could disturb the terminal; {advice}")
            size += target.write(piece)
        target.flush()
        return size

    @property
    def is_terminal(self) -> bool:
        """Whether a person sees the result as it is printed."""
        return self._out.isatty()

    @property
    def is_watched(self) -> bool:
        """Whether a person sees what is said besides the result."""
        return not self._is_alone and self._err.isatty()

    def _clear_status(self) -> None:
        if self._status:
            *above, last = self._status.split("\n")
            wiped = [
                f"\r{' ' * cell_width(last)}\r",
                *(f"\x1b[A{' ' * cell_width(line)}\r" for line in reversed(above)),
            ]
            self._print_message("".join(wiped))
            self._status = ""

    def _print_message(self, text: str) -> None:
        """Print for the person watching; where nobody is left to watch, the work goes on without a word."""
        if self._is_alone:
            return
        try:
            _print(text, self._err, end="")
            self._err.flush()
        except OSError:
            self._is_alone = True
            redirect_to_null(self._err)

    def _print_json(self, facts: Mapping[str, object]) -> None:
        only_ascii = (self._out.encoding or "utf-8").lower().replace("-", "") != "utf8"
        line = json.dumps(facts, ensure_ascii=only_ascii, default=str)
        with self._lock:
            self._clear_status()
            print(escape_json_controls(line), file=self._out, flush=True)


def _print(text: str, stream: TextIO, end: str = "\n") -> None:
    try:
        print(text, file=stream, end=end)
    except UnicodeEncodeError:
        print(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding), file=stream, end=end)


def _terminal_columns(terminal: TextIO) -> int:
    # A terminal that does not know its size says 0, and one that is gone nothing at all.
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except OSError:
        return 80
