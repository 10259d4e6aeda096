"""Calls of programs held against what functions say of their arguments: a slip is told in one line, before anything is
done for it.

Type checkers say the same earlier; who has none would otherwise hear of it from deep inside, or not at all: `"no"` is
true, and a text where a list is meant is a list of letters. What is within lists and mappings is looked at where these
are read.
"""

from __future__ import annotations

import enum
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import cache, wraps
from itertools import repeat
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from webkeep.errors import UsageError
from webkeep.model import Moment

_Options = ParamSpec("_Options")
_Result = TypeVar("_Result")

_MAX_SHOWN_CHARS = 80
"""Of a value that cannot be; enough to know it again."""
_WORDS: Mapping[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    os.PathLike: "a Path",
    Moment: "a Moment",
    datetime: "a datetime",
    date: "a date",
    Callable: "a function",
}
"""What people call the types that arguments have."""


def check_arguments(function: Callable[_Options, _Result]) -> Callable[_Options, _Result]:
    """Have a function refuse values of types that its annotations do not name; None is the same as not given."""

    @wraps(function)
    def call(*args: _Options.args, **kwargs: _Options.kwargs) -> _Result:
        parameters, kinds = _read_parameters(function)
        for name, value in (*zip(_list_places(parameters, len(args)), args, strict=False), *kwargs.items()):
            if name in kinds:
                _check_value(parameters[name], value, kinds[name])
        for name in [each for each, value in kwargs.items() if value is None and each in kinds]:
            if parameters[name].default is not inspect.Parameter.empty:
                del kwargs[name]
        return function(*args, **kwargs)

    return call


@cache
def _read_parameters(function: Callable[..., object]) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any]]:
    """The parameters of a function by name, and their types; options that are a mapping of their own have none here."""
    parameters = inspect.signature(function).parameters
    kinds = get_type_hints(function)
    named = [each.name for each in parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    return parameters, {name: kinds[name] for name in named}


def _list_places(parameters: Mapping[str, inspect.Parameter], count: int) -> Iterator[str]:
    """The names of the parameters that so many values by themselves are for; what has no place is Python's to tell."""
    for each in parameters.values():
        if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            yield each.name
        elif each.kind is inspect.Parameter.VAR_POSITIONAL:
            yield from repeat(each.name, count)


def _check_value(parameter: inspect.Parameter, value: object, kind: Any) -> None:
    is_left_open = value is None and parameter.default is not inspect.Parameter.empty
    if is_left_open or _is_of_kind(value, kind):
        return
    name = parameter.name
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL and isinstance(value, list | tuple | set):
        raise UsageError(f"{name} are given one by one; put a star before the list, as in f(*{name})")
    shown = repr(value)
    shown = shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[:_MAX_SHOWN_CHARS]}…"
    raise UsageError(f"{name} cannot be {shown}; give {' or '.join(dict.fromkeys(_describe_kinds(kind)))}")


def _is_of_kind(value: object, kind: Any) -> bool:
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return any(_is_of_kind(value, each) for each in get_args(kind))
    if origin is Literal:
        return any(value == each and type(value) is type(each) for each in get_args(kind))
    if kind is None or kind is Any:
        return kind is Any or value is None
    if isinstance(value, bool):
        return origin in (bool, object)
    if origin is Iterable:
        return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return isinstance(value, int | float if origin is float else origin)


def _describe_kinds(kind: Any) -> Iterator[str]:
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        choices = [each for each in parts if isinstance(each, type) and issubclass(each, enum.Enum)]
        for each in parts:
            if each is not NoneType and not (each is str and choices):
                yield from _describe_kinds(each)
    elif origin is Literal:
        yield from map(repr, parts)
    elif origin is Iterable:
        yield f"a list of {'texts' if parts == (str,) else 'paths'}"
    elif isinstance(origin, type) and issubclass(origin, enum.Enum):
        yield from (repr(each.value) for each in origin)
    else:
        yield _WORDS.get(origin, f"a {getattr(origin, '__name__', origin)}")
