"""Databases as files: dumps made by the database's own program, the same each time as long as nothing changed."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import UsageError
from webkeep.model import CHUNK_BYTES
from webkeep.vault.components.component import DumpComponent, DumpKind

_MAX_DUMP_BYTES = 64 << 30
"""A dump that goes on beyond that is broken off."""
_SHOWN_ERROR_LENGTH = 300
"""Of what a program says of its failure."""
_LOADED_BY = {
    DumpKind.POSTGRESQL: "psql DATABASE < {file}",
    DumpKind.MYSQL: "mysql DATABASE < {file}",
    DumpKind.SQLITE: "sqlite3 DATABASE < {file}",
}


def parse_dump(kind: DumpKind, text: str) -> DumpComponent:
    """A dump as a person writes it: NAME=WHAT, or for databases only WHAT."""
    name, equals, what = text.partition("=")
    if not equals:
        name, what = "", text
    if kind is DumpKind.COMMAND and not name:
        raise UsageError(f"{text!r} names no component; write NAME=COMMAND, such as forum='mydump --all'")
    if not what.strip():
        raise UsageError(f"{text!r} names nothing to dump; write NAME=WHAT")
    name = name or (Path(what).stem if kind is DumpKind.SQLITE else what.rpartition("/")[2].partition("?")[0])
    return DumpComponent(name, _command_for(kind, what), f"{name}.sql" if kind is not DumpKind.COMMAND else name, kind)


def _command_for(kind: DumpKind, what: str) -> tuple[str, ...]:
    match kind:
        case DumpKind.POSTGRESQL:
            return ("pg_dump", "--no-owner", "--no-privileges", "--dbname", what)
        case DumpKind.MYSQL:
            return ("mysqldump", "--skip-dump-date", "--single-transaction", "--routines", "--triggers", "--", what)
        case DumpKind.SQLITE:
            return ("sqlite3", "-readonly", "-batch", what, ".dump")
        case DumpKind.COMMAND:
            return tuple(shlex.split(what))


def loading_advice(kind: DumpKind, file: str) -> str:
    """How a dump is loaded again; "" where only its owner knows."""
    return _LOADED_BY.get(kind, "").format(file=file)


def dump_to_file(component: DumpComponent, target: Path) -> int:
    """Have the command print into a file, and how many bytes that were; raises UsageError where it fails."""
    shown = shlex.join(component.command)
    with tempfile.TemporaryFile() as complaints, target.open("xb") as file:
        try:
            process = subprocess.Popen(
                component.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints
            )
        except OSError as error:
            advice = f"install it, or give another command by --dump {component.name}=COMMAND"
            raise UsageError(f"{component.command[0]} cannot be started ({error.strerror}); {advice}") from error
        with process:
            size = _copy_output(process, component, file)
        complaints.seek(0)
        said = complaints.read(_SHOWN_ERROR_LENGTH).decode("utf-8", "replace")
    if process.returncode:
        raise UsageError(f"{shown} failed ({process.returncode}): {' '.join(said.split())}; nothing was protected")
    return size


def _copy_output(process: subprocess.Popen[bytes], component: DumpComponent, target: BinaryIO) -> int:
    size = 0
    stream = process.stdout
    while stream is not None and (chunk := stream.read(CHUNK_BYTES)):
        size += len(chunk)
        if size > _MAX_DUMP_BYTES:
            process.kill()
            raise UsageError(
                f"the dump of {component.name!r} goes on beyond {_MAX_DUMP_BYTES:,} bytes; it was broken off"
            )
        target.write(chunk)
    return size
