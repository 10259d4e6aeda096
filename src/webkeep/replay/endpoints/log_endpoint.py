"""The logs of the archives that are served, in their published form: `/log/NAME/checkpoint` and `/log/NAME/tile/…` as
C2SP tlog-tiles has them, and `/log/` with the names; how long each may be cached.
"""

from __future__ import annotations

from webkeep.errors import FormatError, UsageError
from webkeep.formats.transparency import parse_checkpoint, parse_tile_path
from webkeep.replay.choice.collection import Collection
from webkeep.replay.server.message import Request, Response, text_response
from webkeep.store.archive import Archive
from webkeep.store.log import RecordLog, read_tile

LOG_PATH = "/log/"
_CHECKPOINT_CACHING = "no-cache"
_TILE_CACHING = "public, max-age=31536000, immutable"


def log_response(collection: Collection, request: Request) -> Response:
    """The answer to a request for something of a log."""
    path = request.path.removeprefix(LOG_PATH)
    kept = [(archive, archive.log) for archive in collection.archives if archive.log is not None]
    if not path:
        names = "\n".join(f"{LOG_PATH}{log.origin}/checkpoint" for _, log in kept)
        return text_response(200, names) if kept else text_response(404, "no log is kept here")
    for archive, log in kept:
        if path.startswith(f"{log.origin}/"):
            return _respond(archive, log, path.removeprefix(f"{log.origin}/"))
    return text_response(404, f"no log of that name is served; {LOG_PATH} has those that are")


def _respond(archive: Archive, log: RecordLog, path: str) -> Response:
    note = log.checkpoint
    if not note:
        return text_response(404, "this log has no checkpoint yet")
    if path == "checkpoint":
        return _build_response("text/plain; charset=utf-8", _CHECKPOINT_CACHING, note)
    try:
        size = parse_checkpoint(note)[0].size
        tile = parse_tile_path(path)
        if size <= log.size:
            data = read_tile(log, tile, size)
        else:  # more has come since the server was started
            with RecordLog(archive.layout.log, log.origin) as grown:
                data = read_tile(grown, tile, size)
    except (FormatError, UsageError) as error:
        return text_response(404, str(error.args[0]))
    return _build_response("application/octet-stream", _TILE_CACHING, data)


def _build_response(media_type: str, caching: str, data: bytes) -> Response:
    fields = [("Content-Type", media_type), ("Cache-Control", caching), ("Access-Control-Allow-Origin", "*")]
    return Response(200, fields, data)
