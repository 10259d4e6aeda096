"""`webkeep log checkpoint`: make a checkpoint over all records, and sign it."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import CheckpointRequest, open_target_file, run_log_checkpoint
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_count


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive that keeps a log")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the checkpoint here instead of printing it")
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help="the key that signs, if not your own; made if not there"
    )
    parser.add_argument("--passphrase-file", type=Path, metavar="FILE", help="its first line opens the key")
    parser.add_argument("--unsigned", action="store_true", help="sign nothing")


def print_checkpoint(note: str, key: str | None, out: Output) -> None:
    """Print a checkpoint as it is kept, and who signed it."""
    for line in note.splitlines():
        out.line(line)
    out.line(f"key: {key}" if key else "signed by nobody whose key is known here")


def run(args: argparse.Namespace, out: Output) -> int:
    """Make the checkpoint and print it."""
    request = CheckpointRequest(args.archive, args.key, args.passphrase_file, not args.unsigned)
    done = run_log_checkpoint(request)
    note = done.checkpoint or ""
    if args.out is not None:
        with open_target_file(args.out) as target:
            target.write(note.encode())
    else:
        print_checkpoint(note, done.key, out)
    covered = format_count(done.checkpoint_size or 0, "record")
    out.summary(done.to_dict(), f"a checkpoint over {covered}; keep it where nobody can change it with the archive")
    return DONE
