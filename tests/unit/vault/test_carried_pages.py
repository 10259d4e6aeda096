"""Pages that were served before are known again, and what a client asks for conditionally is seen otherwise by the
application; all else is handed on as it came.
"""

import asyncio
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from wsgiref.handlers import SimpleHandler

import pytest

from webkeep.model import Moment
from webkeep.vault import CarrierPage
from webkeep.vault.components import PathComponent
from webkeep.vault.middleware import VaultApplication, VaultMiddleware, carried_blocks
from webkeep.vault.middleware.carried_blocks import CarriedPages
from webkeep.vault.protection import ProtectionRequest, PublishedSegment, VaultFolder, protect

PAGE = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"
OPEN = b"<!DOCTYPE html><html><body><script>let x = 1"


def protect_text(folder: Path, text: bytes, day: str) -> Path:
    (folder / "app").write_bytes(text)
    request = ProtectionRequest((PathComponent("app", folder / "app"),), (CarrierPage("/a", 100),), None, "")
    protect(request, VaultFolder(folder / "v"), Moment.parse(day))
    return folder / "v"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return protect_text(tmp_path_factory.mktemp("vault"), b"application", "2026-01-01")


def serve(vault: Path, bodies: list[object], headers: list[tuple[bytes, bytes]]) -> tuple[list[Any], list[bytes]]:
    """Scopes that an application saw, and bodies that were sent for what it answered."""
    seen: list[Any] = []
    sent: list[bytes] = []
    left = list(bodies)

    async def application(scope: Any, _receive: Any, send: Any) -> None:
        seen.append(scope)
        body = left.pop(0)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html"),
                    (b"content-length", b"%d" % len(body))]})  # type: ignore[arg-type] # fmt: skip
        await send({"type": "http.response.body", "body": body})

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            sent.append(bytes(message["body"]))

    async def run() -> None:
        middleware = VaultMiddleware(application, vault)
        for _ in bodies:
            scope = {"type": "http", "method": "GET", "path": "/a", "query_string": b"", "headers": headers}
            await middleware(scope, None, send)  # type: ignore[arg-type]

    asyncio.run(run())
    return seen, sent


def test_pages_that_come_again_are_judged_as_before(vault: Path) -> None:
    _, sent = serve(vault, [PAGE, OPEN, PAGE, OPEN, bytearray(PAGE)], [])
    carried = [body.startswith(PAGE) and b"BEGIN_FILE_RECOVERY" in body for body in sent]
    assert carried == [True, False, True, False, True]
    assert sent[0] == sent[2] == sent[4] and sent[1] == sent[3] == OPEN


def test_a_plain_request_is_handed_on_as_it_came(vault: Path) -> None:
    headers = [(b"host", b"x"), (b"accept", b"*/*")]
    (scope,), _ = serve(vault, [PAGE], headers)
    assert scope["headers"] is headers


def test_messages_of_the_application_stay_as_they_are(vault: Path) -> None:
    head = {"type": "http.response.start", "status": 200, "trailers": False,
            "headers": [(b"content-type", b"text/html"), (b"content-length", b"%d" % len(PAGE))]}  # fmt: skip
    body = {"type": "http.response.body", "body": PAGE}
    before = ({**head, "headers": list(head["headers"])}, dict(body))  # type: ignore[call-overload]
    sent: list[Any] = []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        await asyncio.create_task(send(head))  # whatever takes a coroutine takes it
        await asyncio.create_task(send(body))

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        middleware = VaultMiddleware(application, vault)
        for _ in range(4):
            await middleware({"type": "http", "method": "GET", "path": "/a", "headers": []}, None, send)  # type: ignore[arg-type]
            sent[-2]["headers"].append((b"server", b"x"))

    asyncio.run(run())
    assert (head, body) == before
    assert sent[0::2] == [sent[0]] * 4 and sent[1::2] == [sent[1]] * 4
    assert sent[0]["trailers"] is False
    assert len(sent[1]["body"]) > len(PAGE)


@pytest.mark.parametrize("field", [(b"range", b"bytes=0-9"), (b"if-none-match", b'"other"')])
def test_a_conditional_request_is_seen_otherwise(vault: Path, field: tuple[bytes, bytes]) -> None:
    (scope,), _ = serve(vault, [PAGE], [(b"host", b"x"), field])
    assert scope["headers"] == [(b"host", b"x")]


def test_blocks_of_before_are_not_held_once_a_new_state_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = CarriedPages(protect_text(tmp_path, b"old", "2026-01-01"))
    read = VaultFolder.read_comment

    def read_while_others_protect(folder: VaultFolder, segment: PublishedSegment, index: int) -> bytes:
        comment = read(folder, segment, index)
        if segment.identity.name != "manifest":  # which is what a page carries last
            return comment
        monkeypatch.setattr(VaultFolder, "read_comment", read)
        protect_text(tmp_path, b"new", "2026-01-02")
        monkeypatch.setattr(carried_blocks, "_LOOK_SECONDS", 0.0)
        pages._next_look = 0.0
        assert pages.find("/other") is None
        return comment

    monkeypatch.setattr(VaultFolder, "read_comment", read_while_others_protect)
    pages.find("/a")
    found = pages.find("/a")
    assert found is not None
    assert found.moved == Moment.parse("2026-01-02")


def answer_of(application: Any, vault: Path) -> bytes:
    """All that a server of the standard library sends for a page that carries blocks."""
    sent = io.BytesIO()
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a", "SERVER_PROTOCOL": "HTTP/1.1"}
    SimpleHandler(io.BytesIO(), sent, io.StringIO(), environ).run(VaultApplication(application, vault))
    return sent.getvalue()


def test_wsgi_hands_on_what_is_not_conditional_as_it_came(vault: Path) -> None:
    seen: list[Any] = []

    def application(environ: Any, start_response: Any) -> Iterable[bytes]:
        seen.append(environ)
        start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(PAGE)))])
        return [PAGE]

    carrying = VaultApplication(application, vault)
    plain = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}
    asked = {**plain, "HTTP_IF_NONE_MATCH": '"x"', "HTTP_RANGE": "bytes=0-9"}
    heads: list[Any] = []
    bodies = [
        b"".join(carrying(environ, lambda *head: heads.append(head)))  # type: ignore[arg-type,return-value]
        for environ in (plain, plain, plain, asked)
    ]
    assert seen[0] is plain
    assert seen[3] == plain
    assert bodies == [bodies[0]] * 4 and bodies[0].startswith(PAGE) and len(bodies[0]) > len(PAGE)
    assert heads == [heads[0]] * 4


def test_what_is_sent_by_write_passes_as_it_is(vault: Path) -> None:
    def application(_environ: Any, start_response: Any) -> Iterable[bytes]:
        write = start_response("200 OK", [("Content-Type", "text/html"), ("ETag", '"x"')])
        write(PAGE[:20])
        write(PAGE[20:])
        return []

    head, _, body = answer_of(application, vault).partition(b"\r\n\r\n")
    assert body == PAGE
    assert b'ETag: "x"\r\n' in head + b"\r\n"


def test_a_failure_in_the_middle_of_a_page_does_not_pass_for_its_end(vault: Path) -> None:
    raised = []

    def application(_environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/html")])
        yield PAGE[:30]
        try:
            raise ValueError("no database")
        except ValueError:
            try:
                start_response("500 Failed", [("Content-Type", "text/plain")], sys.exc_info())
            except ValueError as error:
                raised.append(error)
                raise
        yield b"sorry"

    assert b"sorry" not in answer_of(application, vault)
    assert len(raised) == 1
