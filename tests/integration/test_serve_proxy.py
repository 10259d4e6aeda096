"""Proxy mode by its answers: what a browser whose proxy this is gets for which request."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from serve_calls import archive_of, page

from webkeep.model import Moment
from webkeep.replay.endpoints import ProxyModeHandler, ServePlan, open_server
from webkeep.replay.server import DeferredResponse, Request, Response
from webkeep.web.page_router import ArchivePages

HOST = "http://example.org"
PICTURE = f"{HOST}/picture.png"


@contextmanager
def proxying(path: Path, moment: str, access: tuple[str, ...] = ()) -> Iterator[ProxyModeHandler]:
    plan = ServePlan((str(path),), (str(path),), "http://localhost:8080", access=access)
    with open_server(plan, ArchivePages) as context:
        yield ProxyModeHandler(context, Moment.parse(moment))


def asked(proxy: ProxyModeHandler, url: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = proxy.respond("", Request(method, url, named))
    made = answer.make() if isinstance(answer, DeferredResponse) else answer
    assert isinstance(made, Response)
    body = made.body if isinstance(made.body, bytes) else b"".join(made.body)
    return made.status, body, dict(made.fields)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A page of March; a picture seen the same before and after it, and another that is nearer in time."""
    return archive_of(
        tmp_path / "archive",
        page(f"{HOST}/", "20230301", "<img src=picture.png>"),
        page(PICTURE, "20230201", b"old", "image/png"),
        page(PICTURE, "20230401", b"old", "image/png"),
        page(PICTURE, "20230410", b"new", "image/png"),
        page(f"{HOST}/moved", "20230301", "", status="301 Moved", head="Location: https://example.org/moved\r\n"),
        page(f"{HOST}/items", "20230301", "", status="204 No", request=b"OPTIONS /items HTTP/1.1\r\n\r\n"),
        page(f"{HOST}/items", "20230302", "items", "text/plain"),
    )


def test_a_part_is_chosen_by_the_page_that_asks_for_it(archive: Path) -> None:
    with proxying(archive, "20230420") as proxy:
        assert asked(proxy, PICTURE)[1] == b"new"
        status, body, fields = asked(proxy, PICTURE, referer=f"{HOST}/", accept="image/*", sec_fetch_dest="image")
        assert (status, body, fields["Webkeep-Fit"].partition(";")[0]) == (200, b"old", "coherent")
        # Without encryption a browser does not say what a request is for.
        assert asked(proxy, PICTURE, referer=f"{HOST}/", accept="image/*")[1] == b"old"
        assert asked(proxy, PICTURE, referer=f"{HOST}/", accept="text/html")[1] == b"new"


def test_pages_are_asked_to_name_themselves_unless_they_say_otherwise(archive: Path) -> None:
    with proxying(archive, "2024") as proxy:
        assert asked(proxy, f"{HOST}/")[2]["Referrer-Policy"] == "unsafe-url"


def test_each_method_gets_what_answered_it(archive: Path) -> None:
    with proxying(archive, "20230301") as proxy:
        assert asked(proxy, f"{HOST}/items", "OPTIONS", referer=f"{HOST}/", accept="*/*")[0] == 204
        assert asked(proxy, f"{HOST}/items", referer=f"{HOST}/", accept="*/*")[:2] == (200, b"items")


def test_a_redirection_to_what_is_asked_for_does_not_go_on_for_ever(archive: Path) -> None:
    with proxying(archive, "2024") as proxy:
        assert asked(proxy, f"{HOST}/moved")[0] == 301
        assert asked(proxy, "https://example.org/moved")[0] == 404


def test_the_rules_hold_for_it_too(archive: Path) -> None:
    with proxying(archive, "2024", ("block:example.org/picture*",)) as proxy:
        assert asked(proxy, PICTURE)[0] == 451
        assert asked(proxy, f"{HOST}/")[0] == 200


def test_fields_that_servers_on_the_way_obey_go_out_by_another_name_and_within_bounds(tmp_path: Path) -> None:
    obeyed = (
        "X-Accel-Redirect",
        "X-Sendfile",
        "X-LiteSpeed-Location",
        "X-Reproxy-URL",
        "X-Lighttpd-Send-File",
        "X-Accel-Buffering",
    )
    head = "".join(f"{name}: /etc/passwd\r\n" for name in obeyed) + "X-Total-Count: 7\r\nX-Told: by the server\r\n"
    many = "".join(f"X-Filling-{number}: {'x' * 4000}\r\n" for number in range(200))
    made = archive_of(tmp_path / "fields", page(f"{HOST}/", "20230301", "x", head=head + many))
    with proxying(made, "20230301") as proxy:
        fields = asked(proxy, f"{HOST}/")[2]
    assert not set(obeyed) & set(fields)
    assert fields["X-Total-Count"] == "7"
    assert fields["X-Told"] == "by the server"
    assert fields["X-Archive-Orig-X-Sendfile"] == "/etc/passwd"
    assert sum(len(value) for value in fields.values()) < 60_000
