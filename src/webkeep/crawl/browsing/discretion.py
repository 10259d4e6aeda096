"""Discretion: values out of a login's local storage, which pages use as they like, hidden wherever we write them down.

What servers answer is stored as it came. In what the browser sends, and in notes of what pages look like, every letter
of such a value is a star: lengths stay what they were, and so does everything that counts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from webkeep.model import Body, BytesBody, Exchange

_SHORTEST = 16
"""Shorter values are settings rather than secrets, and words of every page."""
_LARGEST = 8 << 20
_TOKEN = re.compile(r"[!-~]+").fullmatch
_PLACES = ("/", "http:", "https:")


class Discretion:
    """Hides values in bytes."""

    def __init__(self, stores: Mapping[str, Mapping[str, str]]) -> None:
        found = {each for store in stores.values() for value in store.values() for each in _secrets(value)}
        found |= {json.dumps(each)[1:-1] for each in found}
        longest_first = sorted(found, key=lambda each: (-len(each), each))
        self._secrets = re.compile(b"|".join(re.escape(each.encode()) for each in longest_first)) if found else None

    def hidden(self, data: bytes) -> bytes:
        """The same with stars for secrets."""
        return data if self._secrets is None else self._secrets.sub(lambda found: b"*" * len(found[0]), data)

    def cleaned(self, exchange: Exchange) -> Exchange:
        """An exchange whose request tells no secrets, but for its URL, without which nobody finds it."""
        if self._secrets is None:
            return exchange
        line, end, fields = exchange.request.partition(b"\r\n")
        return replace(
            exchange, request=line + end + self.hidden(fields), request_body=self._body(exchange.request_body)
        )

    def _body(self, body: Body) -> Body:
        if not body.size:
            return body
        if body.size > _LARGEST:
            return BytesBody(b"*" * body.size)
        return BytesBody(self.hidden(b"".join(body.chunks())))


def _secrets(value: str) -> Iterator[str]:
    """What in a stored value is one: it, or what JSON in it holds."""
    if _is_secret(value):
        yield value
    try:
        waiting: list[Any] = [json.loads(value)] if value[:1] in '{["' else []
    except (ValueError, RecursionError):
        return
    while waiting:
        match waiting.pop():
            case str() as text if _is_secret(text):
                yield text
            case dict() as table:
                waiting.extend(table.values())
            case list() as items:
                waiting.extend(items)
            case _:
                pass


def _is_secret(text: str) -> bool:
    return len(text) >= _SHORTEST and _TOKEN(text) is not None and not text.startswith(_PLACES)
