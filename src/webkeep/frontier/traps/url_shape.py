"""Shapes of URLs: what many addresses of one kind have in common, with # for digits and * for anything, in a text that
people can read and make a scope rule of.

`#` stands for digits and `*` for anything; with `*` for both it is the text of a scope rule.
"""

from __future__ import annotations

import re

_DIGITS = re.compile(r"[0-9]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}\Z")
_MAX_SHAPE_CHARS = 200
"""Longer shapes are cut, for people to read."""
_PREFIX_CHARS = 40
"""So much of a very long address stands for all that begin like it."""
_MAX_QUERY_NAMES = 12
"""Parameters of a query that its shape names: enough to tell shapes apart, for people to read."""


def shape_of(url: str) -> str:
    """The shape of a URL: its last name is anything, numbers elsewhere are numbers, a query is known by its names."""
    path, mark, query = url.partition("://")[2].partition("?")
    host, slash, rest = path.partition("/")
    if mark:
        shape = f"{_DIGITS.sub('#', rest)}?{_query_shape(query)}"
    else:
        folders, _, last = rest[:-1].rpartition("/")
        ending = rest[-1:] if rest.endswith("/") else ""
        shape = f"{_DIGITS.sub('#', folders)}{'/' if folders else ''}{_name_shape(last + rest[-1:])}{ending}"
    return truncate_shape(f"{host}{slash}{shape}")


def folder_shape(url: str) -> str:
    """The shape of the folder a URL lies in."""
    path = url.partition("://")[2].partition("?")[0]
    host, slash, rest = path.rpartition("/")[0].partition("/")
    return truncate_shape(f"{host}{slash}{_DIGITS.sub('#', rest)}/*")


def prefix_shape(url: str) -> str:
    """The shape of all URLs that begin like this one, which is long: more than the host, and to the letter."""
    host, slash, rest = url.partition("://")[2].partition("/")
    return f"{host}{slash}{rest[:_PREFIX_CHARS]}*"


def rule_text(shape: str) -> str:
    """The text of the scope rule that takes in all URLs of a shape."""
    return shape.replace("#", "*").replace("…", "*")


def is_whole_host(shape: str) -> bool:
    """Whether a shape says nothing but where its URLs lie."""
    rest = shape.partition("/")[2].rstrip("/")
    return bool(rest) and not rest.strip("*#…")


def truncate_shape(shape: str) -> str:
    """The beginning of a shape that is longer than anyone reads."""
    return shape if len(shape) <= _MAX_SHAPE_CHARS else shape[:_MAX_SHAPE_CHARS] + "…"


def _name_shape(name: str) -> str:
    if not name or name == "/":
        return ""
    extension = _EXTENSION.search(name)
    return f"*{extension[0]}" if extension else "*"


def _query_shape(query: str) -> str:
    names = query.split("&", _MAX_QUERY_NAMES)
    shapes = [_assignment_shape(each) for each in names[:_MAX_QUERY_NAMES]]
    return "&".join(shapes) + ("…" if len(names) > _MAX_QUERY_NAMES else "")


def _assignment_shape(assignment: str) -> str:
    name, equals, value = assignment.partition("=")
    named = _DIGITS.sub("#", name)
    return named if not equals else f"{named}={'#' if value.isdigit() else '*' if value else ''}"
