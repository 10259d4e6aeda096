"""The floors of the design: imports point down, rooms below the line do no I/O, nothing goes in circles."""

import ast
from pathlib import Path

import pytest

import webkeep

PACKAGE = Path(webkeep.__file__).parent

FLOORS: list[set[str]] = [
    {"errors", "lazy_exports", "version"},
    {"model"},
    {"url", "presentation"},
    {"document", "formats"},
    {"change", "redaction"},
    {"extract", "coherence"},
    {"frontier", "rewrite", "memento"},
    # ---- no I/O above this comment ----
    {"clock", "process"},
    {"store", "fetch", "browser"},
    {"crawl", "mirror", "recorder", "replay", "recover", "vault", "quality"},
    {"lab"},
    {"cli", "web"},
]
LINE = 7
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
IO_MODULES = {
    "asyncio", "ftplib", "http.client", "http.server", "multiprocessing", "os", "pathlib", "random", "secrets",
    "select", "shutil", "signal", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading",
    "time", "urllib.request", "uuid",
}  # fmt: skip
IO_CALLS = {"open", "input", "print"}
CLOCK_CALLS = {"now", "utcnow", "today"}


def modules() -> list[tuple[str, Path]]:
    return [(".".join(path.relative_to(PACKAGE).with_suffix("").parts), path) for path in sorted(PACKAGE.rglob("*.py"))]


def room_of(name: str) -> str:
    return name.split(".")[0]


def imports_of(path: Path) -> set[str]:
    """Every module a file imports, in full."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def webkeep_imports(path: Path) -> set[str]:
    names = {name.removeprefix("webkeep.") for name in imports_of(path) if name.startswith("webkeep.")}
    return {name for name in names if room_of(name) in FLOOR_OF}


ROOM_MODULES = [(name, path) for name, path in modules() if room_of(name) not in {"__init__", "__main__"}]


@pytest.mark.parametrize(("name", "path"), ROOM_MODULES, ids=[name for name, _ in ROOM_MODULES])
def test_imports_point_down(name: str, path: Path) -> None:
    room = room_of(name)
    assert room in FLOOR_OF, f"{room} is on no floor"
    for imported in webkeep_imports(path):
        target = room_of(imported)
        assert target == room or FLOOR_OF[target] < FLOOR_OF[room], f"{name} imports {imported}"


BELOW = [(name, path) for name, path in ROOM_MODULES if FLOOR_OF.get(room_of(name), 99) < LINE]


@pytest.mark.parametrize(("name", "path"), BELOW, ids=[name for name, _ in BELOW])
def test_no_io_below_the_line(name: str, path: Path) -> None:
    taken = {name for name in imports_of(path) if name in IO_MODULES or name.split(".")[0] in IO_MODULES}
    assert not taken, f"{name} imports {taken}"
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in IO_CALLS, f"{name}:{node.lineno} calls {node.func.id}"
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in {"datetime", "date"}
        ):
            assert node.attr not in CLOCK_CALLS, f"{name}:{node.lineno} asks the clock"


def test_modules_import_in_no_circle() -> None:
    every = {name.removesuffix(".__init__"): path for name, path in ROOM_MODULES}
    graph = {name: {target for target in webkeep_imports(path) if target in every} for name, path in every.items()}
    for name, path in every.items():
        if path.name == "__init__.py":  # a door loads what it offers when it is asked for it; floors keep rooms apart
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
