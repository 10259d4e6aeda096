"""The script in the pages of a copy: it lets scripts live among archived URLs, and answers them out of the copy."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from webkeep.rewrite.shim import join_script, read_shared_part

_SHARED_PARTS = ("patching", "styles", "names", "markup", "elements", "frames")
_PAGE_PARTS = (
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
_WORKER_PARTS = ("network", "service_worker", "worker")
_WORKER_PLACEHOLDER = "WORKER_PROGRAM"


@cache
def shim_script() -> bytes:
    """The script that every page with scripts begins with; the one for its workers is a text in it."""
    program = json.dumps(
        join_script([read_shared_part("patching"), _WORKER_NAMES, *map(_own_part, _WORKER_PARTS)]).decode()
    )
    page = join_script([*map(read_shared_part, _SHARED_PARTS), *map(_own_part, _PAGE_PARTS)])
    return page.replace(_WORKER_PLACEHOLDER.encode(), program.replace("</", "<\\/").encode())


_WORKER_NAMES = "const {URL} = self;\n"


def _own_part(name: str) -> str:
    return (files("webkeep.mirror.shim") / f"{name}.js").read_text("utf-8")
