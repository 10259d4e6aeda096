"""Pages that were served before are known again, and what a client asks for conditionally is seen otherwise by the
application; all else is handed on as it came.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from webkeep.model import Moment
from webkeep.vault import CarrierPage
from webkeep.vault.components import PathComponent
from webkeep.vault.middleware import VaultMiddleware
from webkeep.vault.protection import ProtectionRequest, VaultFolder, protect

PAGE = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"
OPEN = b"<!DOCTYPE html><html><body><script>let x = 1"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vault")
    (folder / "app").write_bytes(b"application")
    request = ProtectionRequest((PathComponent("app", folder / "app"),), (CarrierPage("/a", 100),), None, "")
    protect(request, VaultFolder(folder / "v"), Moment.parse("2026-01-01"))
    return folder / "v"


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


@pytest.mark.parametrize("field", [(b"range", b"bytes=0-9"), (b"if-none-match", b'"other"')])
def test_a_conditional_request_is_seen_otherwise(vault: Path, field: tuple[bytes, bytes]) -> None:
    (scope,), _ = serve(vault, [PAGE], [(b"host", b"x"), field])
    assert scope["headers"] == [(b"host", b"x")]
