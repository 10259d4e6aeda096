"""The file in an archive's folder in which people set what is noise: how it is written, and what is wrong with it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from webkeep.change.detection.change_category import NoiseKind
from webkeep.change.detection.noise_rule import HandRule
from webkeep.errors import UsageError
from webkeep.url import LinearPattern

NOISE_FILE = "noise.toml"
"""The name of the file in an archive's folder."""
_MAX_RULES = 1000
"""In one file: each is held against every block of a page that changed."""
_KEYS = ("element", "text", "link", "kind")


def parse_noise_rules(text: str, source: str = NOISE_FILE) -> tuple[HandRule, ...]:
    """The rules of a file: a table `[[ignore]]` each, with an element, a text or a link, and maybe its kind."""
    try:
        tables = tomllib.loads(text).get("ignore", [])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{source} is no TOML ({error}); mend it") from error
    if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
        raise UsageError(f"{source} has no tables [[ignore]]; write each rule under one")
    if len(tables) > _MAX_RULES:
        raise UsageError(f"{source} has {len(tables):,} rules; {_MAX_RULES:,} are taken")
    return tuple(_parse_rule(table, f"rule {number} of {source}") for number, table in enumerate(tables, 1))


def _parse_rule(table: Mapping[str, object], where: str) -> HandRule:
    for key, value in table.items():
        if key not in _KEYS:
            raise UsageError(f"{where} has {key!r}; use {', '.join(_KEYS)}")
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{where} gives no text for {key!r}; put one in quotes")
    values = {key: str(value) for key, value in table.items()}
    kind = values.pop("kind", NoiseKind.VARYING)
    if kind not in list(NoiseKind):
        raise UsageError(f"{where} is of kind {kind!r}; use one of {', '.join(NoiseKind)}")
    if not values:
        raise UsageError(f"{where} names nothing; give an element, a text or a link")
    text, link = (LinearPattern(values[key]) if key in values else None for key in ("text", "link"))
    return HandRule(NoiseKind(kind), values.get("element", "").strip(), text, link)
