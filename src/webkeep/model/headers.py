"""Headers: names and values in the order they came, looked up without regard to case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_MISSING = "\0"


@dataclass(frozen=True, slots=True)
class Headers:
    """An ordered list of fields; a name may occur many times."""

    fields: tuple[tuple[str, str], ...] = ()
    _first: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, lines: Iterable[str], blank: str) -> Headers:
        """The fields of lines `name: value`, less the blanks around both; lines without a colon are no fields."""
        fields: list[tuple[str, str]] = []
        first: dict[str, str] = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                name, value = name.strip(blank), value.strip(blank)
                fields.append((name, value))
                first.setdefault(name.lower(), value)
        return cls.made(tuple(fields), first)

    @classmethod
    def made(cls, fields: tuple[tuple[str, str], ...], first: Mapping[str, str]) -> Headers:
        """Fields whose first values by lower-case name are at hand already."""
        headers = cls(fields)
        headers._first.update(first)
        return headers

    def get(self, name: str, default: str = "") -> str:
        """The first value of that name."""
        return self.first.get(name.lower(), default)

    @property
    def first(self) -> Mapping[str, str]:
        """The first value of every name, by its name in lower case."""
        if not self._first and self.fields:
            self._first.update((key.lower(), value) for key, value in reversed(self.fields))
        return self._first

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
        return self.get(name, _MISSING) is not _MISSING

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)
