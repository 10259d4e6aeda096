"""JSON that anybody may have written, taken apart field by field into texts, counts, moments and digests, with one kind
of error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from webkeep.errors import FormatError, UsageError
from webkeep.formats import read_json
from webkeep.model import Digest, Moment


def parse_json_fields(data: bytes) -> JsonFields:
    """The object that the bytes are."""
    values = read_json(data)
    if values is None:
        raise FormatError("this is no JSON that can be read")
    return JsonFields.from_value(values)


@dataclass(frozen=True, slots=True)
class JsonFields:
    """The fields of a JSON object, each of the type it should have."""

    values: Mapping[str, Any]

    @classmethod
    def from_value(cls, values: object) -> JsonFields:
        """The fields of what should be an object."""
        if not isinstance(values, dict):
            raise FormatError(f"an object was expected, and not {_shorten_value(values)}")
        return cls(values)

    def get(self, name: str) -> Any:
        """Whatever a field holds; one that is missing is an error."""
        if name not in self.values:
            raise FormatError(f"the field {name} is missing")
        return self.values[name]

    def text(self, name: str) -> str:
        """A text."""
        value = self.get(name)
        if not isinstance(value, str):
            raise self._type_error(name, "a text")
        return value

    def boolean(self, name: str) -> bool:
        """True or false."""
        value = self.get(name)
        if not isinstance(value, bool):
            raise self._type_error(name, "true or false")
        return value

    def count(self, name: str) -> int:
        """A whole number, not negative."""
        value = self.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
            raise self._type_error(name, "a count")
        return value

    def optional_count(self, name: str) -> int | None:
        """The same, or nothing."""
        return None if self.get(name) is None else self.count(name)

    def optional_number(self, name: str) -> float | None:
        """A finite number that is not negative, or nothing."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e300:
            raise self._type_error(name, "a number")
        number = float(value)
        if not isfinite(number):
            raise self._type_error(name, "a number")
        return number

    def moment(self, name: str) -> Moment:
        """A moment as certificates write it."""
        text = self.text(name)
        try:
            moment = Moment.parse(text)
            is_usual = moment.iso() == text
        except (UsageError, OverflowError) as error:
            raise self._type_error(name, "a moment") from error
        if not is_usual:
            raise self._type_error(name, "a moment in UTC")
        return moment

    def optional_moment(self, name: str) -> Moment | None:
        """The same, or nothing."""
        return None if self.get(name) is None else self.moment(name)

    def moments(self, name: str) -> tuple[Moment, ...]:
        """A list of moments."""
        return tuple(JsonFields({name: each}).moment(name) for each in self.rows(name))

    def optional_digest(self, name: str) -> Digest | None:
        """A digest as certificates write it, or nothing."""
        if self.get(name) is None:
            return None
        digest = Digest.parse(self.text(name))
        if digest is None or str(digest) != self.text(name):
            raise self._type_error(name, "a digest")
        return digest

    def rows(self, name: str) -> list[Any]:
        """A list."""
        value = self.get(name)
        if not isinstance(value, list):
            raise self._type_error(name, "a list")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        rows = self.rows(name)
        if not all(isinstance(each, str) for each in rows):
            raise self._type_error(name, "a list of texts")
        return tuple(rows)

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An object of any fields."""
        return JsonFields.from_value(self.get(name)).values

    def inner(self, name: str) -> JsonFields:
        """An object."""
        return JsonFields.from_value(self.get(name))

    def optional_inner(self, name: str) -> JsonFields | None:
        """The same, or nothing."""
        return None if self.get(name) is None else self.inner(name)

    def _type_error(self, name: str, wanted: str) -> FormatError:
        return FormatError(f"the field {name} should be {wanted}, and not {_shorten_value(self.values[name])}")


def _shorten_value(value: object) -> str:
    return repr(value)[:80] if isinstance(value, str | int | float | None) else type(value).__name__
