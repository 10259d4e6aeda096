"""Values that are known to be secret, hidden wherever they are written down, in Base64 or behind escapes: what of a
login (password, cookies, local storage) counts as such, and how much that was learned is kept.

Each is looked for as it is, in Base64, and behind the escapes of pages, forms, JSON and URLs, however often these were
made. What a person gave is never forgotten; of what is learned on the way, the latest is known.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from webkeep.redaction.names.credential_names import secrecy_of
from webkeep.redaction.values.unescaped_text import UnescapedText, unescape_layer
from webkeep.redaction.values.value_index import MIN_INDEXED_CHARS, ValueIndex

_MIN_STORED_CHARS = 16
"""Shorter values of a store are settings rather than secrets, and words of every page."""
_MIN_GIVEN_CHARS = 6
"""Shorter values count as words, and are not looked for in Base64."""
_MAX_LEARNED_VALUES, _MAX_LEARNED_CHARS = 2000, 4096
"""Values that turned up on the way and are still looked for."""
_MAX_ESCAPE_LAYERS = 4
"""How often a value may have been escaped: programs do it twice or thrice, and each time costs a search."""
_URL_SAFE = str.maketrans("+/", "-_")
_PRINTABLE_TOKEN = re.compile(r"[!-~]+").fullmatch
_ADDRESS_STARTS = ("/", "http:", "https:")


class KnownValues:
    """Hides values in texts."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._given, self._learned = ValueIndex(), ValueIndex()
        self._short: list[str] = []
        self._recent: dict[str, None] = {}
        """What was learned, the oldest first."""
        self._has_spaces = self._is_any = False
        for value in values:
            self._add_given(value)

    def __bool__(self) -> bool:
        return self._is_any

    def learn(self, values: Iterable[str]) -> None:
        """Know what turns up on the way; where it is too much, the oldest of it is forgotten, and nothing else."""
        for value in values:
            if len(value) < MIN_INDEXED_CHARS or len(value) > _MAX_LEARNED_CHARS:
                continue
            is_new = self._recent.pop(value, value) is value
            self._recent[value] = None
            if is_new:
                self._is_any = True
                self._has_spaces |= " " in value
                for spelling in _spellings(value):
                    self._learned.add(spelling)
                self._forget_oldest()

    def hide_values(self, text: str, word: str) -> tuple[str, int]:
        """The text with a word in place of each of them, and how many there were."""
        if not self._is_any or not (spans := sorted(set(self._find(text)))):
            return text, 0
        out: list[str] = []
        at = count = 0
        for begin, end in spans:
            if begin >= at:
                out += (text[at:begin], word)
                count += 1
            at = max(at, end)
        out.append(text[at:])
        return "".join(out), count

    def hide_in_bytes(self, data: bytes, word: str) -> tuple[bytes, int]:
        """The same for bytes of any kind."""
        text, count = self.hide_values(data.decode("latin-1"), word)
        return (text.encode("latin-1"), count) if count else (data, 0)

    def occur_in(self, text: str) -> bool:
        """Whether any of them is in a text."""
        return next(self._find(text), None) is not None

    def _add_given(self, value: str) -> None:
        self._is_any |= bool(value)
        self._has_spaces |= " " in value
        for spelling in _spellings(value):
            if len(spelling) >= MIN_INDEXED_CHARS:
                self._given.add(spelling)
            elif spelling and spelling not in self._short:
                self._short.append(spelling)

    def _forget_oldest(self) -> None:
        while len(self._recent) > _MAX_LEARNED_VALUES:
            oldest = next(iter(self._recent))
            del self._recent[oldest]
            for spelling in _spellings(oldest):
                self._learned.remove(spelling)

    def _find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where they are in a text, however deep they are escaped."""
        if not self._is_any:
            return
        yield from self._find_escaped(text)
        if self._has_spaces and "+" in text:
            yield from self._find_escaped(text.replace("+", " "))

    def _find_escaped(self, text: str) -> Iterator[tuple[int, int]]:
        layers: list[UnescapedText] = []
        while True:
            for begin, end in self._find_plain(text, is_spaced=bool(layers)):
                for layer in reversed(layers):
                    begin, end = layer.source_span(begin, end)
                yield begin, end
            if len(layers) == _MAX_ESCAPE_LAYERS or (undone := unescape_layer(text)) is None:
                return
            layers.append(undone)
            text = undone.text

    def _find_plain(self, text: str, is_spaced: bool) -> Iterator[tuple[int, int]]:
        if is_spaced and self._has_spaces and "+" in text:
            yield from self._find_plain(text.replace("+", " "), is_spaced=False)
        yield from self._given.find(text)
        yield from self._learned.find(text)
        for value in self._short:
            at = text.find(value)
            while at >= 0:
                yield at, at + len(value)
                at = text.find(value, at + len(value))


def stored_secrets(stores: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """What is secret in the local storage of a login, by origin."""
    for store in stores.values():
        for value in store.values():
            yield from _find_secrets(value)


def cookie_secrets(name: str, value: str) -> Iterator[str]:
    """What is secret of a cookie: its value where that looks like chance, and both together as scripts see them."""
    if value and (_is_random(value) or secrecy_of(name) is not None):
        yield f"{name}={value}"
    if len(value) >= _MIN_STORED_CHARS or _is_random(value):
        yield value


def login_secrets(user: str, password: str) -> Iterator[str]:
    """What is secret of a name and a password; a password that is a word would hide that word in every page."""
    yield base64.b64encode(f"{user}:{password}".encode()).decode()
    if len(password) >= _MIN_STORED_CHARS or _is_random(password):
        yield password


def header_secrets(value: str) -> Iterator[str]:
    """What is secret of a field that a person gave: all of it, and the last word, before which a scheme may stand."""
    for each in {value, value.rpartition(" ")[2]}:
        if len(each) >= _MIN_STORED_CHARS or _is_random(each):
            yield each


def _is_random(text: str) -> bool:
    """Whether it is no word, number or date: letters beside digits, or of both cases within."""
    has_digits, has_letters = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    within = text[1:]
    has_cases = within != within.lower() and within != within.upper()
    return len(text) >= _MIN_GIVEN_CHARS and ((has_digits and has_letters) or has_cases)


def _spellings(value: str) -> set[str]:
    """A value, its bytes, and what of it stands in Base64 wherever it begins there."""
    data = value.encode("utf-8", "surrogatepass")
    found = {value, data.decode("latin-1")}
    for offset, lead in enumerate((0, 2, 3)) if len(data) >= _MIN_GIVEN_CHARS else ():
        packed = base64.b64encode(bytes(offset) + data).decode()[lead : (offset + len(data)) * 8 // 6]
        found |= {packed, packed.translate(_URL_SAFE)}
    return found


def _find_secrets(value: str) -> Iterator[str]:
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
    return (
        len(text) >= _MIN_STORED_CHARS and _PRINTABLE_TOKEN(text) is not None and not text.startswith(_ADDRESS_STARTS)
    )
