"""The Chromiums that are installed: what holds with one holds with every other."""

import shutil

import pytest

from webkeep.browser.process.chromium_command import HEADLESS_PROGRAMS

FLAVOURS = [
    pytest.param(program, id=program.rpartition("/")[2]) for program in HEADLESS_PROGRAMS[:2] if shutil.which(program)
]
"""Debian's two: without windows, and with."""
