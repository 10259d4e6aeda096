"""Components: what a person protects, by name: a directory, a file, or what a command prints, such as a dump."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.process import DUMP_SUFFIXES, DumpKind
from webkeep.vault.blocks.block_header import is_segment_name

_LOADED_BY = {
    DumpKind.POSTGRESQL: "psql DATABASE < {file}",
    DumpKind.MYSQL: "mysql DATABASE < {file}",
    DumpKind.SQLITE: "cp {file} DATABASE",
}


@dataclass(frozen=True, slots=True)
class PathComponent:
    """A directory with all that is in it, or a file."""

    name: str
    path: Path

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True, slots=True)
class DumpComponent:
    """A database, or what a command prints, kept as one file."""

    name: str
    what: str = field(repr=False)
    """Its address, which may hold a password, its name or file; or the command."""
    kind: DumpKind = DumpKind.COMMAND

    def __post_init__(self) -> None:
        _check_name(self.name)

    @property
    def file_name(self) -> str:
        """What it is called when it comes back."""
        return f"{self.name}{DUMP_SUFFIXES[self.kind]}"

    @property
    def loading_advice(self) -> str:
        """How it is loaded again; "" where only its owner knows."""
        return _LOADED_BY.get(self.kind, "").format(file=f"{self.name}/{self.file_name}")


Component = PathComponent | DumpComponent


def _check_name(name: str) -> None:
    if not is_segment_name(name):
        raise UsageError(
            f"a component cannot be called {name!r}: letters, digits, dots, underscores, single hyphens, at most 64; "
            "give it another name as NAME=PATH"
        )


def parse_component(text: str) -> PathComponent:
    """A component as a person writes it: a path, or NAME=PATH."""
    name, equals, path = text.partition("=")
    if not equals or "/" in name:
        return PathComponent(_name_from(Path(text).resolve().name), Path(text))
    return PathComponent(name, Path(path))


def parse_dump(kind: DumpKind, text: str) -> DumpComponent:
    """A dump as a person writes it: NAME=WHAT, or for databases only WHAT."""
    name, equals, what = text.partition("=")
    if not equals or "/" in name:
        name, what = "", text
    if kind is DumpKind.COMMAND and not name:
        raise UsageError(f"{text!r} names no component; write NAME=COMMAND, such as forum='mydump --all'")
    if not what.strip():
        raise UsageError(f"{text!r} names nothing to dump; write NAME=WHAT")
    name = name or (Path(what).stem if kind is DumpKind.SQLITE else what.partition("?")[0].rpartition("/")[2])
    return DumpComponent(name, what, kind)


def _name_from(text: str) -> str:
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "_" for each in text)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-")[:64].strip("-") or "site"
