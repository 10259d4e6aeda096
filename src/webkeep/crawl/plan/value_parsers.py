"""Readers of single values of a plan: how sizes (10MB), durations (90s), counts, flags and the names of modes are
written, and what is said of a value that cannot be meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from webkeep.crawl.plan.capture_plan import BrowserMode, Subsites
from webkeep.crawl.plan.strategies import PURPOSES, STRATEGY_NAMES
from webkeep.errors import UsageError
from webkeep.fetch import parse_proxy
from webkeep.frontier.policy import RobotsMode
from webkeep.url.scope import ScopeExtent

_match_size = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]?i?b?)", re.IGNORECASE).fullmatch
_BYTES_PER_UNIT = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}
_match_duration = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(s|m|h|d|)", re.IGNORECASE).fullmatch
_match_count = re.compile(r"[0-9][0-9,_]{0,15}").fullmatch
_SECONDS_PER_UNIT = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}

LEASE_SCHEMES = ("postgresql://", "postgres://")
"""By which a database is told from a file, as the place where captures take turns at hosts."""


def parse_size(value: Any) -> int:
    """A number of bytes, as 5000 or 10MB."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _match_size(str(value).strip())
    if match is None:
        raise UsageError(f"{value!r} is no size; write it as 5000, 500kB, 10MB or 2GiB")
    return int(float(match[1]) * _BYTES_PER_UNIT[match[2].lower().removesuffix("b")])


def parse_seconds(value: Any) -> float:
    """A number of seconds, as 2, 0.5, 90s, 10m or 2h."""
    match = _match_duration(str(value).strip()) if not isinstance(value, bool) else None
    if match is None:
        raise UsageError(f"{value!r} is no duration; write it as 2, 0.5, 90s, 10m or 2h")
    return float(match[1]) * _SECONDS_PER_UNIT[match[2].lower()]


def parse_count(value: Any) -> int:
    """A whole number, at least 0."""
    text = str(value).strip()
    if isinstance(value, bool) or not _match_count(text):
        raise ValueError("give a whole number, 0 or more")
    return int(text.replace(",", "").replace("_", ""))


def parse_positive(value: Any) -> int:
    """A whole number, at least 1."""
    with suppress(ValueError):
        if (number := parse_count(value)) >= 1:
            return number
    raise ValueError("give a whole number, 1 or more")


def parse_flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError("give true or false")
    return value


def parse_text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError("give a text")
    return value


def parse_line(value: Any) -> str:
    """A text that says something."""
    if not parse_text(value).strip():
        raise ValueError("it says nothing; write it out or leave it out")
    if not value.isprintable():
        raise ValueError("it has line ends or control characters in it; write it on one line")
    return str(value)


def parse_new_file(value: Any) -> str:
    """A file that can be made."""
    if not Path(parse_line(value)).absolute().parent.is_dir():
        raise ValueError("there is no such directory; make it first")
    return str(value)


def parse_lease_place(value: Any) -> str:
    """A file that can be made, or the address of a PostgreSQL database."""
    text = parse_line(value)
    return text if text.startswith(LEASE_SCHEMES) else parse_new_file(value)


def parse_proxy_url(value: Any) -> str:
    """A proxy's URL."""
    parse_proxy(parse_text(value))
    return str(value)


def parse_texts(value: Any) -> list[str]:
    """A text, or a list of them."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        # The value is not shown: it may hold a password.
        raise UsageError("give a text, or a list of texts")
    return list(given)


def parse_extent(value: Any) -> ScopeExtent:
    """How far around a seed."""
    if not isinstance(value, str) or value not in set(ScopeExtent):
        raise ValueError(f"it may be {', '.join(ScopeExtent)}")
    return ScopeExtent(value)


def parse_strategy(value: Any) -> str:
    """The name of a strategy."""
    if not isinstance(value, str) or value not in STRATEGY_NAMES:
        raise ValueError(f"it may be {', '.join(STRATEGY_NAMES)}")
    return str(value)


def parse_purpose(value: Any) -> str:
    """The strategy that serves what a capture is for."""
    if not isinstance(value, str) or value not in PURPOSES:
        raise ValueError(f"it may be {', '.join(PURPOSES)}")
    return PURPOSES[value]


def parse_subsites(value: Any) -> Subsites:
    """What divides a site."""
    if not isinstance(value, str) or value not in set(Subsites):
        raise ValueError(f"it may be {', '.join(Subsites)}")
    return Subsites(value)


def parse_browser_mode(value: Any) -> BrowserMode:
    """Which pages are run in a browser."""
    if not isinstance(value, str) or value not in set(BrowserMode):
        raise ValueError(f"it may be {', '.join(BrowserMode)}")
    return BrowserMode(value)


def parse_robots_mode(value: Any) -> RobotsMode:
    """What to make of robots.txt files."""
    if not isinstance(value, str) or value not in set(RobotsMode):
        raise ValueError(f"it may be {', '.join(RobotsMode)}")
    return RobotsMode(value)


def parse_budget(value: Any) -> int | None:
    """A number, or none."""
    return None if value in ("none", "off") else parse_count(value)
