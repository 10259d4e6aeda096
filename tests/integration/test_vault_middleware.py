"""Applications on real servers that carry blocks while they serve: visitors and archives get whole pages, and
everything comes back out of an archive of them.
"""

import gzip
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from vault_site import PAGE, describe_tree, write_application
from warc_material import webkeep

from webkeep.vault.blocks import strip_blocks
from webkeep.vault.middleware import CarrierOptions, VaultApplication, VaultMiddleware

PAGES = 12
ETAG = '"page-1"'


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vault")
    write_application(folder / "app", 3000)
    (folder / "pages").write_text("# the pages\n" + "".join(f"/page/{n}?lang=en 200\n" for n in range(PAGES)))
    (folder / "passphrase").write_text("correct horse\n")
    done = webkeep("vault", "protect", folder / "vault", "--component", folder / "app", "--page-list", folder / "pages",
                   "--passphrase-file", folder / "passphrase")  # fmt: skip
    assert done.code == 0
    assert done.summary["pages"] == PAGES
    return folder


def html_of(number: str) -> str:
    return PAGE.format(n=number)


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def wsgi_application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    page = html_of(environ["PATH_INFO"].rpartition("/")[2]).encode()
    if environ.get("HTTP_IF_NONE_MATCH") == ETAG:
        start_response("304 Not Modified", [("ETag", ETAG)])
        return []
    if environ["PATH_INFO"].endswith("3"):
        start_response("200 OK", [("Content-Type", "text/html"), ("ETag", ETAG)])
        return (page[at : at + 10] for at in range(0, len(page), 10))
    start_response("200 OK", [("Content-Type", "text/html"), ("ETag", ETAG), ("Content-Length", str(len(page)))])
    return [page]


@contextmanager
def serve_wsgi(vault: Path) -> Iterator[int]:
    server = make_server("127.0.0.1", 0, VaultApplication(wsgi_application, vault), handler_class=QuietHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def asgi_page(request: Request) -> Response:
    page = html_of(request.path_params["number"])
    if request.headers.get("if-none-match") == ETAG:
        return Response(status_code=304, headers={"ETag": ETAG})
    if request.path_params["number"] == "3":
        return StreamingResponse(iter([page[:10], page[10:]]), media_type="text/html", headers={"ETag": ETAG})
    if request.path_params["number"] == "1" and "gzip" in request.headers.get("accept-encoding", ""):
        packed = gzip.compress(page.encode())
        return Response(packed, media_type="text/html", headers={"ETag": ETAG, "Content-Encoding": "gzip"})
    return HTMLResponse(page, headers={"ETag": ETAG})


@contextmanager
def serve_asgi(vault: Path, options: CarrierOptions | None = None, outside: Any = None) -> Iterator[int]:
    application = Starlette(routes=[Route("/page/{number}", asgi_page, methods=["GET", "HEAD"])])
    carrying = VaultMiddleware(application, vault, options)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    served = outside(carrying) if outside is not None else carrying
    server = uvicorn.Server(uvicorn.Config(served, log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def ask(port: int, path: str, method: str = "GET", **fields: str) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("serve", [serve_wsgi, serve_asgi])
def test_pages_carry_blocks_and_nothing_else_changes(vault: Path, serve: Any) -> None:
    with serve(vault / "vault") as port:
        for number in ("1", "3"):
            status, fields, page = ask(port, f"/page/{number}?lang=en")
            assert (status, strip_blocks(page).decode()) == (200, html_of(number))
            assert len(page) > len(html_of(number))
            marked = fields["etag"]
            assert marked.startswith('"page-1-v')
            assert ask(port, f"/page/{number}?lang=en", If_None_Match=marked)[::2] == (304, b"")
            assert ask(port, f"/page/{number}?lang=en", If_None_Match=ETAG)[0] == 200
            assert ask(port, f"/page/{number}?lang=en", Range="bytes=0-3")[2] == page
            status, head, body = ask(port, f"/page/{number}?lang=en", "HEAD")
            assert (status, body, head["etag"]) == (200, b"", marked)
        assert ask(port, "/page/1")[2].decode() == html_of("1")
        assert ask(port, "/page/99?lang=en")[1]["etag"] == ETAG


def test_a_compressed_page_carries_blocks(vault: Path) -> None:
    with serve_asgi(vault / "vault") as port:
        _, fields, body = ask(port, "/page/1?lang=en", Accept_Encoding="gzip")
    assert fields["content-encoding"] == "gzip"
    assert strip_blocks(gzip.decompress(body)).decode() == html_of("1") != gzip.decompress(body).decode()


def test_other_middleware_outside_sees_one_length(vault: Path) -> None:
    with serve_asgi(vault / "vault", outside=GZipMiddleware) as port:
        _, fields, body = ask(port, "/page/2?lang=en", Accept_Encoding="gzip")
    page = gzip.decompress(body)
    assert fields["content-length"] == str(len(body))
    assert strip_blocks(page).decode() == html_of("2") != page.decode()


def test_crawlers_alone_get_blocks_where_that_is_wanted(vault: Path, caplog: pytest.LogCaptureFixture) -> None:
    with serve_asgi(vault / "vault", CarrierOptions(crawlers_only="archive.org_bot|heritrix")) as port:
        assert "cloaking" in caplog.text
        _, fields, page = ask(port, "/page/1?lang=en", User_Agent="Mozilla/5.0")
        assert (page.decode(), fields["etag"]) == (html_of("1"), ETAG)
        assert fields["vary"] == "User-Agent", "caches are not to give it to crawlers"
        _, fields, page = ask(port, "/page/1?lang=en", User_Agent="heritrix/3.4")
        assert strip_blocks(page).decode() == html_of("1") != page.decode()
        assert fields["vary"] == "User-Agent"


def test_what_an_archive_took_brings_everything_back(vault: Path, tmp_path: Path) -> None:
    with serve_asgi(vault / "vault") as port:
        pages = [f"http://127.0.0.1:{port}/page/{n}?lang=en" for n in range(0, PAGES, 2)]
        captured = webkeep("capture", *pages, "--into", tmp_path / "archive", "--scope", "page", "--delay", "0",
                           "--robots", "ignore", "--browser", "off")  # fmt: skip
    assert captured.summary["failed"] == 0
    done = webkeep("vault", "recover", tmp_path / "archive", "--into", tmp_path / "back",
                   "--passphrase-file", vault / "passphrase")  # fmt: skip
    assert done.code == 0
    assert describe_tree(tmp_path / "back/app") == describe_tree(vault / "app")


def test_the_server_follows_when_the_vault_is_protected_again(vault: Path, tmp_path: Path) -> None:
    words = ("--page-list", vault / "pages", "--passphrase-file", vault / "passphrase")
    write_application(tmp_path / "app", 100)
    webkeep("vault", "protect", tmp_path / "vault", "--component", tmp_path / "app", *words)
    with serve_wsgi(tmp_path / "vault") as port:
        before = ask(port, "/page/1?lang=en")
        (tmp_path / "app/app.py").write_text("print('changed')\n")
        webkeep("vault", "protect", tmp_path / "vault", "--component", tmp_path / "app", *words)
        after = ask(port, "/page/1?lang=en")
        assert before[1]["etag"] != after[1]["etag"]
        assert ask(port, "/page/1?lang=en", If_None_Match=before[1]["etag"])[0] == 200
        assert strip_blocks(after[2]) == strip_blocks(before[2])
