"""Rates that a person gives (`--rates`): how a file of URLs, each with how often it changes in a day, is read, and what
is said of wrong lines.
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.url import normalize_url

_SECONDS_PER_DAY = 86400.0
"""Rates are written by the day, and reckoned with by the second."""


def read_rates_file(path: Path) -> dict[str, float]:
    """The rates in changes a second, by URL; empty lines and those that begin with # are passed over."""
    rates: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and not line.startswith("#"):
                    url, rate = _parse_entry(line, f"{path}, line {number}")
                    rates[url] = rate
    except OSError as error:
        raise UsageError(f"cannot read the rates {path} ({error.strerror}); give a file that is there") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the rates {path} are not UTF-8; save them as UTF-8") from error
    return rates


def _parse_entry(line: str, source: str) -> tuple[str, float]:
    words = line.split()
    advice = "write a URL and how often it changes in a day, such as https://example.org/ 0.5"
    if len(words) != 2 or (url := normalize_url(words[0])) is None:
        raise UsageError(f"{source}: {line.strip()[:80]!r} is no rate; {advice}")
    try:
        rate = float(words[1])
    except ValueError:
        rate = -1.0
    if not isfinite(rate) or rate < 0:
        raise UsageError(f"{source}: {words[1][:40]!r} is no number of changes; {advice}")
    return url.partition("#")[0], rate / _SECONDS_PER_DAY
