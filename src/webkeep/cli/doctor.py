"""`webkeep doctor`: what is installed, what is missing, what each missing piece would add."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.installation import Piece, pieces
from webkeep.cli.machine import file_size_limit, measured_disk, open_files_limit
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.table import Column, Table, print_facts
from webkeep.version import __version__

_LITTLE_ROOM = 1_000_000_000
_FEW_FILES = 256
_ROTATED_AT = 1 << 30


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments: there are none."""
    parser.set_defaults(folder=Path())


def run(args: argparse.Namespace, out: Output) -> int:
    """Look around; exit code 1 where something that webkeep needs is off."""
    found = list(pieces())
    _tell_pieces(found, out)
    out.line()
    warnings = _tell_machine(args.folder, out)
    off = [piece.name for piece in found if piece.is_needed and piece.fault]
    missing = [piece.name for piece in found if not piece.is_needed and piece.fault]
    facts = {"version": __version__, "works": not off, "off": off, "missing": missing, "warnings": warnings}
    out.summary(facts, _verdict(off, missing, warnings))
    return FINDINGS if off else DONE


def _tell_pieces(found: list[Piece], out: Output) -> None:
    table = Table((Column("piece"), Column("state"), Column("version"), Column("what to do, what it adds")), out.line)
    for piece in found:
        state = _state(piece)
        out.event(
            "piece",
            name=piece.name,
            state=state,
            version=piece.version,
            needed=piece.is_needed,
            fault=piece.fault,
            adds=piece.adds,
        )
        table.row(piece.name, state, piece.version, ": ".join(filter(None, (piece.fault, piece.adds))))
    table.end()


def _state(piece: Piece) -> str:
    if not piece.fault:
        return "works"
    if piece.version:
        return "broken"
    return "missing" if piece.is_needed else "not here"


def _tell_machine(folder: Path, out: Output) -> list[str]:
    soft, hard = open_files_limit()
    largest = file_size_limit()
    facts: dict[str, object] = {"directory": str(folder.absolute()), "open_files": soft, "file_size": largest}
    warnings = []
    if 0 <= soft < _FEW_FILES:
        warnings.append(f"only {soft} files may be open at once; ulimit -n {min(hard, 1024)} raises that")
    if 0 <= largest < _ROTATED_AT:
        warnings.append(f"files may not grow beyond {measure.size(largest)}; ulimit -f unlimited lifts that")
    shown = [("directory", str(folder.absolute()))]
    try:
        disk = measured_disk(folder)
    except OSError as error:
        warnings.append(f"nothing can be written here ({error.strerror}); keep archives elsewhere")
    else:
        facts |= {"free": disk.free, "write_speed": round(disk.write_speed), "sync_time": disk.sync_time}
        speed = f"{measure.size(round(disk.write_speed))} a second"
        shown += [
            ("free", measure.size(disk.free)),
            ("writes", f"{speed}, a sync takes {measure.duration(disk.sync_time)}"),
        ]
        if disk.free < _LITTLE_ROOM:
            warnings.append(f"only {measure.size(disk.free)} are free here; a capture may need more")
    shown.append(("open files", f"{soft:,} at once" if soft >= 0 else "any number at once"))
    out.event("machine", **facts)
    print_facts(shown, out.line)
    return warnings


def _verdict(off: list[str], missing: list[str], warnings: list[str]) -> str:
    parts = [f"webkeep {__version__} cannot work: {', '.join(off)}" if off else f"webkeep {__version__} works"]
    if missing:
        parts.append(f"not here, not needed for the base: {', '.join(missing)}")
    return "; ".join(parts + warnings)
