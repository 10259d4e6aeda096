"""The floors of the design: imports point down, rooms below the line do no I/O, nothing goes in circles."""

import ast
from collections.abc import Iterator

from floors import FLOOR_OF, LINE
from package_syntax import modules
from structure import Module

IO_MODULES = {
    "asyncio", "ftplib", "http.client", "http.server", "multiprocessing", "os", "pathlib", "random", "secrets",
    "select", "shutil", "signal", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading",
    "time", "urllib.request", "uuid",
}  # fmt: skip
IO_CALLS = {"open", "input", "print"}
CLOCK_CALLS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}


def room_modules() -> list[Module]:
    return [module for module in modules().values() if module.room not in {"__init__", "__main__"}]


def room_of(name: str) -> str:
    return name.partition(".")[0]


def imports_of(module: Module) -> set[str]:
    """Every module a file imports, in full."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module.name}: imports are absolute"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def webkeep_imports(module: Module) -> set[str]:
    names = {name.removeprefix("webkeep.") for name in imports_of(module) if name.startswith("webkeep.")}
    return {name for name in names if room_of(name) in FLOOR_OF}


def test_every_room_is_on_a_floor() -> None:
    assert {module.room for module in room_modules()} <= set(FLOOR_OF)


def test_imports_point_down() -> None:
    wrong = [
        f"{module.name} imports {imported}"
        for module in room_modules()
        for imported in webkeep_imports(module)
        if room_of(imported) != module.room and FLOOR_OF[room_of(imported)] >= FLOOR_OF[module.room]
    ]
    assert wrong == []


def test_no_io_below_the_line() -> None:
    below = [module for module in room_modules() if FLOOR_OF[module.room] < LINE]
    assert [each for module in below for each in _io_of(module)] == []


def _io_of(module: Module) -> Iterator[str]:
    for imported in imports_of(module):
        if imported in IO_MODULES or imported.partition(".")[0] in IO_MODULES:
            yield f"{module.name} imports {imported}"
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IO_CALLS:
            yield f"{module.name}:{node.lineno} calls {node.func.id}"
        if isinstance(node, ast.Attribute) and ast.unparse(node) in CLOCK_CALLS:
            yield f"{module.name}:{node.lineno} asks the clock"


def test_modules_import_in_no_circle() -> None:
    every = {module.name: module for module in room_modules()}
    graph = {name: {target for target in webkeep_imports(module) if target in every} for name, module in every.items()}
    for name, module in every.items():
        if module.is_package:  # a door loads what it offers when it is asked for it; floors keep rooms apart
            graph[name].clear()
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for target in graph[name]:
                if target != name:
                    visit(target, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())
