"""Doors that cost nothing to pass: a package offers names of its modules, and a module is loaded with its first name.

The `__init__` of a package names what it offers twice: as imports for people and type checkers, and for
`lazy_exports`, by module. A test holds the two equal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType


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


def open_package_door(package: str, modules: Mapping[str, tuple[str, ...]], submodules: tuple[str, ...]) -> None:
    """Have a package offer these names, and show exactly them, for programs that use it from outside.

    Some are spelled as rooms are (`mirror`, `recover`). Python would put a room in the place of the function once
    anything is imported from it, so the functions are kept in theirs; rooms are found where they are imported from.
    """
    load_export = lazy_exports(package, modules)
    offered = sorted({*sys.modules[package].__dict__["__all__"], *submodules, "__version__"})

    def load_name(name: str) -> object:
        return import_module(f"{package}.{name}") if name in submodules else load_export(name)

    class PackageDoor(ModuleType):
        """A package whose functions are not replaced by rooms of the same name."""

        def __setattr__(self, name: str, value: object) -> None:
            if not (isinstance(value, ModuleType) and name in offered and name not in submodules):
                super().__setattr__(name, value)

        def __dir__(self) -> list[str]:
            return offered

    door = sys.modules[package]
    door.__dict__["__all__"] = offered
    door.__dict__["__getattr__"] = load_name
    door.__class__ = PackageDoor
