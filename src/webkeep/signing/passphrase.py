"""Passphrases as people hand them over: in a file or in the environment, never as a word of the call, which others can
see while it runs.
"""

from __future__ import annotations

import os
from pathlib import Path

from webkeep.errors import UsageError

PASSPHRASE_VARIABLE = "WEBKEEP_PASSPHRASE"
"""The name in the environment."""
_MAX_PASSPHRASE_BYTES = 4096
"""Of a file that holds one."""


def read_passphrase(path: Path | None) -> str | None:
    """The first line of a file, or what the environment has; None where neither was given."""
    return read_passphrase_file(path) if path is not None else os.environ.get(PASSPHRASE_VARIABLE) or None


def read_passphrase_file(path: Path) -> str:
    """The first line of a file."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_MAX_PASSPHRASE_BYTES).decode().split("\n")[0].rstrip("\r")
    except OSError as error:
        raise UsageError(f"no passphrase can be read from {path} ({error.strerror}); check its name") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text; its first line is the passphrase") from error
    if not text:
        raise UsageError(f"{path} begins with an empty line; its first line is the passphrase")
    return text
