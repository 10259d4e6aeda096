"""A shell in a terminal of its own, by tmux: what is typed goes in, what a person would see comes out."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 60.0
_PAUSE = 0.05


class Terminal:
    """A terminal of 120 columns with a shell in it."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def run(self, *words: str) -> str:
        """A command of tmux; gives what it prints."""
        done = subprocess.run(["tmux", "-S", str(self._socket), *words], capture_output=True, text=True, check=True)
        return done.stdout

    def press(self, *keys: str) -> None:
        """Press keys by the names that tmux has for them."""
        self.run("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self.run("send-keys", "-l", text)

    def screen(self) -> str:
        """What stands on the screen."""
        return self.run("capture-pane", "-p")

    def wait_for(self, text: str) -> str:
        """Wait until a text stands on the screen; gives the screen."""
        deadline = time.monotonic() + _PATIENCE
        while text not in (seen := self.screen()):
            assert time.monotonic() < deadline, f"{text!r} is not on the screen:\n{seen}"
            time.sleep(_PAUSE)
        return seen


@contextmanager
def terminal(folder: Path, *shell: str) -> Iterator[Terminal]:
    """A terminal with a shell, which knows nothing of the person who runs the tests, in a folder."""
    opened = Terminal(folder / "tmux.socket")
    words = ["env", f"HOME={folder}", "PS1=> ", "TERM=screen", *shell]
    opened.run("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "-c", str(folder), *words)
    try:
        yield opened
    finally:
        opened.run("kill-server")
