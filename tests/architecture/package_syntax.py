"""The syntax of the package, read once for all tests that look at it and forgotten behind the last of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from structure import Module, link_imports, read_modules


@cache
def modules() -> dict[str, Module]:
    """All modules by their names below the package, with what they import."""
    found = read_modules()
    link_imports(found)
    return found


def forget() -> None:
    """Give the memory back: a million nodes make every collection of garbage slow."""
    modules.cache_clear()
    _strings_of.cache_clear()


def files() -> dict[str, Module]:
    """All modules by their paths below the package."""
    return {module.file: module for module in modules().values()}


def strings_of(module: Module) -> list[tuple[int, str]]:
    """The texts of a module, bytes among them, but for those that only its reader sees; with their lines."""
    return _strings_of(module.name)


@cache
def _strings_of(name: str) -> list[tuple[int, str]]:
    return list(_read_strings(modules()[name]))


def _read_strings(module: Module) -> Iterator[tuple[int, str]]:
    prose = {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}
    for node in module.nodes:
        if isinstance(node, ast.Constant) and id(node) not in prose and isinstance(node.value, str | bytes):
            yield node.lineno, node.value if isinstance(node.value, str) else node.value.decode("latin-1")
