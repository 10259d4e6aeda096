"""`webkeep service restore`: a service and its archives brought back out of a backup, or the backup checked."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.service.run import add_database_option
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_size
from webkeep.service.run import ServiceFolder
from webkeep.service.upkeep import BackupCheck, check_backup, restore_service

_MAX_FINDINGS_TOLD = 20
"""Told one by one up to this number; programs are told all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "target", type=Path, metavar="TARGET", help="a folder of backups, for the newest, or one of them"
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="where to; new or empty")
    parser.add_argument("--check", action="store_true", help="restore nothing; read the backup and hold it against "
                        "its manifest")  # fmt: skip
    add_database_option(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring it back, or check it."""
    if args.check:
        return _report_check(check_backup(args.target), out)
    if args.folder is None:
        raise UsageError("restore needs a folder to restore to; name a new one, or write --check")
    backup = restore_service(args.target, ServiceFolder(args.folder), args.store_address, lambda _: None)
    facts = {"backup": str(backup), "folder": str(args.folder)}
    out.summary(facts, f"{args.folder} is as it was in {backup}; every file is what was backed up")
    return DONE


def _report_check(check: BackupCheck, out: Output) -> int:
    for number, finding in enumerate(check.findings):
        out.event("finding", finding=finding)
        if number < _MAX_FINDINGS_TOLD:
            out.note(finding)
    found = len(check.findings)
    facts = {"backup": str(check.path), "files": check.files, "bytes": check.total_bytes, "findings": found}
    what = f"{format_count(check.files, 'file')}, {format_size(check.total_bytes)}"
    verdict = (
        f"{format_count(found, 'finding')}; choose another backup" if found else "every file is what was backed up"
    )
    out.summary(facts, f"{check.path}: {what}; {verdict}")
    return FINDINGS if found else DONE
