"""Doors: what a room offers to others stands in its `__init__`, and nobody reaches past it."""

import ast
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest
from test_floors import FLOOR_OF, PACKAGE, ROOM_MODULES, room_of

DOORS = sorted(path for path in PACKAGE.rglob("__init__.py") if "lazy_exports(" in path.read_text())
DOOR_NAMES = [".".join(path.parent.relative_to(PACKAGE).parts) for path in DOORS]


@pytest.mark.parametrize(("name", "path"), ROOM_MODULES, ids=[name for name, _ in ROOM_MODULES])
def test_other_rooms_are_entered_by_their_doors(name: str, path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("webkeep."):
            source = (node.module or "").removeprefix("webkeep.")
            place = PACKAGE / source.replace(".", "/")
            if room_of(source) != room_of(name) and room_of(source) in FLOOR_OF and "." in source:
                assert place.is_dir(), f"{name}:{node.lineno} reaches past a door: {source}"
            offered = {alias.name for alias in node.names}
            inside = {each for each in offered if (place / f"{each}.py").exists()}
            if room_of(source) != room_of(name):
                assert not inside, f"{name}:{node.lineno} takes modules out of {source}: {inside}"


@pytest.mark.parametrize(("name", "path"), list(zip(DOOR_NAMES, DOORS, strict=True)), ids=DOOR_NAMES)
def test_doors_offer_what_they_name(name: str, path: Path) -> None:
    tree = ast.parse(path.read_text())
    checked: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"webkeep.{name}."):
            checked[(node.module or "").removeprefix(f"webkeep.{name}.")] |= {alias.name for alias in node.names}
    (loaded,) = [ast.literal_eval(node) for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    assert {module: set(names) for module, names in loaded.items()} == checked
    package = import_module(f"webkeep.{name}")
    for module, names in loaded.items():
        for each in names:
            assert getattr(package, each) is getattr(import_module(f"webkeep.{name}.{module}"), each)
            # A module of that name would take its place once it is imported.
            assert not (path.parent / f"{each}.py").exists()
            assert not (path.parent / each).exists()
