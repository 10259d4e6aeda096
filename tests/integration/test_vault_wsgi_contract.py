"""The WSGI middleware keeps to the contract (PEP 3333) on both of its sides, whatever an application does."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest
from vault_site import write_application
from warc_material import webkeep

from webkeep.vault.middleware import VaultApplication

PAGE = b"<!doctype html><html><body><p>x</p></body></html>"
HTML = ("Content-Type", "text/html")
LENGTH = ("Content-Length", str(len(PAGE)))
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def whole(_: dict[str, Any], start: Any) -> Iterable[bytes]:
    start("200 OK", [HTML, LENGTH])
    return [PAGE]


def in_two(_: dict[str, Any], start: Any) -> Iterable[bytes]:
    start("200 OK", [HTML, LENGTH])
    return [PAGE[:9], PAGE[9:]]


def streamed(_: dict[str, Any], start: Any) -> Iterator[bytes]:
    start("200 OK", [HTML])
    yield PAGE[:9]
    yield b""
    yield PAGE[9:]


def failing_at_first(_: dict[str, Any], start: Any) -> Iterable[bytes]:
    start("200 OK", [HTML])
    try:
        raise ValueError
    except ValueError:
        start("500 Internal Server Error", [("Content-Type", "text/plain")], sys.exc_info())
    return [b"sorry"]


def not_modified(_: dict[str, Any], start: Any) -> Iterable[bytes]:
    start("304 Not Modified", [("ETag", '"1"')])
    return []


def failing_midway(_: dict[str, Any], start: Any) -> Iterator[bytes]:
    start("200 OK", [HTML])
    yield PAGE[:9]
    raise RuntimeError("midway")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vault")
    (folder / "pages").write_text("".join(f"/{n} 200\n" for n in range(10)))
    done = webkeep("vault", "protect", folder / "vault", "--component", write_application(folder / "app", 100),
                   "--page-list", folder / "pages", "--unencrypted")  # fmt: skip
    assert done.code == 0, done.err
    return folder / "vault"


def visit(application: Application, vault: Path, method: str = "GET") -> tuple[str, dict[str, str], bytes]:
    """One visit to a page that carries blocks, between two that watch the contract."""
    said: list[tuple[str, dict[str, str]]] = []

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        said.append((status, {name.lower(): value for name, value in headers}))
        return lambda _: None

    environ: dict[str, Any] = {"PATH_INFO": "/1", "REQUEST_METHOD": method, "SCRIPT_NAME": "", "QUERY_STRING": ""}
    setup_testing_defaults(environ)
    body = validator(VaultApplication(validator(application), vault))(environ, start)
    try:
        data = b"".join(body)
    finally:
        body.close()  # type: ignore[attr-defined]
    (head,) = said
    return *head, data


@pytest.mark.parametrize("application", [whole, in_two, streamed])
def test_a_page_carries_blocks_and_says_its_length(application: Application, vault: Path) -> None:
    status, fields, data = visit(application, vault)
    assert status == "200 OK" and data.startswith(PAGE) and b"BEGIN_FILE_RECOVERY" in data
    assert fields.get("content-length", str(len(data))) == str(len(data))
    _, fields, _ = visit(application, vault, "HEAD")
    assert "content-length" not in fields


def test_what_is_no_page_passes(vault: Path) -> None:
    assert visit(failing_at_first, vault)[::2] == ("500 Internal Server Error", b"sorry")
    assert visit(not_modified, vault)[::2] == ("304 Not Modified", b"")


def test_what_an_application_raises_midway_reaches_the_server_and_it_is_closed(vault: Path) -> None:
    with pytest.raises(RuntimeError, match="midway"):
        visit(failing_midway, vault)
