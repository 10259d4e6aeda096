"""Doors that cost nothing to pass: a package offers names of its modules, and a module is loaded with its first name.

The `__init__` of a package names what it offers twice: as imports for people and type checkers, and for
`lazy_exports`, by module. A test holds the two equal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_exports(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """The `__getattr__` of a package that offers these names of these modules."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def load_export(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    sys.modules[package].__dict__["__all__"] = sorted(module_of)
    return load_export
