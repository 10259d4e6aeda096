"""Readers of single values of a plan: numbers, sizes, durations; what cannot be meant is told in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from webkeep.crawl.plan import Browsing, Subsites
from webkeep.crawl.strategies import PURPOSES, STRATEGY_NAMES
from webkeep.errors import UsageError
from webkeep.fetch.proxy import parse_proxy
from webkeep.frontier.policy import RobotsMode
from webkeep.url import Extent

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]?i?b?)", re.IGNORECASE).fullmatch
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(s|m|h|d|)", re.IGNORECASE).fullmatch
_COUNT = re.compile(r"[0-9][0-9,_]{0,15}").fullmatch
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def size_of(value: Any) -> int:
    """A number of bytes, as 5000 or 10MB."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE(str(value).strip())
    if match is None:
        raise UsageError(f"{value!r} is no size; write it as 5000, 500kB, 10MB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2].lower().removesuffix("b")])


def seconds_of(value: Any) -> float:
    """A number of seconds, as 2, 0.5, 90s, 10m or 2h."""
    match = _DURATION(str(value).strip()) if not isinstance(value, bool) else None
    if match is None:
        raise UsageError(f"{value!r} is no duration; write it as 2, 0.5, 90s, 10m or 2h")
    return float(match[1]) * _SECONDS[match[2].lower()]


def count_of(value: Any) -> int:
    """A whole number, at least 0."""
    text = str(value).strip()
    if isinstance(value, bool) or not _COUNT(text):
        raise ValueError("give a whole number, 0 or more")
    return int(text.replace(",", "").replace("_", ""))


def positive(value: Any) -> int:
    """A whole number, at least 1."""
    with suppress(ValueError):
        if (number := count_of(value)) >= 1:
            return number
    raise ValueError("give a whole number, 1 or more")


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError("give true or false")
    return value


def text_of(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError("give a text")
    return value


def words_of(value: Any) -> str:
    """A text that says something."""
    if not text_of(value).strip():
        raise ValueError("it says nothing; write it out or leave it out")
    if not value.isprintable():
        raise ValueError("it has line ends or control characters in it; write it on one line")
    return str(value)


def target_of(value: Any) -> str:
    """A file that can be made."""
    if not Path(words_of(value)).absolute().parent.is_dir():
        raise ValueError("there is no such directory; make it first")
    return str(value)


def proxy_of(value: Any) -> str:
    """A proxy's URL."""
    parse_proxy(text_of(value))
    return str(value)


def texts_of(value: Any) -> list[str]:
    """A text, or a list of them."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        # The value is not shown: it may hold a password.
        raise UsageError("give a text, or a list of texts")
    return list(given)


def extent_of(value: Any) -> Extent:
    """How far around a seed."""
    if not isinstance(value, str) or value not in set(Extent):
        raise ValueError(f"it may be {', '.join(Extent)}")
    return Extent(value)


def strategy_of(value: Any) -> str:
    """The name of a strategy."""
    if not isinstance(value, str) or value not in STRATEGY_NAMES:
        raise ValueError(f"it may be {', '.join(STRATEGY_NAMES)}")
    return str(value)


def purpose_of(value: Any) -> str:
    """The strategy that serves what a capture is for."""
    if not isinstance(value, str) or value not in PURPOSES:
        raise ValueError(f"it may be {', '.join(PURPOSES)}")
    return PURPOSES[value]


def subsites_of(value: Any) -> Subsites:
    """What divides a site."""
    if not isinstance(value, str) or value not in set(Subsites):
        raise ValueError(f"it may be {', '.join(Subsites)}")
    return Subsites(value)


def browsing_of(value: Any) -> Browsing:
    """Which pages are run in a browser."""
    if not isinstance(value, str) or value not in set(Browsing):
        raise ValueError(f"it may be {', '.join(Browsing)}")
    return Browsing(value)


def mode_of(value: Any) -> RobotsMode:
    """What to make of robots.txt files."""
    if not isinstance(value, str) or value not in set(RobotsMode):
        raise ValueError(f"it may be {', '.join(RobotsMode)}")
    return RobotsMode(value)


def budget_of(value: Any) -> int | None:
    """A number, or none."""
    return None if value in ("none", "off") else count_of(value)
