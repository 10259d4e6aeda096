"""The script in the pages of a copy: it lets scripts live among archived URLs, and answers them out of the copy."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from webkeep.rewrite.shim import joined_script, shared_part

_SHARED = ("patching", "styles", "names", "markup", "elements", "frames")
_PAGE = (
    "addresses",
    "holdings",
    "location",
    "documents",
    "network",
    "modules",
    "workers",
    "services",
    "elements",
    "page",
)
_WORKER = ("network", "service_worker", "worker")
_PROGRAM = "WORKER_PROGRAM"


@cache
def shim_script() -> bytes:
    """The script that every page with scripts begins with; the one for its workers is a text in it."""
    program = json.dumps(joined_script([shared_part("patching"), _WORKER_NAMES, *map(_own_part, _WORKER)]).decode())
    page = joined_script([*map(shared_part, _SHARED), *map(_own_part, _PAGE)])
    return page.replace(_PROGRAM.encode(), program.replace("</", "<\\/").encode())


_WORKER_NAMES = "const {URL} = self;\n"


def _own_part(name: str) -> str:
    return (files("webkeep.mirror.shim") / f"{name}.js").read_text("utf-8")
