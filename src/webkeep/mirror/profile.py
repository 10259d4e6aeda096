"""Profiles: what names a file system can hold, and which names it takes for the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MARK: Final = ","
"""Stands in no plain name: what follows it was added."""

_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE | re.DOTALL
)
_PORTABLE = re.compile(r"[a-z0-9_=@+-][a-z0-9_=@+.-]*")
_ISO_LEFT_OUT = re.compile(r"[^A-Z0-9]+")
_FORBIDDEN = '<>:"/\\|?*,'


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The rules of a kind of file system."""

    name: str
    is_plain: Callable[[str], bool]
    """Whether text can be a name as it is, with nothing lost and none other taken for it."""
    visible: Callable[[str], str]
    """What is shown of text that cannot be a name as it is."""
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


def _is_safe(text: str) -> bool:
    return not text.endswith((".", " ")) and not text.startswith((" ", ".")) and _RESERVED.fullmatch(text) is None


def _is_portable(text: str) -> bool:
    return _PORTABLE.fullmatch(text) is not None and _is_safe(text)


def _is_windows(text: str) -> bool:
    is_allowed = all(char.isprintable() and char not in _FORBIDDEN for char in text)
    return is_allowed and _is_safe(text) and _folded(text) == text


def _is_unix(text: str) -> bool:
    is_allowed = all(char.isprintable() and char not in "/," for char in text)
    return is_allowed and not text.startswith((".", "-")) and unicodedata.normalize("NFC", text) == text


def _never(_text: str) -> bool:
    return False


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _readable(text: str) -> str:
    """Letters and digits of any script as they are, everything else as low lines."""
    shown = "".join(char if char.isalnum() or char in "-=." else "_" for char in unicodedata.normalize("NFC", text))
    shown = re.sub(r"__+", "_", shown).strip("._")
    return f"_{shown}" if _RESERVED.fullmatch(shown) else shown


def _iso(text: str) -> str:
    return _ISO_LEFT_OUT.sub("_", text.upper()).strip("_")[:12]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


PORTABLE = Profile("portable", _is_portable, _readable, _folded, 96, 12, 200)
WINDOWS = Profile("windows", _is_windows, _readable, _folded, 96, 12, 200)
UNIX = Profile("unix", _is_unix, _readable, str, 250, 60, 3800, _bytes)
ISO9660 = Profile("iso9660", _never, _iso, str.upper, 30, 7, 200, upper=True)

PROFILES: Final = {each.name: each for each in (PORTABLE, UNIX, WINDOWS, ISO9660)}
"""The profiles by the names that people use."""
