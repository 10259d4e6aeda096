"""What the administrator says of recovery for visitors, in a file: without one there is none.

Repositories stand there by names for people, each with what `webkeep recover --from` takes; visitors choose among the
names. The file may name archives on this machine or in the house, which visitors may not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from webkeep.errors import UsageError

_LIVE_WEB = "live"
"""The one repository that would ask the very address that a visitor names."""


@dataclass(frozen=True, slots=True)
class VisitorTerms:
    """How long what is kept, and how often people are reminded."""

    confirm_days: int = 10
    keep_days: int = 28
    """So long a result is kept: several weeks, of which people are reminded."""
    confirm_reminder_days: int = 5
    """One reminder, after so long: whoever never asked for it is not to have more."""
    pickup_reminder_days: int = 7
    """From one reminder that a result waits to the next."""


@dataclass(frozen=True, slots=True)
class VisitorLimits:
    """How much visitors may ask for."""

    requests_a_day: int = 5
    """Of one address on the network, and of one mail address."""
    open_requests: int = 3
    """That are not over yet, of one of either."""
    waiting: int = 500
    """That are not over yet, of all together."""
    running: int = 2
    """So many recoveries of visitors are done at a time."""
    largest_gigabytes: int = 10
    """A recovery whose archive is larger is stopped."""


@dataclass(frozen=True, slots=True)
class VisitorSettings:
    """How visitors may recover."""

    repositories: Mapping[str, str]
    """What `--from` takes, by the names that people see."""
    terms: VisitorTerms = field(default_factory=VisitorTerms)
    limits: VisitorLimits = field(default_factory=VisitorLimits)


def read_visitor_settings(path: Path) -> VisitorSettings:
    """What a file in TOML says of recovery for visitors."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read {path} ({error}); it has a table [repositories] in TOML") from error
    repositories = values.pop("repositories", None)
    if not isinstance(repositories, dict) or not repositories:
        raise UsageError(f'{path} has no table [repositories]; write lines such as "Internet Archive" = "wayback"')
    for name, source in repositories.items():
        if not isinstance(source, str) or not source.strip():
            raise UsageError(f"{path}: {name} is no text; write what --from of webkeep recover takes")
        if source.strip().split()[0].lower() == _LIVE_WEB:
            raise UsageError(f"{path}: visitors are not to have the live web asked for what they name; leave live out")
    terms, limits = _read_numbers(VisitorTerms, values, path), _read_numbers(VisitorLimits, values, path)
    if values:
        known = sorted(name for kind in (VisitorTerms, VisitorLimits) for name in _names_of(kind))
        raise UsageError(f"{path} says {sorted(values)[0]}, which there is not; there is {', '.join(known)}")
    return VisitorSettings(dict(repositories), VisitorTerms(**terms), VisitorLimits(**limits))


def _names_of(kind: type) -> dict[str, str]:
    return {each.name.replace("_", "-"): each.name for each in fields(kind)}


def _read_numbers(kind: type, values: dict[str, object], path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, own in _names_of(kind).items():
        if name not in values:
            continue
        value = values.pop(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UsageError(f"{path}: {name} is a whole number, 1 or more")
        found[own] = value
    return found
