"""Profiles (`--profile`): which characters and reserved names a file system cannot hold, which names it takes for the
same (case), and how long and how deep they may be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_WINDOWS_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE | re.DOTALL
)
_ISO_LEFT_OUT = re.compile(r"[^A-Z0-9]+")
_FORBIDDEN_CHARS = frozenset('<>:"/\\|?*')
_HIDDEN_AND_HARMLESS = frozenset({".well-known"})
"""Other names that begin with a dot tell servers and systems what to do."""
_ORDINARY_NAME = re.compile(r"[A-Za-z0-9_~+=@][A-Za-z0-9_~+=@,;!$&'() -]*+").fullmatch
_EMPTY_NAME = "_"


@dataclass(frozen=True, slots=True, eq=False)
class FileSystemProfile:
    """The rules of a kind of file system."""

    name: str
    fit: Callable[[str, bool], str]
    """The nearest to a text that can be a name; told whether an extension follows it."""
    fold: Callable[[str], str]
    """Names of which this is the same are one name to the file system."""
    max_name_size: int
    """Characters of a name."""
    max_depth: int
    """Directories above a file, its host's included."""
    max_path_size: int
    size: Callable[[str], int] = len
    """What the lengths are counted in."""
    is_uppercase: bool = False
    """Whether names are in capitals, and always have a hash."""
    query_mark: str = "_"
    """What stands before a query."""
    dash: str = "-"
    """What stands before a number."""


def _fit_portable(text: str, is_stem: bool) -> str:
    if _ORDINARY_NAME(text) and not text.endswith(" ") and _WINDOWS_RESERVED.fullmatch(text) is None:
        return text
    kept = "".join(char if char.isprintable() and char not in _FORBIDDEN_CHARS else "_" for char in text)
    kept = kept.lstrip(" ") if is_stem else kept.lstrip(" ").rstrip(" .")
    return _unhide(f"_{kept}" if _WINDOWS_RESERVED.fullmatch(kept) else kept)


def _fit_unix(text: str, _is_stem: bool) -> str:
    kept = "".join(char if char.isprintable() and char != "/" else "_" for char in text)
    return _unhide(f"_{kept}" if kept.startswith("-") else kept)


def _unhide(text: str) -> str:
    if not text.strip("."):
        return _EMPTY_NAME * (len(text) or 1)
    return f"_{text}" if text.startswith(".") and text not in _HIDDEN_AND_HARMLESS else text


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _fit_iso9660(text: str, _is_stem: bool) -> str:
    return _ISO_LEFT_OUT.sub("_", text.upper()).strip("_")[:12]


def _utf8_size(text: str) -> int:
    return len(text.encode("utf-8"))


PORTABLE = FileSystemProfile("portable", _fit_portable, _fold_case, 96, 12, 200)
WINDOWS = FileSystemProfile("windows", _fit_portable, _fold_case, 96, 12, 200)
UNIX = FileSystemProfile("unix", _fit_unix, str, 250, 60, 3800, _utf8_size, query_mark="?")
ISO9660 = FileSystemProfile("iso9660", _fit_iso9660, str.upper, 30, 7, 200, is_uppercase=True, dash="_")

PROFILES: Final = {each.name: each for each in (PORTABLE, UNIX, WINDOWS, ISO9660)}
"""The profiles by the names that people use."""
