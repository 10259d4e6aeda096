"""What another archive holds, asked of real servers."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from fetcher_calls import TLS
from http2_server import Http2Server
from raw_server import RawServer

from fetch_settings import settings as usual_settings
from webkeep.errors import RemoteError
from webkeep.fetch.client import Fetcher
from webkeep.quality.states import ArchiveCoverage, coverage_by_timemaps

URLS = ["http://example.org/", "http://example.org/a.png"]
TRUSTING = usual_settings(certificate_authorities=str(TLS / "ca.pem"))


def ask(spool: Path, prefix: str, urls: Sequence[str] = URLS) -> ArchiveCoverage:
    async def run() -> ArchiveCoverage:
        async with Fetcher(TRUSTING, spool) as door:
            return await coverage_by_timemaps(door, prefix, urls)

    return asyncio.run(run())


def test_what_a_source_says_over_http2_is_heard(tmp_path: Path) -> None:
    with Http2Server(TLS / "site.pem", b"a time map") as server:
        assert ask(tmp_path, f"{server.url}timemap/link/") == ArchiveCoverage(frozenset())
        assert server.requests == 2


def test_what_a_source_does_not_say_is_neither_held_nor_missing(tmp_path: Path) -> None:
    answers = [
        b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n" % each for each in (b"404 Not Found", b"503 Service Unavailable")
    ]
    with RawServer(*answers) as server:
        told = ask(tmp_path, f"{server.url}timemap/link/")
    assert told == ArchiveCoverage(frozenset(URLS[:1]), frozenset(URLS[1:]))


def test_a_source_nobody_listens_at_is_told_at_the_first_request(tmp_path: Path) -> None:
    with RawServer() as server:
        gone = server.url
    with pytest.raises(RemoteError, match=r"cannot be asked \(cannot-connect"):
        ask(tmp_path, f"{gone}timemap/link/", URLS * 1000)
