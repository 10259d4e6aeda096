"""How the code is laid out, in figures: names that stand twice, imports past a door, crowded folders, orphans, length.

    python scripts/structure.py [--names] [--startup]

Prints one JSON object. With `--names`, what is counted is listed before it; with `--startup`, the times of
`bench.startup` are among the figures.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/webkeep"
CROWDED = 25
"""A folder with more modules than this no longer reads as an index."""
TINY_LINES = 60
LONG_FILE_LINES = 400
"""A file of more lines holds two ideas."""
LONG_FUNCTION_LINES = 40
"""A function of more lines has steps that want names."""
MAX_PARAMETERS = 6
"""Who calls a function of more no longer sees which value is which."""
PROGRAMS = ("__init__", "__main__", "recorder.asgi", "recorder.wsgi")
"""Where people and their programs come in, beside the command."""
AWAITED = "change."
"""The room whose modules have no caller yet: reports on change will be theirs."""
_IRREGULAR = {
    "told", "heard", "got", "made", "kept", "shown", "held", "gathered", "sent", "taken", "given", "written", "known",
    "seen", "begun", "done", "led", "met", "gone", "come", "came", "thrown", "drawn", "built", "bound", "chosen",
}  # fmt: skip
_NO_PARTICIPLES = {"need", "feed", "seed", "embed", "shed", "bleed", "speed", "exceed", "proceed"}
_NOT_MEANT = {"bound", "done"}
"""To bound a rate is a verb; `done` is what asyncio asks of a future."""
_PREPOSITIONS = {"at", "by", "from", "in", "of", "on", "to", "with", "without", "up"}
_LIMIT_WORDS = {"MAX", "MIN", "BATCH", "INTERVAL", "TIMEOUT", "DELAY", "SLACK"}
"""A number whose name has one of these is a quantity, and of something."""
_UNITS = {
    "SECONDS", "MICROS", "MILLISECONDS", "BYTES", "CHARS", "DIGITS", "BITS", "PIXELS", "WIDTH", "HEIGHT", "SIZE",
    "DAY", "YEAR", "SHARE", "RATIO", "FACTOR", "RATE", "PERCENT", "CHANCE", "CONFIDENCE", "SIMILARITY",
    "RESEMBLANCE", "BOUND", "GAIN", "GROWTH", "EXPONENT", "VARIANCE", "DOUBT", "PIVOT", "DENOMINATOR", "WEIGHT",
    "RANK", "PRIORITY", "DEPTH", "NESTING", "VERSION", "MODE", "VALUE",
}  # fmt: skip
"""What a quantity can be counted in, beside things in the plural."""
_CALENDAR = re.compile(r"_*(?:SECOND|MINUTE|HOUR|DAY|YEAR)_(?:SECONDS|MICROS)")
"""How long a day is needs no reason."""
_HTTP_NAMES = {status.name for status in HTTPStatus} | {"RANGE_NOT_SATISFIABLE"}
_DOTTED = re.compile(r"webkeep\.([a-z0-9_.]+)")


@dataclass
class Module:
    """One file of the package."""

    name: str
    path: Path
    tree: ast.Module
    imports: set[str] = field(default_factory=set)
    """The modules that are imported, each where the imported name is defined."""
    past_doors: list[str] = field(default_factory=list)

    @property
    def file(self) -> str:
        """Where it is, below the package."""
        return self.path.relative_to(PACKAGE).as_posix()

    @property
    def room(self) -> str:
        """The room that it is in."""
        return self.name.partition(".")[0]

    @property
    def is_package(self) -> bool:
        """Whether it is the door of a room."""
        return self.path.name == "__init__.py"

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of its tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def uses(self) -> set[str]:
        """The names that its code uses; a door uses none of those that it offers."""
        return {node.id for node in self.nodes if isinstance(node, ast.Name)}

    @cached_property
    def imported_names(self) -> list[tuple[str, str]]:
        """What it imports from the package."""
        found = [node for node in self.nodes if isinstance(node, ast.ImportFrom)]
        sources = [((node.module or "").partition("."), node.names) for node in found]
        return [(below, alias.name) for (top, _, below), names in sources if top == "webkeep" for alias in names]

    @cached_property
    def definitions(self) -> set[str]:
        """The names that are defined at its top."""
        found = {node.name for node in self.tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        return found | {node.name for node in self.tree.body if isinstance(node, ast.AsyncFunctionDef)}


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", action="store_true", help="list what is counted")
    parser.add_argument("--startup", action="store_true", help="measure the start of commands too")
    args = parser.parse_args()
    modules = read_modules()
    link_imports(modules)
    listed = listings(modules)
    if args.names:
        for title, names in listed.items():
            print(title, *sorted(names), sep="\n    ")
    facts: dict[str, object] = {title: len(names) for title, names in listed.items()}
    facts |= sizes(modules)
    if args.startup:
        command = [sys.executable, "-m", "bench.startup"]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        facts |= json.loads(done.stdout.splitlines()[-1])
    print(json.dumps(facts))


def read_modules() -> dict[str, Module]:
    """All modules of the package by their names below it; a package has the name of its folder."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module(name, path, ast.parse(path.read_text()))
    return found


def link_imports(modules: dict[str, Module]) -> None:
    """Tell each module what it imports, and whether that goes past the door of another room."""
    for module in modules.values():
        imported = set() if module.name in PROGRAMS else set(module.imported_names)
        for source, name in (*module.imported_names, *named_programs(module)):
            home = home_of(modules, source, name) or source
            if home in modules and home != module.name and (not module.is_package or name in module.uses):
                module.imports.add(home)
            other = source.partition(".")[0]
            is_inside = source in modules and not modules[source].is_package and "." in source
            is_module = f"{source}.{name}" in modules and home == f"{source}.{name}"
            is_import = (source, name) in imported
            if is_import and other != module.room and (is_inside or (is_module and not modules[home].is_package)):
                module.past_doors.append(f"{module.name}: {source}.{name}")


def named_programs(module: Module) -> Iterator[tuple[str, str]]:
    """What a module names in texts, as a program to be started or code to be loaded later."""
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for dotted in _DOTTED.findall(node.value):
                yield dotted.rpartition(".")[0] or dotted, dotted.rpartition(".")[2]


def home_of(modules: dict[str, Module], source: str, name: str, trail: tuple[str, ...] = ()) -> str:
    """The module in which a name is defined that another offers; empty where it is not found."""
    if f"{source}.{name}".lstrip(".") in modules:
        return f"{source}.{name}".lstrip(".")
    module = modules.get(source or "__init__")
    if module is None or source in trail:
        return ""
    if name in module.definitions:
        return module.name
    for other, alias in module.imported_names:
        if alias == name and (found := home_of(modules, other, name, (*trail, source))):
            return found
    return module.name


def listings(modules: dict[str, Module]) -> dict[str, list[str]]:
    """What is counted, by the names of the figures."""
    classes: dict[str, list[str]] = defaultdict(list)
    participles, adjectives = [], []
    for module in modules.values():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(module.name)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and begins_with_participle(node.name):
                (adjectives if names_its_result(node) else participles).append(f"{module.name}.{node.name}")
    users = Counter(target for module in modules.values() for target in module.imports)
    folders = Counter(str(module.path.parent.relative_to(PACKAGE)) for module in modules.values())
    plain = [module for module in modules.values() if not module.is_package]
    return {
        "class_names_defined_twice": [f"{name}: {' '.join(where)}" for name, where in classes.items() if where[1:]],
        "imports_past_a_door": [each for module in modules.values() for each in module.past_doors],
        "crowded_folders": [f"{folder}: {count}" for folder, count in folders.items() if count > CROWDED + 1],
        "modules_with_one_user": [module.name for module in plain if users[module.name] == 1],
        "tiny_modules": [module.name for module in plain if lines_of(module) <= TINY_LINES],
        "participle_functions": participles,
        "participle_adjectives": adjectives,
        "modules_without_a_command": unreached(modules),
        "attributes_set_from_outside": attributes_set_from_outside(modules),
        "functions_with_many_parameters": functions_with_many_parameters(modules),
        "long_files": [f"{each.name}: {lines_of(each)}" for each in plain if lines_of(each) > LONG_FILE_LINES],
        "long_functions": long_functions(modules),
        "numbers_without_a_reason": [each for module in modules.values() for each in numbers_without_reason(module)],
        "numbers_without_a_unit": [each for module in modules.values() for each in numbers_without_unit(module)],
    }


def begins_with_participle(name: str) -> bool:
    """Whether a function says what was done instead of what it does."""
    word = name.lstrip("_").partition("_")[0]
    return word in _IRREGULAR or (word.endswith("ed") and word not in _NO_PARTICIPLES)


def names_its_result(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a participle is an adjective: of a property, or of what comes back (`queued_hosts`)."""
    first, _, rest = function.name.lstrip("_").partition("_")
    decorators = {ast.unparse(each).rpartition(".")[2] for each in function.decorator_list}
    is_noun = rest != "" and rest.partition("_")[0] not in _PREPOSITIONS
    return bool(decorators & {"property", "cached_property"}) or is_noun or first in _NOT_MEANT


def numbers_without_reason(module: Module) -> Iterator[str]:
    """Numbers at the top of a module below or beside which nothing says why they are what they are."""
    lines = module.path.read_text().splitlines()
    for node, names, following in numbers_of(module):
        is_told = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        is_noted = "#" in lines[node.end_lineno - 1] or lines[node.lineno - 2].lstrip().startswith("#")
        if not is_told and not is_noted and not all(map(is_known_number, names)):
            yield f"{module.name}.{','.join(names)}"


def numbers_without_unit(module: Module) -> Iterator[str]:
    """Limits whose names do not say of what they are."""
    for _, names, _ in numbers_of(module):
        for name in names:
            words = name.strip("_").split("_")
            is_counted = any(len(word) > 3 and word.endswith("S") for word in words)
            if _LIMIT_WORDS & set(words) and not _UNITS & set(words) and not is_counted:
                yield f"{module.name}.{name}"


def is_known_number(name: str) -> bool:
    """Whether a number is one that standards and the calendar give."""
    return name.strip("_") in _HTTP_NAMES or "STATUS" in name or _CALENDAR.fullmatch(name) is not None


def numbers_of(module: Module) -> Iterator[tuple[ast.Assign | ast.AnnAssign, list[str], ast.stmt | None]]:
    """What is set to numbers at the top of a module, with its names and the statement behind it."""
    for node, following in zip_longest(module.tree.body, module.tree.body[1:]):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_number(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            yield node, [part.id for part in parts if isinstance(part, ast.Name)], following


def is_number(node: ast.expr) -> bool:
    """Whether an expression is made of numbers alone."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.Tuple(elts=parts):
            return bool(parts) and all(map(is_number, parts))
    return False


def unreached(modules: dict[str, Module]) -> list[str]:
    """Modules of product rooms that no command leads to, but for what the laboratory alone needs."""
    reached: set[str] = set()
    waiting = [name for name in modules if name in PROGRAMS or name.startswith("cli.")]
    while waiting:
        name = waiting.pop()
        if name not in reached and modules[name].room != "lab":
            reached.add(name)
            waiting += modules[name].imports
    rest = (module for module in modules.values() if module.name not in reached and not module.is_package)
    return [module.name for module in rest if module.room != "lab" and not module.name.startswith(AWAITED)]


def attributes_set_from_outside(modules: dict[str, Module]) -> list[str]:
    """Where an object of ours is given an attribute by a module that does not define its class.

    Types are not known here: an attribute counts that classes of other modules have, and none of this one. Counting up
    (`+=`) does not count.
    """
    holders: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for name in own_attributes(module):
            holders[name].add(module.name)
    return [
        f"{module.name}:{node.lineno} {ast.unparse(node)}"
        for module in modules.values()
        for node in assigned_attributes(module)
        if not is_own(node) and holders[node.attr] and module.name not in holders[node.attr]
    ]


def assigned_attributes(module: Module) -> Iterator[ast.Attribute]:
    """Every attribute that something is assigned to."""
    for node in module.nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for each in ast.walk(target):
                    if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                        yield each


def own_attributes(module: Module) -> Iterator[str]:
    """The names of the attributes that objects of a module's classes have."""
    yield from (node.attr for node in assigned_attributes(module) if is_own(node))
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield each.target.id


def is_own(node: ast.Attribute) -> bool:
    """Whether an attribute is that of the object, or class, whose code it stands in."""
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def functions_with_many_parameters(modules: dict[str, Module]) -> list[str]:
    """Functions and constructors of so many parameters that their order cannot be remembered."""
    found = []
    for module, node in functions(modules):
        given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        count = len([name for name in given if name not in ("self", "cls")])
        if count > MAX_PARAMETERS:
            found.append(f"{module.name}.{node.name}: {count}")
    return found


def long_functions(modules: dict[str, Module]) -> list[str]:
    """Functions of many lines."""
    lengths = (
        (module, node, (node.end_lineno or node.lineno) - node.lineno + 1) for module, node in functions(modules)
    )
    return [f"{module.name}.{node.name}: {lines}" for module, node, lines in lengths if lines > LONG_FUNCTION_LINES]


def functions(modules: dict[str, Module]) -> Iterator[tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function and method."""
    for module in modules.values():
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


def sizes(modules: dict[str, Module]) -> dict[str, object]:
    """Figures that are no lists."""
    return {"modules": len(modules), "lines": sum(map(lines_of, modules.values()))}


def lines_of(module: Module) -> int:
    """How many lines a module has."""
    return len(module.path.read_text().splitlines())


if __name__ == "__main__":
    main()
