"""What a directory holds, read out of the lists that FTP servers send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

_UNIX = re.compile(r"([-dlbcps])[-rwxsStTlL]{9}\S*\s+(?:\S+\s+){2,4}\d+\s+\S{3}\s+\d{1,2}\s+[\d:]{4,5} (.+)")
_DOS = re.compile(r"\d\d-\d\d-\d{2,4}\s+\d\d:\d\d(?:[AP]M)?\s+(<DIR>|[\d,.]+)\s+(.+)")
_HEADING = re.compile(r"total \d+")
_LONGEST = 4096


def children(directory: str, listing: str) -> tuple[str, ...]:
    """The URLs of the files and directories in a list of the directory at that URL.

    Bytes that are no UTF-8 are expected as Python escapes them, so that they come out as they were.
    """
    names = (name.encode("utf-8", "surrogateescape") for name in _names(listing))
    return tuple(dict.fromkeys(directory + quote(name) for name in names))


def _names(listing: str) -> Iterator[str]:
    for line in listing.splitlines():
        name, is_directory = _entry(line[:_LONGEST].rstrip())
        if name and name not in (".", "..") and "/" not in name:
            yield f"{name}/" if is_directory else name


def _entry(line: str) -> tuple[str, bool]:
    if match := _UNIX.fullmatch(line):
        name = match[2].partition(" -> ")[0] if match[1] == "l" else match[2]
        return (name, match[1] == "d") if match[1] in "-dl" else ("", False)
    if match := _DOS.fullmatch(line):
        return match[2], match[1] == "<DIR>"
    return ("", False) if _HEADING.fullmatch(line) else (line, False)
