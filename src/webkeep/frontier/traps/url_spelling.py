"""Other spellings of an address that was asked for: with another session id, or with its query parameters in another
order.
"""

from __future__ import annotations

from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import shape_of
from webkeep.frontier.urls.lru_map import LruMap
from webkeep.url.canonical import drop_path_session_ids, is_session_parameter

_MAX_ADDRESSES = 50_000
"""Addresses remembered in their plain spelling, in memory: some megabytes."""
_MIN_SESSION_CHARS = 8
"""Shorter values of a parameter that is called like a session are numbers of stations and the like."""


class UrlSpellings:
    """The addresses asked for lately, in a spelling without session and with a sorted query."""

    def __init__(self) -> None:
        # By a hash, for addresses may be long.
        self._asked: LruMap[int, int] = LruMap(_MAX_ADDRESSES)

    def suspicion(self, url: str) -> TrapSuspicion | None:
        """Whether the address was asked for in another spelling; it is remembered if not."""
        path, _, query = url.partition("?")
        if ";" not in path and "(" not in path and not ("&" in query or "=" in query):
            return None
        plain_path = drop_path_session_ids(path)
        assignments = query.split("&") if query else []
        kept = [each for each in assignments if not _is_session(each)]
        ordered = sorted(kept)
        is_session = plain_path != path or len(kept) < len(assignments)
        plain = f"{plain_path}?{'&'.join(ordered)}" if kept else plain_path
        known = self._asked.get(hash(plain))
        if known is None:
            self._asked[hash(plain)] = hash(url)
            return None
        if known == hash(url):
            return None
        if is_session:
            return TrapSuspicion(TrapKind.SESSION, shape_of(url) if plain_path == path else _session_shape(path))
        return TrapSuspicion(TrapKind.PERMUTATION, shape_of(plain))


def _is_session(assignment: str) -> bool:
    return len(assignment.partition("=")[2]) >= _MIN_SESSION_CHARS and is_session_parameter(assignment)


def _session_shape(path: str) -> str:
    """The shape of all addresses of a host with a session in the path."""
    host = path.partition("://")[2].partition("/")[0]
    return f"{host}/*;*" if ";" in path else f"{host}/(*"
