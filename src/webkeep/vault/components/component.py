"""Components: what a person protects, by name: a directory, a file, or what a command prints, such as a dump."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.vault.blocks.block_header import is_segment_name


class DumpKind(enum.StrEnum):
    """Whose dump it is, which tells how it is made and how it is loaded again."""

    COMMAND = "command"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class PathComponent:
    """A directory with all that is in it, or a file."""

    name: str
    path: Path

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True, slots=True)
class DumpComponent:
    """What a command prints, kept as one file."""

    name: str
    command: tuple[str, ...]
    file_name: str
    """What it is called when it comes back."""
    kind: DumpKind = DumpKind.COMMAND

    def __post_init__(self) -> None:
        _check_name(self.name)


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


def _name_from(text: str) -> str:
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "_" for each in text)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-")[:64].strip("-") or "site"
