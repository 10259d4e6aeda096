"""Requests to the replay server and its answers, as values: how a WebSocket or a service worker is known, the security
class of an answer, and how many parameters a query may have.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs

from webkeep.errors import UsageError
from webkeep.model import CHUNK_BYTES

Fields = list[tuple[str, str]]

_MAX_PARAMETERS = 64
"""Of a query; the CDX interface has about twenty."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks for."""

    method: str
    target: str
    """As it stood in the request line; bytes beyond ASCII as characters of the same number."""
    headers: Mapping[str, str]
    """By lower-case name; a name that came more than once has its values joined."""
    body: bytes = b""
    client: str = ""
    """The address it came from."""

    @property
    def host(self) -> str:
        """The Host field, in lower case."""
        return self.headers.get("host", "").lower()

    @property
    def is_upgrade(self) -> bool:
        """Whether a WebSocket is asked for."""
        return self.headers.get("upgrade", "").lower() == "websocket"

    @property
    def is_service_worker(self) -> bool:
        """Whether the script of a service worker is asked for; browsers say so twice."""
        headers = self.headers
        return "service-worker" in headers or headers.get("sec-fetch-dest") == "serviceworker"

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """What stands behind the first `?`."""
        return self.target.partition("?")[2]

    def in_origin_form(self) -> Request:
        """The same, asked of the server itself: whoever takes it for a proxy names the whole URL (RFC 9112, 3.2.2)."""
        scheme, sign, rest = self.target.partition("://")
        if not sign or scheme.lower() != "http":
            return self
        end = next((at for at, letter in enumerate(rest) if letter in "/?"), len(rest))
        path = rest[end:] if rest[end:].startswith("/") else f"/{rest[end:]}"
        return replace(self, target=path, headers={**self.headers, "host": rest[:end]})

    def parameter(self, name: str) -> str:
        """The first value of a parameter, "" where there is none."""
        return parse_query(self.query).get(name, [""])[0]


class SecurityClass(enum.Enum):
    """What an answer is to a browser that shows it; `locks` says which fields go with each."""

    SEALED = enum.auto()
    """Nothing to be shown or run: what nobody says otherwise of."""
    ARCHIVED = enum.auto()
    """Archived content."""
    NOTICE = enum.auto()
    """A page of ours that may stand on the host of an archived origin."""
    OWN = enum.auto()
    """A page of ours under the server's own name, which brings policies of its own."""


@dataclass(frozen=True, slots=True)
class Response:
    """What is sent back: all of it, or a body that is made while it is sent."""

    status: int
    fields: Fields = field(default_factory=list)
    body: bytes | Iterator[bytes] = b""
    size: int | None = None
    """How long a body is that is made while it is sent; None where nobody knows."""
    upgrade_to: Callable[[], asyncio.Protocol] | None = None
    """What is spoken on the connection from then on, where it is no longer HTTP (status 101)."""
    security_class: SecurityClass = SecurityClass.SEALED


@dataclass(frozen=True, slots=True)
class DeferredResponse:
    """An answer that takes long to make: the server has it made in a thread, and goes on serving others."""

    make: Callable[[], Response]


RequestHandler = Callable[[Request], "Response | DeferredResponse"]


def parse_query(query: str) -> dict[str, list[str]]:
    """The parameters of a query, each with its values."""
    try:
        return parse_qs(query, keep_blank_values=True, max_num_fields=_MAX_PARAMETERS)
    except ValueError:
        raise UsageError(f"there are more than {_MAX_PARAMETERS} parameters; ask for less") from None


def text_response(status: int, text: str, fields: Iterable[tuple[str, str]] = ()) -> Response:
    """A line of plain text."""
    return Response(
        status, [*content_type_fields("text/plain; charset=utf-8"), *fields], f"{text}\n".encode("utf-8", "replace")
    )


def content_type_fields(kind: str) -> Fields:
    """The fields for a body of a type that no browser is to take for another, whatever strangers' words are in it."""
    return [("Content-Type", kind), ("X-Content-Type-Options", "nosniff")]


def encode_in_chunks(pieces: Iterable[str]) -> Iterator[bytes]:
    """Many short pieces of a text as few larger ones, for a body that is made while it is sent."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= CHUNK_BYTES:
            yield "".join(held).encode("utf-8", "surrogateescape")
            held, size = [], 0
    if held:
        yield "".join(held).encode("utf-8", "surrogateescape")


def take_pieces(pieces: Iterator[bytes], most: int) -> tuple[list[bytes], bool]:
    """Pieces until there are more bytes than so many, and whether that was all; the rest is still to be had."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > most:
            return held, False
    return held, True
