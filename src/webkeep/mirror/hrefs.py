"""Links within a copy: from the file of one URL to that of another, as browsers read them from a disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

_SAFE = "/,=@+-_.~!$'()*;&"
_SAFE_IN_STEPS = "/,=@+-_.~!$()*;"
"""Ways are put before all kinds of names, with nothing in them that markup would have to spell otherwise."""
_NEEDS_NOTHING = re.compile(r"[A-Za-z0-9/,=@+_.~!$'()*;&-]*").fullmatch
_MOST_FOLDERS, _MOST_GOALS = 200, 250


def relative(source: str, target: str) -> str:
    """The reference from one name to another, both with slashes below one folder."""
    return Ways().href(source.rpartition("/")[0], target)


def spelled_leaf(name: str) -> str:
    """The name of a file within its folder, as references spell it."""
    # A colon needs it too: before the first slash it would make a scheme of what stands before it.
    return name if _NEEDS_NOTHING(name) else quote(name, safe=_SAFE)


class Ways:
    """The ways from folder to folder, each found once."""

    def __init__(self) -> None:
        self._ways: dict[str, _WaysFrom] = {}

    def href(self, folder: str, target: str) -> str:
        """The reference from a file in a folder to a name."""
        goal, _, leaf = target.rpartition("/")
        return self.leaving(folder)[goal] + spelled_leaf(leaf)

    def leaving(self, folder: str) -> Mapping[str, str]:
        """The way from a folder to any other: empty, or with a slash at its end."""
        ways = self._ways.get(folder)
        if ways is None:
            if len(self._ways) >= _MOST_FOLDERS:
                self._ways.clear()
            ways = self._ways[folder] = _WaysFrom(folder)
        return ways


class _WaysFrom(dict[str, str]):
    """The ways from one folder."""

    def __init__(self, folder: str) -> None:
        self._steps = _steps(folder)

    def __missing__(self, goal: str) -> str:
        here, there = self._steps, _steps(goal)
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        down = "".join(f"{quote(step, safe=_SAFE_IN_STEPS)}/" for step in there[common:])
        if len(self) >= _MOST_GOALS:
            self.clear()
        way = self[goal] = "../" * (len(here) - common) + down
        return way


def _steps(folder: str) -> list[str]:
    return folder.split("/") if folder else []
