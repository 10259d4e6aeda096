"""Requests through a fetcher that is opened for them, one after the other or all at once."""

import asyncio
from pathlib import Path

from fetch_settings import settings as usual_settings
from webkeep.fetch import FetchRequest, FetchResult, FetchSettings
from webkeep.fetch.client import Fetcher
from webkeep.model import Exchange

TLS = Path(__file__).parent.parent / "data" / "tls"


def fetch(spool: Path, *requests: FetchRequest, settings: FetchSettings | None = None) -> list[FetchResult]:
    async def run() -> list[FetchResult]:
        async with Fetcher(settings or usual_settings(), spool) as door:
            return [await door.fetch(request) for request in requests]

    return asyncio.run(run())


def fetch_at_once(spool: Path, *requests: FetchRequest, settings: FetchSettings | None = None) -> list[FetchResult]:
    async def run() -> list[FetchResult]:
        async with Fetcher(settings or usual_settings(), spool) as door:
            return await asyncio.gather(*map(door.fetch, requests))

    return asyncio.run(run())


def wire(exchange: Exchange | None) -> bytes:
    """Head and body as they came."""
    assert exchange is not None
    return exchange.response + b"".join(exchange.body.chunks())
