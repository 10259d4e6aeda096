"""Options about the log of an archive's records."""

from __future__ import annotations

import argparse


def add_log_option(parser: argparse.ArgumentParser) -> None:
    """Let people say that the archive keeps a log from now on."""
    parser.add_argument(
        "--log",
        action="store_true",
        help="keep a log of all records of the archive from now on, by which any later change is found",
    )
