"""Whom to ask for time stamps, and in which way, as people write it behind a command."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import StampRequest
from webkeep.fetch import parse_resolve


def add_stamp_options(parser: argparse.ArgumentParser) -> None:
    """Declare whom to ask."""
    asked = parser.add_argument_group("time stamps (RFC 3161)")
    asked.add_argument("--tsa", action="append", default=[], metavar="URL",
                       help="ask this time-stamping authority; once for each")  # fmt: skip
    asked.add_argument("--tsa-ca", type=Path, metavar="FILE",
                       help="trust the authorities that these certificates (PEM) vouch for, beside those that "
                       "browsers trust")  # fmt: skip
    asked.add_argument("--tsa-resolve", action="append", type=parse_resolve, default=[], metavar="HOST:PORT:ADDRESS",
                       help="HOST:PORT is at ADDRESS, as in curl")  # fmt: skip
    asked.add_argument("--tsa-proxy", default="", metavar="URL", help="go to them through this proxy")


def stamp_request_from_arguments(args: argparse.Namespace, path: Path) -> StampRequest:
    """The request that the options make."""
    return StampRequest(path, tuple(args.tsa), args.tsa_ca, tuple(args.tsa_resolve), args.tsa_proxy)
