"""What there is to be named: what the code defines, the words in its strings, files, and names from outside."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/webkeep"
OUTSIDE_NAMES = Path(__file__).with_name("outside_names.txt")
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_KINDS_OF_NAMES = (
    re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"),
    re.compile(r"--[a-z][\w-]*"),
    re.compile(r"[\w./]+/\w+\.(py|js|css|toml|md)"),
)
"""Identifiers, options, paths of files."""
_COMMENT_WITH_A_NAME = re.compile(r"#.*`")
_WORDS = re.compile(r"[\w-]+")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Bodied = _Function | ast.ClassDef | ast.Module
Vocabulary = tuple[Set[str], ...]
"""Words that are known somewhere; many sets, as to unite large ones for every file takes long."""


@dataclass
class Source:
    """One Python file: what it defines, what it uses, and what is written in it for people."""

    path: Path
    defined: set[str] = field(default_factory=set)
    """Classes, functions, attributes and constants."""
    used: set[str] = field(default_factory=set)
    """Every other name in its code: parameters, variables, what it calls."""
    imported: set[str] = field(default_factory=set)
    """The names in its imports."""
    words: set[str] = field(default_factory=set)
    """The words in its strings."""
    members: dict[str, set[str]] = field(default_factory=dict)
    """Of each class, what stands in its body, and the names of its bases."""
    heads: list[str] = field(default_factory=list)
    """The docstrings of the file and of its constants."""
    texts: list[str] = field(default_factory=list)
    """The docstrings of classes and functions, and comments with names, which may name parameters and variables too."""

    @property
    def room(self) -> str:
        """The room of the package that it is in; nothing for a file that is in none."""
        return self.path.relative_to(PACKAGE).parts[0] if self.path.is_relative_to(PACKAGE) else ""


@cache
def sources() -> list[Source]:
    """Every Python file of the project."""
    roots = (ROOT / name for name in ("src", "tests", "bench", "scripts"))
    return [_read(path) for root in roots for path in sorted(root.rglob("*.py"))]


def _read(path: Path) -> Source:
    text = path.read_text()
    found = Source(path)
    documented = set()
    for node in ast.walk(ast.parse(text)):
        for statement in getattr(node, "body", ()) if isinstance(node, _Bodied) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                documented.add(statement.value)
                (found.heads if isinstance(node, ast.Module) else found.texts).append(str(statement.value.value))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documented:
            found.words.update(_WORDS.findall(node.value), re.findall(r"\w+", node.value))
        else:
            _add_names(found, node)
    if _COMMENT_WITH_A_NAME.search(text):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found.texts += [token.string for token in tokens if token.type == tokenize.COMMENT]
    return found


def _add_names(found: Source, node: ast.AST) -> None:
    match node:
        case ast.ClassDef():
            found.defined.add(node.name)
            inner = {name for statement in node.body for name in _bound_names(statement)}
            assigned = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            found.members[node.name] = inner | assigned | {ast.unparse(base) for base in node.bases}
            found.defined |= inner
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            found.defined.add(node.name)
        case ast.Module():
            found.defined.update(name for statement in node.body for name in _bound_names(statement))
        case ast.Attribute():
            (found.defined if isinstance(node.ctx, ast.Store) else found.used).add(node.attr)
        case ast.Name():
            found.used.add(node.id)
        case ast.arg():
            found.used.add(node.arg)
        case ast.keyword(arg=str(name)):
            found.used.add(name)
        case ast.alias():
            found.imported.update(node.name.split("."))
        case ast.ImportFrom(module=str(module)):
            found.imported.update(module.split("."))


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, _Function | ast.ClassDef):
        yield statement.name
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    for target in targets:
        if isinstance(target, ast.AST):
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


@cache
def defined_anywhere() -> frozenset[str]:
    """The names that code defines somewhere."""
    return frozenset().union(*(each.defined for each in sources()))


@cache
def words_anywhere() -> frozenset[str]:
    """The words in strings somewhere: keys, values, options, columns; and those in what is not Python."""
    return frozenset().union(*(each.words for each in sources()), _words_of_other_files())


def _words_of_other_files() -> set[str]:
    paths = (path for root in ("src", "bench", "tests") for path in (ROOT / root).rglob("*") if path.is_file())
    texts = (path.read_text(errors="replace") for path in paths if path.suffix in {".js", ".css", ".toml", ".sql"})
    texts = (*texts, (ROOT / "pyproject.toml").read_text(), (ROOT / "Makefile").read_text())
    return {word for text in texts for word in (*_WORDS.findall(text), *re.findall(r"\w+", text))}


@cache
def _words_of_scripts(folder: Path) -> frozenset[str]:
    return frozenset(word for path in folder.glob("*.js") for word in re.findall(r"\w+", path.read_text()))


@cache
def defined_in_room(room: str) -> frozenset[str]:
    """The names that the code of one room defines."""
    return frozenset().union(*(each.defined for each in sources() if each.room == room))


@cache
def file_names() -> frozenset[str]:
    """Files and folders, with and without what they end with."""
    tracked = (ROOT / name for name in ("src", "tests", "bench", "scripts", "docs"))
    paths = [*ROOT.iterdir(), *(path for root in tracked for path in (root, *root.rglob("*")))]
    return frozenset(name for path in paths for name in (path.name, path.stem))


@cache
def outside_names() -> frozenset[str]:
    """Names that others gave: Python itself, other languages, standards, programs; and examples."""
    lines = (line.partition("#")[0] for line in OUTSIDE_NAMES.read_text().splitlines())
    return frozenset(word for line in lines for word in line.split()).union(dir(builtins))


@cache
def members_of(name: str) -> frozenset[str]:
    """What the classes of a name have, bases included."""
    own = frozenset().union(*(each.members.get(name, ()) for each in sources()))
    bases = (base.partition("[")[0] for base in own if base != name)
    return own.union(*(members_of(base) for base in bases if base in _classes()))


@cache
def _classes() -> frozenset[str]:
    return frozenset(name for each in sources() for name in each.members)


def names_in(text: str) -> Iterator[str]:
    """The names that a text has in backticks, calls and options among them."""
    for quoted in _QUOTED.findall(text):
        if quoted in outside_names():
            continue
        name = re.sub(r"\(.*\)$", "", quoted).lstrip(".")
        if any(kind.fullmatch(name) for kind in _KINDS_OF_NAMES):
            yield name


def unknown_names(source: Source) -> Iterator[str]:
    """The names in the docstrings and comments of a file that mean nothing there.

    A plain word is easily the name of some other thing too, so the texts of a room may only use those of the room.
    """
    reach: Vocabulary = (source.words, source.imported, _words_of_scripts(source.path.parent))
    reach += (defined_in_room(source.room),) if source.room else (defined_anywhere(), words_anywhere())
    for texts, known in ((source.heads, reach), (source.texts, (*reach, source.used))):
        yield from (name for text in texts for name in names_in(text) if not is_known(name, known))


def is_known(name: str, known: Vocabulary) -> bool:
    """Whether a name means something where these words do."""
    if name in outside_names() or name in file_names():
        return True
    if "/" in name:
        return any((root / name).exists() for root in (ROOT, PACKAGE))
    first, *others = name.split(".")
    if first == "webkeep":
        known = (*known, defined_anywhere())
    if others and first in _classes():
        return others[0] in members_of(first)
    return all(_is_known_word(word, known) for word in (first, *others))


def _is_known_word(word: str, known: Vocabulary) -> bool:
    is_telling = re.search(r"[a-z][A-Z]|_|--", word) is not None
    return (
        any(word in words for words in known)
        or word in file_names()
        or word in outside_names()
        or (is_telling and (word in defined_anywhere() or word in words_anywhere()))
    )
