"""Relative links within a copy: from the file of one URL to that of another, and which characters are percent-encoded
for browsers that read from a disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

_SAFE_IN_LEAF = "/,=@+-_.~!$'()*;&"
_SAFE_IN_STEPS = "/,=@+-_.~!$()*;"
"""Ways are put before all kinds of names, with nothing in them that markup would have to spell otherwise."""
_UNQUOTED = re.compile(r"[A-Za-z0-9/,=@+_.~!$'()*;&-]*").fullmatch
_MAX_FOLDERS, _MAX_TARGETS = 200, 250
"""Paths that are remembered, from so many folders to so many: beyond, all are worked out anew."""


def relative_href(source: str, target: str) -> str:
    """The reference from one name to another, both with slashes below one folder."""
    return FolderPaths().href(source.rpartition("/")[0], target)


def quote_leaf(name: str) -> str:
    """The name of a file within its folder, as references spell it."""
    # A colon needs it too: before the first slash it would make a scheme of what stands before it.
    return name if _UNQUOTED(name) else quote(name, safe=_SAFE_IN_LEAF)


class FolderPaths:
    """The ways from folder to folder, each found once."""

    def __init__(self) -> None:
        self._paths: dict[str, _PathsFrom] = {}

    def href(self, folder: str, target: str) -> str:
        """The reference from a file in a folder to a name."""
        goal, _, leaf = target.rpartition("/")
        return self.paths_from(folder)[goal] + quote_leaf(leaf)

    def paths_from(self, folder: str) -> Mapping[str, str]:
        """The way from a folder to any other: empty, or with a slash at its end."""
        ways = self._paths.get(folder)
        if ways is None:
            if len(self._paths) >= _MAX_FOLDERS:
                self._paths.clear()
            ways = self._paths[folder] = _PathsFrom(folder)
        return ways


class _PathsFrom(dict[str, str]):
    """The ways from one folder."""

    def __init__(self, folder: str) -> None:
        self._steps = _path_steps(folder)

    def __missing__(self, goal: str) -> str:
        here, there = self._steps, _path_steps(goal)
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        down = "".join(f"{quote(step, safe=_SAFE_IN_STEPS)}/" for step in there[common:])
        if len(self) >= _MAX_TARGETS:
            self.clear()
        way = self[goal] = "../" * (len(here) - common) + down
        return way


def _path_steps(folder: str) -> list[str]:
    return folder.split("/") if folder else []
