"""Headers: names and values of HTTP and WARC fields in the order they came, looked up without regard to case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

_PLAIN_NAME = re.compile(r"[!#-'*+.0-9A-Z^-z|~-]{1,100}")
_MAX_CACHED_NAMES = 2000
"""Names beyond are made anew each time: what strangers send must not fill memory."""


class _LowercaseNames(dict[str, str]):
    """Names of fields in lower case: the same few come again and again, so they are made once."""

    def __missing__(self, name: str) -> str:
        if not _PLAIN_NAME.fullmatch(name):
            raise KeyError(name)
        key = name.lower()
        if len(self) < _MAX_CACHED_NAMES:
            self[name] = key
        return key


_LOWERCASE_NAMES = _LowercaseNames()


class Headers:
    """An ordered list of fields; a name may occur many times.

    It is a value and never changes. Most are only looked into, so the fields are made when they are asked for.
    """

    __slots__ = ("_fields", "_lines", "first")

    def __init__(self, fields: tuple[tuple[str, str], ...] = ()) -> None:
        self._fields: tuple[tuple[str, str], ...] | None = fields
        self._lines: Sequence[str] = ()
        self.first: Mapping[str, str] = {name.lower(): value for name, value in reversed(fields)}
        """The first value of every name, by its name in lower case."""

    @classmethod
    def parse_lines(cls, lines: Iterable[str], blank: str) -> Headers:
        """The fields of lines `name: value`, less the blanks around both; lines without a colon are no fields."""
        fields: list[tuple[str, str]] = []
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                fields.append((name.strip(blank), value.strip(blank)))
        return cls(tuple(fields))

    @classmethod
    def parse_plain_lines(cls, lines: Sequence[str]) -> Headers | None:
        """The fields of lines that are all `Name: value` and need no stripping; None where one is not."""
        first: dict[str, str] = {}
        try:
            for line in reversed(lines):
                name, _, value = line.partition(": ")
                if not value or value.strip() != value:
                    return None
                first[_LOWERCASE_NAMES[name]] = value
        except KeyError:
            return None
        headers = cls.__new__(cls)
        headers._fields, headers._lines, headers.first = None, lines, first
        return headers

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Every name with its value."""
        if self._fields is None:
            self._fields = tuple([(name, value) for name, _, value in [line.partition(": ") for line in self._lines]])
        return self._fields

    def get(self, name: str, default: str = "") -> str:
        """The first value of that name."""
        return self.first.get(name.lower(), default)

    def all(self, name: str) -> list[str]:
        """Every value of that name."""
        wanted = name.lower()
        return [value for key, value in self.fields if key.lower() == wanted]

    def with_field(self, name: str, value: str) -> Headers:
        """The same fields with this one in place of all of its name, at the first one's position or the end."""
        wanted = name.lower()
        kept: list[tuple[str, str]] = []
        placed = False
        for key, old in self.fields:
            if key.lower() != wanted:
                kept.append((key, old))
            elif not placed:
                kept.append((name, value))
                placed = True
        return Headers(tuple(kept if placed else [*kept, (name, value)]))

    def without(self, *names: str) -> Headers:
        """The same fields less those of these names."""
        dropped = {name.lower() for name in names}
        return Headers(tuple(each for each in self.fields if each[0].lower() not in dropped))

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.first

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __eq__(self, other: object) -> bool:
        return self.fields == other.fields if isinstance(other, Headers) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fields)

    def __repr__(self) -> str:
        return f"Headers({self.fields!r})"


# The heads that most messages and records have: every line is `Name: value`, with nothing to be stripped or mended. A
# head of eight lines takes 3.1 µs instead of 4.5 (`bench.quick_paths`), and saves the decoding line by line besides;
# `test_a_plain_head_says_what_any_head_of_its_lines_says` holds both to the same.


def parse_plain_head(text: str) -> tuple[str, Headers] | None:
    """The first line and the fields of a head that ends with an empty line; None where it must be read with care."""
    lines = text.split("\r\n")
    if text.count("\n") >= len(lines):
        return None
    headers = Headers.parse_plain_lines(lines[1:-2])
    return None if headers is None else (lines[0], headers)
