"""What is studied apart from its records: responses that came in parts, and files that came without HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

from webkeep.crawl.studied import Found, Situation, Studied
from webkeep.crawl.study import study
from webkeep.fetch.listing import children
from webkeep.fetch.request import Fetched
from webkeep.formats.ranges import joined
from webkeep.model import Body, Exchange, Moment

MOST_LISTED = 64 << 20
"""Bytes of a directory's list that are read."""
_NOT_WEB = ("ftp:", "ftps:", "file:")


def is_apart(fetched: Fetched) -> bool:
    """Whether the records of what came are not what is to be studied."""
    return len(fetched.parts) > 1 or fetched.resource is not None


def studied_apart(situation: Situation, fetched: Fetched) -> Studied:
    """What is in a response that came in parts, or in a file or directory."""
    resource = fetched.resource
    if resource is not None:
        inside = [(url, 0, False) for url in resource.children]
        if inside:
            return Studied(inside)
        return study(situation, file_exchange(fetched.request.url, resource.moment, resource.media_type, resource.body))
    exchange = fetched.exchange
    if exchange is None:
        return Studied([])
    start = next((at for at, part in enumerate(fetched.parts) if part is exchange), 0)
    whole = joined(fetched.parts[start:])
    return study(situation, exchange if whole is None else replace(exchange, body=whole.body))


def file_exchange(url: str, moment: Moment, media_type: str, body: Body) -> Exchange:
    """A file as a response that a web server would send."""
    return Exchange(url, moment, f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode(), body)


def is_directory(url: str) -> bool:
    """Whether a URL is of a directory that was listed, not of a page that a web server made of one."""
    return url.endswith("/") and url.startswith(_NOT_WEB)


def listed(url: str, content: bytes) -> list[Found]:
    """The links of a directory's list as it was stored."""
    if url.startswith("file:"):
        return [(url + quote(name), 0, False) for name in _lines(content)]
    return [(child, 0, False) for child in children(url, content.decode("utf-8", "surrogateescape"))]


def _lines(content: bytes) -> Iterator[bytes]:
    return (name for name in content.split(b"\n") if name)
