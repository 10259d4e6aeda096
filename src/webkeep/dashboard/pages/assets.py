"""The style and the scripts of pages; nothing of them is from outside."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.presentation.pages import read_style

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


async def answer_asset(request: Request) -> Response:
    """One of the files of `dashboard/assets`."""
    name = request.path_params["name"]
    content = _read_assets().get(name)
    if content is None:
        raise HTTPException(404)
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers={"cache-control": "max-age=60"})


@cache
def _read_assets() -> dict[str, bytes]:
    folder = files("webkeep.dashboard") / "assets"
    own = {each.name: each.read_bytes() for each in folder.iterdir() if each.name.rpartition(".")[2] in _TYPES}
    return own | {"style.css": read_style(("base", "charts", "dashboard", "jobs")).encode()}
