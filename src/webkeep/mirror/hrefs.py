"""Links within a copy: from the file of one URL to that of another, as browsers read them from a disk."""

from __future__ import annotations

import re
from urllib.parse import quote

_SAFE = "/,=@+-_.~!$'()*;&"
_NEEDS_NOTHING = re.compile(r"[A-Za-z0-9/,=@+_.~!$'()*;&-]*").fullmatch
_MOST_WAYS = 50_000


def relative(source: str, target: str) -> str:
    """The reference from one name to another, both with slashes below one folder."""
    return Ways().href(source.rpartition("/")[0], target)


class Ways:
    """The ways from folder to folder, each found once."""

    def __init__(self) -> None:
        self._ways: dict[tuple[str, str], str] = {}

    def href(self, folder: str, target: str) -> str:
        """The reference from a file in a folder to a name."""
        goal, _, file = target.rpartition("/")
        if not _NEEDS_NOTHING(file):
            # A colon is among it: before the first slash it would make a scheme of what stands before it.
            file = quote(file, safe=_SAFE)
        if goal == folder:
            return file
        way = self._ways.get((folder, goal))
        return (self._found(folder, goal) if way is None else way) + file

    def _found(self, folder: str, goal: str) -> str:
        here, there = _steps(folder), _steps(goal)
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        down = "".join(f"{quote(step, safe=_SAFE)}/" for step in there[common:])
        if len(self._ways) >= _MOST_WAYS:
            self._ways.clear()
        way = self._ways[folder, goal] = "../" * (len(here) - common) + down
        return way


def _steps(folder: str) -> list[str]:
    return folder.split("/") if folder else []
