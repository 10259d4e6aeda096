"""All subcommands, in the order the help shows them; each is loaded only when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from webkeep.cli.subcommand import Subcommand

MODULES = {
    "capture": "capturing",
    "update": "updating",
    "login": "login",
    "record": "recording",
    "control": "controlling",
    "serve": "serving",
    "why": "why",
    "import": "importing",
    "export": "exporting",
    "list": "listing",
    "show": "showing",
    "verify": "verifying",
    "certify": "certifying",
    "diff": "comparing",
    "report": "reporting",
    "mirror": "mirroring",
    "copy": "copying",
    "recover": "recovering",
    "rebuild": "rebuilding",
    "remove": "removing",
    "lab": "lab",
    "demo": "demo",
    "doctor": "doctor",
}


def needed(words: Sequence[str]) -> list[Subcommand]:
    """The subcommand that a command line calls, or all of them where it calls none; the version is told without any."""
    if list(words[:1]) == ["--version"]:
        return []
    names = [word for word in words[:1] if word in MODULES] or list(MODULES)
    return [cast("Subcommand", import_module(f"webkeep.cli.{MODULES[name]}")) for name in names]
