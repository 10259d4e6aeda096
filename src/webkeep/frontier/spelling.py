"""Other spellings of an address that was asked for: with another session, or with its query in another order."""

from __future__ import annotations

from webkeep.frontier.lately import Lately
from webkeep.frontier.shape import shape_of
from webkeep.frontier.suspicion import Kind, Suspicion
from webkeep.url.sessions import is_session_parameter, without_path_sessions

_REMEMBERED = 50_000
_SHORTEST_SESSION = 8
"""Shorter values of a parameter that is called like a session are numbers of stations and the like."""


class Spellings:
    """The addresses asked for lately, in a spelling without session and with a sorted query."""

    def __init__(self) -> None:
        # By a hash, for addresses may be long.
        self._asked: Lately[int, int] = Lately(_REMEMBERED)

    def suspicion(self, url: str) -> Suspicion | None:
        """Whether the address was asked for in another spelling; it is remembered if not."""
        path, _, query = url.partition("?")
        if ";" not in path and "(" not in path and not ("&" in query or "=" in query):
            return None
        plain_path = without_path_sessions(path)
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
            return Suspicion(Kind.SESSION, shape_of(url) if plain_path == path else _session_shape(path))
        return Suspicion(Kind.PERMUTATION, shape_of(plain))


def _is_session(assignment: str) -> bool:
    return len(assignment.partition("=")[2]) >= _SHORTEST_SESSION and is_session_parameter(assignment)


def _session_shape(path: str) -> str:
    """The shape of all addresses of a host with a session in the path."""
    host = path.partition("://")[2].partition("/")[0]
    return f"{host}/*;*" if ";" in path else f"{host}/(*"
