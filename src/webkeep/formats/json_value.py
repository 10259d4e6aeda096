"""JSON that anybody may have written: a value, or nothing where it cannot be read or nests too deeply; NaN, numbers
that no machine can have and lone surrogates in it are replaced.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

_MAYBE_SURROGATES = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_json(data: bytes | str) -> Any:
    r"""The value that a JSON text is; None where it is none, nests too deeply or has numbers of thousands of digits.

    No value in it is one that trips up whoever takes it for what it seems to be. Numbers that are none (`NaN`,
    `Infinity`) or that no machine can have (`1e999`) are None. Halves of characters (`\ud800`), which neither a
    database nor UTF-8 takes, are U+FFFD.
    """
    try:
        text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
        value = json.loads(text, parse_float=_parse_finite, parse_constant=_parse_constant)
        return _replace_surrogates(value) if _MAYBE_SURROGATES.search(text) else value
    except (ValueError, RecursionError):
        return None


def has_twin_keys(data: bytes) -> bool:
    """Whether an object of a JSON text has a name twice, so that two readers see two texts."""
    twins: list[bool] = []

    def take_pairs(pairs: list[tuple[str, object]]) -> None:
        twins.append(len({name for name, _ in pairs}) != len(pairs))

    try:
        json.loads(data, object_pairs_hook=take_pairs)
    except (ValueError, RecursionError):
        return False  # no JSON at all, which is for others to tell
    return any(twins)


def _parse_finite(text: str) -> float | None:
    number = float(text)
    return number if isfinite(number) else None


def _parse_constant(_name: str) -> None:
    return None


def _replace_surrogates(value: Any) -> Any:
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [_replace_surrogates(each) for each in value]
        case dict():
            return {_SURROGATE.sub("\ufffd", name): _replace_surrogates(each) for name, each in value.items()}
        case _:
            return value
