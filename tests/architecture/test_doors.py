"""Doors: what a room offers to others stands in its `__init__`, and nobody reaches past it."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module

import pytest
from floors import FLOOR_OF
from package_syntax import modules
from structure import PACKAGE, Module
from test_floors import room_modules

DOORS = sorted(
    ".".join(path.parent.relative_to(PACKAGE).parts)
    for path in PACKAGE.rglob("__init__.py")
    if "lazy_exports(" in path.read_text()
)


def test_other_rooms_are_entered_by_their_doors() -> None:
    assert [each for module in room_modules() for each in _ways_past_doors(module)] == []


def _ways_past_doors(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("webkeep."):
            source = (node.module or "").removeprefix("webkeep.")
            room = source.partition(".")[0]
            place = PACKAGE / source.replace(".", "/")
            if room == module.room:
                continue
            if room in FLOOR_OF and "." in source and not place.is_dir():
                yield f"{module.name}:{node.lineno} reaches past a door: {source}"
            if inside := {alias.name for alias in node.names if (place / f"{alias.name}.py").exists()}:
                yield f"{module.name}:{node.lineno} takes modules out of {source}: {inside}"


@pytest.mark.parametrize("name", DOORS)
def test_doors_offer_what_they_name(name: str) -> None:
    door = modules()[name]
    checked: dict[str, set[str]] = defaultdict(set)
    for node in door.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"webkeep.{name}."):
            checked[(node.module or "").removeprefix(f"webkeep.{name}.")] |= {alias.name for alias in node.names}
    (loaded,) = [ast.literal_eval(node) for node in door.nodes if isinstance(node, ast.Dict)]
    assert {module: set(names) for module, names in loaded.items()} == checked
    package = import_module(f"webkeep.{name}")
    for module, names in loaded.items():
        for each in names:
            assert getattr(package, each) is getattr(import_module(f"webkeep.{name}.{module}"), each)
            # A module of that name would take its place once it is imported.
            assert not (door.path.parent / f"{each}.py").exists()
            assert not (door.path.parent / each).exists()
