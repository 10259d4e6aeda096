"""The script that serves an application from a process of its own, run by the Python that the application belongs to.

It is told what to serve and where, says on its standard output `ready` or why it cannot begin, and ends when its
standard input does, be it that whoever started it was killed. What the application prints goes to standard error.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGES = ("webkeep", "webkeep.crawl", "webkeep.crawl.application")
"""What the server's modules know each other by."""


def _load_server_module() -> Any:
    """The server, out of this folder alone: webkeep need not be there, and one that is there is the application's."""
    above = {name: ModuleType(name) for name in _PACKAGES}
    above[_PACKAGES[-1]].__path__ = [str(Path(__file__).parent)]
    sys.modules.update(above)
    server_module = importlib.import_module(f"{_PACKAGES[-1]}.application_server")
    for name in [each for each in sys.modules if f"{each}.".startswith(f"{_PACKAGES[0]}.")]:
        del sys.modules[name]
    return server_module


def load_application(text: str) -> Any:
    """The application at `MODULE:ATTRIBUTE`; with `()` behind it what the function there makes."""
    module, _, name = text.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.removesuffix("()").split("."):
        found = getattr(found, part)
    return found() if name.endswith("()") else found


def main(text: str, path: str) -> None:
    """Serve an application until standard input ends."""
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server_module = _load_server_module()
    sys.path[0] = str(Path.cwd())
    try:
        server = server_module.ApplicationServer(path, load_application(text))
        server.begin()
    except BaseException as error:  # noqa: BLE001 - whatever stops it is told in a line
        report.write(f"{server_module.describe_error(error)}\n")
        report.flush()
        os._exit(1)
    report.write("ready\n")
    report.flush()
    while os.read(0, 1024):
        pass
    server.end()
    os._exit(0)  # threads that an application left behind hold nothing up


if __name__ == "__main__":
    main(*sys.argv[1:3])
