"""Calls of the API of a service that is elsewhere, with a token, in JSON; what it refuses is said in its own words."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from webkeep.errors import RemoteError, UsageError
from webkeep.fetch import FetchLimits, FetchRequest, FetchSettings, is_private_name
from webkeep.formats import read_json
from webkeep.formats.codings import decode_body
from webkeep.formats.http import parse_response
from webkeep.formats.status import is_successful
from webkeep.model import BytesBody
from webkeep.url import split_url

TOKEN_VARIABLE = "WEBKEEP_TOKEN"
"""The variable that has the token; words of a call are seen by every user of the machine."""
_API_PATH = "api/v1"
_MAX_ANSWER_BYTES = 64 << 20
"""A thousand jobs with long plans are a few megabytes."""
_LIMITS = FetchLimits(connect_seconds=10, seconds=120, max_stall_seconds=60, size=_MAX_ANSWER_BYTES)
_UNAUTHORIZED, _NOT_FOUND = 401, 404
_MAX_TOKEN_BYTES = 4096
"""Of a file with one, which has some 50: another file is not read whole by mistake."""


class MissingError(UsageError):
    """What a call is about is not there, or not for this token to see."""


@dataclass(frozen=True, slots=True)
class ServiceClient:
    """A service, by the address of its pages and a token."""

    address: str
    token: str = field(repr=False)

    def get(self, path: str, query: Mapping[str, object] | None = None) -> Any:
        """What a call tells."""
        given = {name: value for name, value in (query or {}).items() if value not in ("", None)}
        return self._call("GET", f"{path}?{urlencode(given, doseq=True)}" if given else path, None)

    def send(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """What a call that changes something tells; values that are None are not sent."""
        return self._call(method, path, {name: value for name, value in (body or {}).items() if value is not None})

    def list_pieces(self, path: str, name: str, query: Mapping[str, object], most: int | None = None) -> Iterator[Any]:
        """Everything in a list that is told in pieces, or so much of it."""
        cursor, told = "", 0
        while True:
            limit = 1000 if most is None else min(1000, most - told)
            piece = self.get(path, {**query, "limit": limit, "cursor": cursor})
            yield from piece[name]
            told, cursor = told + len(piece[name]), piece["next"] or ""
            if not cursor or (most is not None and told >= most):
                return

    def _call(self, method: str, path: str, body: object) -> Any:
        status, content = asyncio.run(self._fetch(method, f"{self.address}{_API_PATH}{path}", body))
        value = read_json(content) if content else None
        if is_successful(status):
            return value
        said = value.get("error") if isinstance(value, dict) else None
        if status == _UNAUTHORIZED:
            raise UsageError(f"{self.address} does not know the token; make one on the page of your account there")
        line = str(said or f"status {status}; is {self.address} the address of a service?")
        raise (MissingError if status == _NOT_FOUND else UsageError)(line)

    async def _fetch(self, method: str, url: str, body: object) -> tuple[int, bytes]:
        from webkeep.fetch.client import Fetcher  # the help of these verbs needs none

        headers = [("Authorization", f"Bearer {self.token}"), ("Accept", "application/json")]
        sent = b"" if body is None else json.dumps(body).encode()
        headers += [] if body is None else [("Content-Type", "application/json")]
        with tempfile.TemporaryDirectory(prefix="webkeep-") as spool:
            async with Fetcher(FetchSettings(connections=1, connections_per_host=1), Path(spool)) as fetcher:
                request = FetchRequest(url, method, tuple(headers), BytesBody(sent), private=True, limits=_LIMITS)
                fetched = await fetcher.fetch(request)
                if fetched.exchange is None or fetched.failure is not None:
                    raise RemoteError(f"{self.address} gives no answer ({fetched.failure}: {fetched.detail})")
                head = parse_response(fetched.exchange.response)
                content = decode_body(head.headers, fetched.exchange.body.chunks(), _MAX_ANSWER_BYTES)
                return head.status or 0, b"".join(content)


def quote_name(name: str) -> str:
    """A name as a part of a path."""
    return quote(name, safe="")


def open_client(args: argparse.Namespace) -> ServiceClient:
    """The service that a call names, with the token of whoever calls."""
    if args.store_address:
        raise UsageError("--database is for a folder; a service that is elsewhere has its own")
    address = args.folder if args.folder.endswith("/") else f"{args.folder}/"
    parts = split_url(address)
    if parts.scheme == "http" and not is_private_name(parts.host.strip("[]")):
        raise UsageError(f"{address} would be sent the token in the clear; write https://")
    return ServiceClient(address, _read_token(args.token_file))


def _read_token(path: Path | None) -> str:
    if path is None:
        token = os.environ.get(TOKEN_VARIABLE, "")
    else:
        try:
            with path.open("rb") as stream:
                token = stream.read(_MAX_TOKEN_BYTES).decode("utf-8", "replace")
        except OSError as error:
            raise UsageError(f"cannot read the token from {path} ({error.strerror})") from error
    if not token.strip() or not token.strip().isascii() or len(token.split()) > 1:
        raise UsageError(
            f"a service that is elsewhere wants a token of yours: give it in {TOKEN_VARIABLE} or --token-file; it is "
            "made on the page of your account"
        )
    return token.strip()
