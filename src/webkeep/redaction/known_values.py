"""Values that are known to be secret: those of a login, and those a person gave; hidden wherever they are written down.

Each is looked for in every spelling that pages, forms and URLs may give it.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from webkeep.redaction.names import secrecy_of

_SHORTEST_STORED = 16
"""Shorter values of a store are settings rather than secrets, and words of every page."""
_SHORTEST_GIVEN = 6
_MOST = 5000
_TOKEN = re.compile(r"[!-~]+").fullmatch
_PLACES = ("/", "http:", "https:")


class KnownValues:
    """Hides values in texts."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None
        self.add(values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def add(self, values: Iterable[str]) -> None:
        """Know some more; where they are too many, those that were known longest are forgotten."""
        new = {spelling: None for value in values for spelling in _spellings(value) if spelling not in self._values}
        if new:
            self._values |= new
            while len(self._values) > _MOST:
                del self._values[next(iter(self._values))]
            longest_first = sorted(self._values, key=lambda each: (-len(each), each))
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def hide(self, text: str, word: str) -> tuple[str, int]:
        """The text with a word in place of each of them, and how many there were."""
        return (text, 0) if self._pattern is None else self._pattern.subn(lambda _: word, text)

    def are_in(self, text: str) -> bool:
        """Whether any of them is in a text."""
        return self._pattern is not None and self._pattern.search(text) is not None


def stored_secrets(stores: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """What is secret in the local storage of a login, by origin."""
    for store in stores.values():
        for value in store.values():
            yield from _secrets_in(value)


def cookie_secrets(name: str, value: str) -> Iterator[str]:
    """What is secret of a cookie: its value where that looks like chance, and both together as scripts see them."""
    if value and (_is_random(value) or secrecy_of(name) is not None):
        yield f"{name}={value}"
    if len(value) >= _SHORTEST_STORED or _is_random(value):
        yield value


def login_secrets(user: str, password: str) -> Iterator[str]:
    """What is secret of a name and a password; a password that is a word would hide that word in every page."""
    yield base64.b64encode(f"{user}:{password}".encode()).decode()
    if len(password) >= _SHORTEST_STORED or _is_random(password):
        yield password


def header_secrets(value: str) -> Iterator[str]:
    """What is secret of a field that a person gave: all of it, and the last word, before which a scheme may stand."""
    for each in {value, value.rpartition(" ")[2]}:
        if len(each) >= _SHORTEST_STORED or _is_random(each):
            yield each


def _is_random(text: str) -> bool:
    """Whether it is no word, number or date: letters beside digits, or of both cases within."""
    has_digits, has_letters = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    within = text[1:]
    has_cases = within != within.lower() and within != within.upper()
    return len(text) >= _SHORTEST_GIVEN and ((has_digits and has_letters) or has_cases)


def _spellings(value: str) -> Iterator[str]:
    yield value
    yield quote(value, safe="")
    yield quote_plus(value)
    yield quote(value)
    yield html.escape(value)
    yield json.dumps(value)[1:-1]
    yield json.dumps(value)[1:-1].replace("/", "\\/")


def _secrets_in(value: str) -> Iterator[str]:
    """What in a stored value is one: it, or what JSON in it holds."""
    if _is_secret(value):
        yield value
    try:
        waiting: list[Any] = [json.loads(value)] if value[:1] in '{["' else []
    except (ValueError, RecursionError):
        return
    while waiting:
        match waiting.pop():
            case str() as text if _is_secret(text):
                yield text
            case dict() as table:
                waiting.extend(table.values())
            case list() as items:
                waiting.extend(items)
            case _:
                pass


def _is_secret(text: str) -> bool:
    return len(text) >= _SHORTEST_STORED and _TOKEN(text) is not None and not text.startswith(_PLACES)
