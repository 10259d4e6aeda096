"""Parts of the script in replayed and in copied pages: how addresses are changed that scripts handle.

Both bring an object `addresses` along, which knows what an archived address becomes and what it was:
`replayed(text)` and `archived(text)`, `archivedText(text)` for all in a text, `archivedReference(text)` for what an
attribute says; and, as most texts need nothing, `concerns(text)`, `moves(address)` and `isReplayed(text)` to tell so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files

from webkeep.rewrite.script_wrapper import SHIM_FRAME, SHIM_IMPORT, SHIM_LOCATION, SHIM_MESSAGE, SHIM_MODULE

__all__ = [
    "SHIM_FRAME",
    "SHIM_IMPORT",
    "SHIM_LOCATION",
    "SHIM_MESSAGE",
    "SHIM_MODULE",
    "join_script",
    "read_shared_part",
]

_LINE_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)


def read_shared_part(name: str) -> str:
    """The source of one part."""
    return (files("webkeep.rewrite.shim") / f"{name}.js").read_text("utf-8")


def join_script(parts: Iterable[str]) -> bytes:
    """One script out of the sources of its parts."""
    source = "".join(parts)
    return f"(() => {{\n'use strict';\n{_LINE_COMMENT.sub('', source)}}})();\n".encode("ascii")
