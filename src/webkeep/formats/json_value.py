"""JSON that anybody may have written: a value, or nothing where it cannot be read."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

_MAYBE_HALVES = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_HALF = re.compile(r"[\ud800-\udfff]")


def read_json(data: bytes | str) -> Any:
    r"""The value that a JSON text is; None where it is none, nests too deeply or has numbers of thousands of digits.

    No value in it is one that trips up whoever takes it for what it seems to be. Numbers that are none (`NaN`,
    `Infinity`) or that no machine can have (`1e999`) are None. Halves of characters (`\ud800`), which neither a
    database nor UTF-8 takes, are U+FFFD.
    """
    try:
        text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
        value = json.loads(text, parse_float=_finite, parse_constant=_nothing)
        return _without_halves(value) if _MAYBE_HALVES.search(text) else value
    except (ValueError, RecursionError):
        return None


def _finite(text: str) -> float | None:
    number = float(text)
    return number if isfinite(number) else None


def _nothing(_name: str) -> None:
    return None


def _without_halves(value: Any) -> Any:
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case list():
            return [_without_halves(each) for each in value]
        case dict():
            return {_HALF.sub("\ufffd", name): _without_halves(each) for name, each in value.items()}
        case _:
            return value
