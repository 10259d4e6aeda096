"""Rates and weights that a person gives (`--rates`, `--weights`): how files of URLs, each with how often it changes in
a day or with how much it matters, are read, and what is said of wrong lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.url import normalize_url

_SECONDS_PER_DAY = 86400.0
"""Rates are written by the day, and reckoned with by the second."""


@dataclass(frozen=True, slots=True)
class _NumberKind:
    """What the numbers of a file are, in the words for wrong lines."""

    one: str
    many: str
    number: str
    advice: str


_RATES = _NumberKind(
    "rate", "rates", "number of changes",
    "write a URL and how often it changes in a day, such as https://example.org/ 0.5",
)  # fmt: skip
_WEIGHTS = _NumberKind(
    "weight", "weights", "weight",
    "write a URL and how much it matters, where other pages have 1, such as https://example.org/ 5",
)  # fmt: skip


def read_rates_file(path: Path) -> dict[str, float]:
    """The rates in changes a second, by URL; empty lines and those that begin with # are passed over."""
    return {url: rate / _SECONDS_PER_DAY for url, rate in _read_numbers(path, _RATES).items()}


def read_weights_file(path: Path) -> dict[str, float]:
    """The weights by URL; what is not named has 1."""
    return _read_numbers(path, _WEIGHTS)


def _read_numbers(path: Path, kind: _NumberKind) -> dict[str, float]:
    numbers: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for place, line in enumerate(lines, 1):
                if line.strip() and not line.startswith("#"):
                    url, number = _parse_entry(line, f"{path}, line {place}", kind)
                    numbers[url] = number
    except OSError as error:
        raise UsageError(f"cannot read the {kind.many} {path} ({error.strerror}); give a file that is there") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the {kind.many} {path} are not UTF-8; save them as UTF-8") from error
    return numbers


def _parse_entry(line: str, source: str, kind: _NumberKind) -> tuple[str, float]:
    words = line.split()
    if len(words) != 2 or (url := normalize_url(words[0])) is None:
        raise UsageError(f"{source}: {line.strip()[:80]!r} is no {kind.one}; {kind.advice}")
    try:
        number = float(words[1])
    except ValueError:
        number = -1.0
    if not isfinite(number) or number < 0:
        raise UsageError(f"{source}: {words[1][:40]!r} is no {kind.number}; {kind.advice}")
    return url.partition("#")[0], number
