"""Profiles: what names a file system can hold, and which names it takes for the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE | re.DOTALL
)
_ISO_LEFT_OUT = re.compile(r"[^A-Z0-9]+")
_FORBIDDEN = frozenset('<>:"/\\|?*')
_HIDDEN_AND_HARMLESS = frozenset({".well-known"})
"""Other names that begin with a dot tell servers and systems what to do."""
_ORDINARY = re.compile(r"[A-Za-z0-9_~+=@][A-Za-z0-9_~+=@,;!$&'() -]*+").fullmatch
_NOTHING = "_"


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The rules of a kind of file system."""

    name: str
    fitted: Callable[[str, bool], str]
    """The nearest to a text that can be a name; told whether an extension follows it."""
    folded: Callable[[str], str]
    """Names of which this is the same are one name to the file system."""
    longest: int
    """Characters of a name."""
    deepest: int
    """Directories above a file, its host's included."""
    longest_path: int
    size: Callable[[str], int] = len
    """What the lengths are counted in."""
    upper: bool = False
    """Whether names are in capitals, and always have a hash."""
    question: str = "_"
    """What stands before a query."""
    dash: str = "-"
    """What stands before a number."""


def _portable(text: str, is_stem: bool) -> str:
    if _ORDINARY(text) and not text.endswith(" ") and _RESERVED.fullmatch(text) is None:
        return text
    kept = "".join(char if char.isprintable() and char not in _FORBIDDEN else "_" for char in text)
    kept = kept.lstrip(" ") if is_stem else kept.lstrip(" ").rstrip(" .")
    return _unhidden(f"_{kept}" if _RESERVED.fullmatch(kept) else kept)


def _unix(text: str, _is_stem: bool) -> str:
    kept = "".join(char if char.isprintable() and char != "/" else "_" for char in text)
    return _unhidden(f"_{kept}" if kept.startswith("-") else kept)


def _unhidden(text: str) -> str:
    if not text.strip("."):
        return _NOTHING * (len(text) or 1)
    return f"_{text}" if text.startswith(".") and text not in _HIDDEN_AND_HARMLESS else text


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _iso(text: str, _is_stem: bool) -> str:
    return _ISO_LEFT_OUT.sub("_", text.upper()).strip("_")[:12]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


PORTABLE = Profile("portable", _portable, _folded, 96, 12, 200)
WINDOWS = Profile("windows", _portable, _folded, 96, 12, 200)
UNIX = Profile("unix", _unix, str, 250, 60, 3800, _bytes, question="?")
ISO9660 = Profile("iso9660", _iso, str.upper, 30, 7, 200, upper=True, dash="_")

PROFILES: Final = {each.name: each for each in (PORTABLE, UNIX, WINDOWS, ISO9660)}
"""The profiles by the names that people use."""
