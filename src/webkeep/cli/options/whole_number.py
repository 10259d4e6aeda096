"""Whole numbers as people write them behind a command: with commas or underscores, and never negative."""

from __future__ import annotations

import argparse
import sys


def parse_whole_number(text: str) -> int:
    """Read a whole number that is not negative, for `argparse`; larger than any list is as good as the largest."""
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be; give a whole number, 0 or more")
    return min(number, sys.maxsize)
