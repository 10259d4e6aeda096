"""The cache that a real Chromium leaves behind, as a repository."""

import asyncio
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fetch_settings import settings as usual_settings
from webkeep.recover.repositories import FetchedVersion
from webkeep.recover.sources import RepositoryContext, open_repositories
from webkeep.url import UrlMatch

PAGES = {"/": (b"text/html", b"<link rel=stylesheet href=/s.css><p>home"), "/s.css": (b"text/css", b"p{color:red}")}


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        kind, body = PAGES.get(self.path, (b"text/html", b""))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind.decode())
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


def test_what_chromium_has_in_its_cache_is_found(tmp_path: Path) -> None:
    profile, spool = tmp_path / "profile", tmp_path / "spool"
    spool.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}"
        call = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom"]
        subprocess.run([*call, f"{root}/"], check=True, timeout=60, capture_output=True)
        server.shutdown()

    async def run() -> dict[str, bytes]:
        found = {}
        async with open_repositories(
            [f"cache={profile}"], RepositoryContext(spool, usual_settings(), ledger=tmp_path / "ledger")
        ) as (cache,):
            async for batch in cache.list_site(f"{root}/", UrlMatch.HOST):
                for held in batch.rows:
                    answer = await cache.fetch_version(held)
                    assert isinstance(answer, FetchedVersion)
                    if held.status == 200:
                        found[held.url.removeprefix(root)] = b"".join(answer.exchange.body.chunks())
        return found

    assert asyncio.run(run()) == {path: body for path, (_, body) in PAGES.items()}
