"""Typed values as JSON, both ways, and the JSON Schema of them: what is taken, what is told and what is described are
one and the same dataclass.

A field is text, a number, a truth, a moment, an enum, an object of anything, a list of one of these, another dataclass,
or one of these or null. What an annotation says beside its type is said of it in the description.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any

from webkeep.errors import UsageError
from webkeep.model import Moment

_PLAIN_NAMES: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_SHOWN_CHARS = 80
"""Of a value that is refused: enough to find it by."""
_MAX_DIGITS = 15
"""Of a number in a query: as many as every reader of JSON keeps exactly."""


def read_typed(kind: type, data: object) -> Any:
    """The value of a dataclass that a JSON object says; whatever is wrong with it is told in one line."""
    if not isinstance(data, Mapping):
        raise UsageError("what is sent must be a JSON object, in UTF-8; look at /api for what it may say")
    known = _annotations_of(kind)
    if unknown := sorted(str(name) for name in data if name not in known):
        raise UsageError(f"there is no field {unknown[0][:_SHOWN_CHARS]!r} here; the fields are {', '.join(known)}")
    values = {name: _read_field(name, known[name], value) for name, value in data.items()}
    for each in fields(kind):
        if each.name not in values and _is_required(each):
            raise UsageError(f"the field {each.name} is missing; say it")
    return kind(**values)


def read_words(kind: type, words: Mapping[str, list[str]]) -> Any:
    """The value of a dataclass that the query of an URL says, where everything is text."""
    known = _annotations_of(kind)
    return read_typed(kind, {name: _value_of_words(known.get(name), given) for name, given in words.items()})


def write_typed(value: object) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Moment):  # a dataclass, too
        return value.iso()
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: write_typed(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(name): write_typed(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [write_typed(each) for each in value]
    return value


def describe_typed(kind: Any, named: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a type; those of dataclasses are put into `named`, and referred to."""
    if is_dataclass(kind) and isinstance(kind, type) and kind is not Moment:
        if kind.__name__ not in named:
            named[kind.__name__] = {}
            named[kind.__name__] = _describe_fields(kind, named)
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
    inner, doc = _split_annotated(kind)
    if doc:
        described = describe_typed(inner, named)
        return {**described, "description": doc}
    if (options := _alternatives_of(kind)) is not None:
        return {"anyOf": [describe_typed(each, named) for each in options]}
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (list, tuple):
        return {"type": "array", "items": describe_typed(arguments[0], named)}
    if origin is not None and issubclass(origin, Mapping):
        of = describe_typed(arguments[1], named)
        return {"type": "object", "additionalProperties": of or True}
    return _describe_plain(kind)


def _describe_plain(kind: Any) -> dict[str, Any]:
    if kind is Any:
        return {}
    if kind is Moment:
        return {"type": "string", "format": "date-time"}
    if kind is types.NoneType:
        return {"type": "null"}
    if issubclass(kind, enum.Enum):
        return {"type": "string", "enum": [each.value for each in kind]}
    return {"type": _PLAIN_NAMES[kind]}


def _describe_fields(kind: type, named: dict[str, Any]) -> dict[str, Any]:
    annotations = _annotations_of(kind)
    schema: dict[str, Any] = {
        "type": "object",
        "description": (kind.__doc__ or "").partition("\n")[0],
        "properties": {name: describe_typed(each, named) for name, each in annotations.items()},
        "additionalProperties": False,
    }
    for each in fields(kind):
        if not _is_required(each) and each.default is not MISSING:
            schema["properties"][each.name]["default"] = write_typed(each.default)
    if required := [each.name for each in fields(kind) if _is_required(each)]:
        schema["required"] = required
    return schema


def list_typed_fields(kind: type) -> list[tuple[str, Any, bool]]:
    """The fields of a dataclass: name, type, and whether they must be said."""
    annotations = _annotations_of(kind)
    return [(each.name, annotations[each.name], _is_required(each)) for each in fields(kind)]


@cache
def _annotations_of(kind: type) -> Mapping[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return {each.name: hints[each.name] for each in fields(kind)}


def _is_required(each: Field[Any]) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _split_annotated(kind: Any) -> tuple[Any, str]:
    if typing.get_origin(kind) is not typing.Annotated:
        return kind, ""
    inner, *said = typing.get_args(kind)
    return inner, str(said[0])


def _alternatives_of(kind: Any) -> tuple[Any, ...] | None:
    return typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else None


def _read_field(name: str, kind: Any, value: object) -> Any:
    kind, _ = _split_annotated(kind)
    if (options := _alternatives_of(kind)) is not None:
        if value is None and types.NoneType in options:
            return None
        return _read_field(name, next(each for each in options if each is not types.NoneType), value)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (list, tuple):
        if not isinstance(value, list):
            raise UsageError(f"{name} must be a list, and not {_show(value)}")
        return tuple(_read_field(f"{name}[{place}]", arguments[0], each) for place, each in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise UsageError(f"{name} must be an object, and not {_show(value)}")
        return {
            str(key): _read_field(f"{name}.{key}"[:_SHOWN_CHARS], arguments[1], each) for key, each in value.items()
        }
    if is_dataclass(kind) and isinstance(kind, type) and kind is not Moment:
        return _read_inner(name, kind, value)
    return _read_plain(name, kind, value)


def _read_inner(name: str, kind: type, value: object) -> Any:
    try:
        return read_typed(kind, value)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def _read_plain(name: str, kind: Any, value: object) -> Any:
    if kind is Any:
        return value
    if kind is Moment and isinstance(value, str):
        return Moment.parse(value)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        found = next((each for each in kind if each.value == value), None)
        if found is None:
            names = ", ".join(str(each.value) for each in kind)
            raise UsageError(f"{name} is one of {names}, and not {_show(value)}")
        return found
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return _read_float(name, value)
    if type(value) is not kind:
        raise UsageError(f"{name} must be a {_PLAIN_NAMES.get(kind, 'string')}, and not {_show(value)}")
    return value


def _read_float(name: str, value: int) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise UsageError(f"{name} is too large a number; say less") from error


def _show(value: object) -> str:
    return repr(value)[:_SHOWN_CHARS]


def _value_of_words(kind: Any, given: list[str]) -> object:
    """What words of a query mean for a field: each a list of one, where it is not one of several."""
    kind, _ = _split_annotated(kind)
    if options := _alternatives_of(kind):
        kind = next(each for each in options if each is not types.NoneType)
    if typing.get_origin(kind) in (list, tuple):
        return given
    text = given[-1]
    if kind is int and text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS:
        return int(text)
    return {"true": True, "false": False}.get(text, text) if kind is bool else text
