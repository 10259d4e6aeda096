"""Pages are named as applications and file systems have them, however addresses spell them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.vault import decode_path, encode_path
from webkeep.vault.components import PathComponent
from webkeep.vault.middleware import VaultMiddleware
from webkeep.vault.protection import ProtectionRequest, VaultFolder, protect, read_page_list

PAGE = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("/a.html", "/a.html"),
        ("/caf\xe9 & bar", "/caf%C3%A9%20&%20bar"),
        ("/100 %?q=%20&r=\xe9", "/100%20%25?q=%20&r=\xe9"),
        ("/what%3F.html", "/what%3F.html"),
        ("/#1", "/%231"),
        ("/latin \udce9", "/latin%20%E9"),
    ],
)
def test_names_and_addresses_are_of_each_other(name: str, escaped: str) -> None:
    assert encode_path(name) == escaped
    assert decode_path(escaped) == name


def test_a_page_of_a_list_carries_blocks_however_it_is_spelled_there(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.write_text("HTTP://Example.org/caf%C3%A9 100\n/%41 100\n/straße 100\n")
    (tmp_path / "app").write_bytes(b"application")
    request = ProtectionRequest((PathComponent("app", tmp_path / "app"),), read_page_list(pages), None, "")
    protect(request, VaultFolder(tmp_path / "v"), Moment.parse("2026-01-01"))
    sent: list[bytes] = []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": PAGE})

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def run() -> None:
        middleware = VaultMiddleware(application, tmp_path / "v")
        for path in ("/caf\xe9", "/A", "/straße"):
            await middleware({"type": "http", "method": "GET", "path": path, "headers": []}, None, send)  # type: ignore[arg-type]

    asyncio.run(run())
    assert [b"BEGIN_FILE_RECOVERY" in body for body in sent[1::2]] == [True, True, True]


def test_a_line_that_names_no_page_is_told(tmp_path: Path) -> None:
    (tmp_path / "pages").write_text("/a 100\nhttp://[no/ 100\n")
    with pytest.raises(UsageError, match=r"pages line 2: 'http://\[no/ 100' names no page"):
        read_page_list(tmp_path / "pages")
