"""`webkeep doctor`: what is installed and what is missing, as a table, and when it warns of too little disk space, too
few open files or too small a limit of file sizes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns, print_facts
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.system_check import (
    InstalledComponent,
    check_components,
    file_size_limit,
    measure_disk,
    open_files_limit,
)
from webkeep.presentation import format_duration, format_size
from webkeep.version import __version__

_LOW_DISK_BYTES = 1_000_000_000
"""Where less room is free than one full WARC file takes, a warning says so."""
_LOW_OPEN_FILES = 256
"""Where a process may open fewer files than this, a warning says so."""
_WARC_ROTATION_BYTES = 1 << 30
"""A WARC file grows up to this size before the next one is begun."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments: there are none."""
    parser.set_defaults(folder=Path())


def run(args: argparse.Namespace, out: Output) -> int:
    """Look around; exit code 1 where something that webkeep needs is off."""
    found = list(check_components())
    _print_components(found, out)
    out.line()
    warnings = _print_machine(args.folder, out)
    off = [component.name for component in found if component.is_needed and component.fault]
    missing = [component.name for component in found if not component.is_needed and component.fault]
    facts = {"version": __version__, "works": not off, "off": off, "missing": missing, "warnings": warnings}
    out.summary(facts, _verdict_words(off, missing, warnings))
    return FINDINGS if off else DONE


def _print_components(found: list[InstalledComponent], out: Output) -> None:
    table = PrintedTable(
        build_columns("component", "state", "version", "what to do, what it adds"),
        out.line,
    )
    for component in found:
        state = _component_state(component)
        out.event(
            "component",
            name=component.name,
            state=state,
            version=component.version,
            needed=component.is_needed,
            fault=component.fault,
            adds=component.adds,
        )
        table.add_row(
            component.name, state, component.version, ": ".join(filter(None, (component.fault, component.adds)))
        )
    table.finish()


def _component_state(component: InstalledComponent) -> str:
    if not component.fault:
        return "works"
    if component.version:
        return "broken"
    return "missing" if component.is_needed else "not here"


def _print_machine(folder: Path, out: Output) -> list[str]:
    soft, hard = open_files_limit()
    largest = file_size_limit()
    facts: dict[str, object] = {"directory": str(folder.absolute()), "open_files": soft, "file_size": largest}
    warnings = []
    if 0 <= soft < _LOW_OPEN_FILES:
        warnings.append(f"only {soft} files may be open at once; ulimit -n {min(hard, 1024)} raises that")
    if 0 <= largest < _WARC_ROTATION_BYTES:
        warnings.append(f"files may not grow beyond {format_size(largest)}; ulimit -f unlimited lifts that")
    shown = [("directory", str(folder.absolute()))]
    try:
        disk = measure_disk(folder)
    except OSError as error:
        warnings.append(f"nothing can be written here ({error.strerror}); keep archives elsewhere")
    else:
        facts |= {"free": disk.free, "write_speed": round(disk.write_speed), "sync_time": disk.sync_time}
        speed = f"{format_size(round(disk.write_speed))} a second"
        shown += [
            ("free", format_size(disk.free)),
            ("writes", f"{speed}, a sync takes {format_duration(disk.sync_time)}"),
        ]
        if disk.free < _LOW_DISK_BYTES:
            warnings.append(f"only {format_size(disk.free)} are free here; a capture may need more")
    shown.append(("open files", f"{soft:,} at once" if soft >= 0 else "any number at once"))
    out.event("machine", **facts)
    print_facts(shown, out.line)
    return warnings


def _verdict_words(off: list[str], missing: list[str], warnings: list[str]) -> str:
    parts = [f"webkeep {__version__} cannot work: {', '.join(off)}" if off else f"webkeep {__version__} works"]
    if missing:
        parts.append(f"not here, not needed for the base: {', '.join(missing)}")
    return "; ".join(parts + warnings)
