"""What is studied apart from its records: responses that came in several ranges (206), and FTP and file directories,
which come without HTTP; how much of a directory's listing is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import ExtractedLinks, ExtractionContext
from webkeep.extract.links import FoundLink
from webkeep.fetch import FetchResult
from webkeep.fetch.client import child_urls
from webkeep.formats.http import join_ranges
from webkeep.model import Body, Exchange, Moment

MAX_LISTING_BYTES = 64 << 20
"""Bytes of a directory's list that are read, which is held whole: half a million names."""
_FILE_SCHEMES = ("ftp:", "ftps:", "file:")


def is_extracted_apart(fetched: FetchResult) -> bool:
    """Whether the records of what came are not what is to be studied."""
    return len(fetched.parts) > 1 or fetched.resource is not None


def extract_apart(context: ExtractionContext, fetched: FetchResult) -> ExtractedLinks:
    """What is in a response that came in parts, or in a file or directory."""
    resource = fetched.resource
    if resource is not None:
        inside = [(url, 0, False) for url in resource.children]
        if inside:
            return ExtractedLinks(inside)
        return analyse_exchange(
            context, exchange_from_file(fetched.request.url, resource.moment, resource.media_type, resource.body)
        )
    exchange = fetched.exchange
    if exchange is None:
        return ExtractedLinks([])
    start = next((at for at, part in enumerate(fetched.parts) if part is exchange), 0)
    whole = join_ranges(fetched.parts[start:])
    return analyse_exchange(context, exchange if whole is None else replace(exchange, body=whole.body))


def exchange_from_file(url: str, moment: Moment, media_type: str, body: Body) -> Exchange:
    """A file as a response that a web server would send."""
    return Exchange(url, moment, f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode(), body)


def is_listed_directory(url: str) -> bool:
    """Whether a URL is of a directory that was listed, not of a page that a web server made of one."""
    return url.endswith("/") and url.startswith(_FILE_SCHEMES)


def links_from_listing(url: str, content: bytes) -> list[FoundLink]:
    """The links of a directory's list as it was stored."""
    if url.startswith("file:"):
        return [(url + quote(name), 0, False) for name in _listed_names(content)]
    return [(child, 0, False) for child in child_urls(url, content.decode("utf-8", "surrogateescape"))]


def _listed_names(content: bytes) -> Iterator[bytes]:
    return (name for name in content.split(b"\n") if name)
