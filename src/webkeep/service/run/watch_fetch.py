"""Requests of watches: bounded in size and time, however long a feed is or how slowly it comes, and kept away from
private addresses wherever redirects lead.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.fetch import FetchLimits, FetchRequest, FetchSettings
from webkeep.fetch.client import Fetcher
from webkeep.formats.codings import decode_body
from webkeep.formats.http import parse_response
from webkeep.formats.status import NOT_MODIFIED, OK, is_redirection
from webkeep.service.sent_values import check_sent_url
from webkeep.url import resolve_url

MAX_ANSWER_BYTES = 20_000_000
"""Of one answer, packed and unpacked: sitemaps have 50 MB at most, and feeds a few hundred kB."""
_LIMITS = FetchLimits(connect_seconds=10, seconds=60, max_stall_seconds=20, size=MAX_ANSWER_BYTES)
_WEB_PREFIXES = ("http://", "https://")
_MAX_ANSWER_SECONDS = 90.0
"""Of one answer with all redirects before it, each of which may take its time."""
_MAX_REDIRECTS = 5
"""A feed that moved is found in one or two."""
_MAX_CONNECTIONS = 16
"""Watches that look at one time."""


@dataclass(frozen=True, slots=True)
class WatchAnswer:
    """What a server said."""

    url: str
    """Where the answer is from, behind redirects."""
    content: bytes = b""
    validators: tuple[tuple[str, str], ...] = ()
    is_unchanged: bool = False
    trouble: str = ""
    """Why there is no content, or not all of it; empty where all is well."""


def open_watch_fetcher(spool: Path) -> Fetcher:
    """What asks for all watches."""
    spool.mkdir(parents=True, exist_ok=True)
    return Fetcher(FetchSettings(connections=_MAX_CONNECTIONS, connections_per_host=1), spool)


async def fetch_watched(
    fetcher: Fetcher, url: str, validators: tuple[tuple[str, str], ...], is_local_allowed: bool
) -> WatchAnswer:
    """Ask for what is watched."""
    try:
        async with asyncio.timeout(_MAX_ANSWER_SECONDS):
            return await _follow(fetcher, url, validators, is_local_allowed)
    except TimeoutError:
        return WatchAnswer(url, trouble=f"no answer within {_MAX_ANSWER_SECONDS:g} seconds")


async def _follow(
    fetcher: Fetcher, url: str, validators: tuple[tuple[str, str], ...], is_local_allowed: bool
) -> WatchAnswer:
    """The answer behind all redirects."""
    for _ in range(_MAX_REDIRECTS + 1):
        try:
            url = check_sent_url(url, is_local_allowed)
        except UsageError as error:
            return WatchAnswer(url, trouble=str(error))
        request = FetchRequest(url, headers=validators, private=is_local_allowed, limits=_LIMITS)
        fetched = await fetcher.fetch(request)
        if fetched.exchange is None:
            return WatchAnswer(url, trouble=f"{fetched.failure}: {fetched.detail}")
        head = parse_response(fetched.exchange.response)
        location = head.headers.get("location").strip()
        if is_redirection(head.status) and head.status != NOT_MODIFIED and location:
            url = resolve_url(url, location) or ""
            if not url.startswith(_WEB_PREFIXES):  # a server may name no file of this machine, whoever allowed the feed
                return WatchAnswer(url, trouble=f"it leads to {url[:200]}, which is not on the web")
            continue
        if head.status == NOT_MODIFIED:
            return WatchAnswer(url, is_unchanged=True, validators=validators)
        if head.status != OK:
            return WatchAnswer(url, trouble=f"status {head.status}")
        content = b"".join(decode_body(head.headers, fetched.exchange.body.chunks(), MAX_ANSWER_BYTES))
        pairs = (("If-None-Match", head.headers.get("etag")), ("If-Modified-Since", head.headers.get("last-modified")))
        why = fetched.failure or ("too-large" if len(content) >= MAX_ANSWER_BYTES else "")
        trouble = f"only the first {len(content):,} bytes were read: {why}" if why else ""
        return WatchAnswer(url, content, tuple(pair for pair in pairs if pair[1]), trouble=trouble)
    return WatchAnswer(url, trouble="too many redirects")
