"""Answers that come again and again: known at once, and never mistaken for something else."""

import shutil
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from recorded_app import HOST, HTML, Page, Site

from webkeep.model import Moment
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.recorder.wsgi import archiving_application
from webkeep.store.archive import Archive
from webkeep.url.scope import exclude_rule

TIMES = 4


def ask_often(site: Site, body: bytes | list[bytes], target: str = "/") -> None:
    site.page.body = body
    for _ in range(TIMES):
        site.ask(target)


@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_what_comes_back_is_a_change_however_often_it_was_seen(tmp_path: Path, pieces: int) -> None:
    site = Site(tmp_path / "a")
    for word in (b"one", b"two", b"one", b"three"):
        # Frameworks send an empty piece last where they do not know that the one before was.
        ask_often(site, {1: word, 2: [word, b""], 3: [word, b"more", b""]}[pieces])
    end = b"more" if pieces == 3 else b""
    assert site.bodies() == [b"one" + end, b"two" + end, b"one" + end, b"three" + end]
    assert site.counts() == {"recorded": 4, "unchanged": 4 * TIMES - 4}


def test_a_known_page_that_grows_a_second_piece_is_heard_whole(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    ask_often(site, b"one")
    ask_often(site, [b"one", b" and more"])
    ask_often(site, [b"one", b""])
    assert site.bodies() == [b"one", b"one and more", b"one"]


def test_a_known_page_that_breaks_off_is_cut(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", RecorderRules(partial=True))
    ask_often(site, b"one")
    site.page.is_cut = True
    site.ask()
    assert site.bodies() == [b"one", b"one"]
    with Archive(tmp_path / "a") as archive:
        assert [record.get("warc-truncated") for record in archive.records() if record.get("warc-truncated")] == [
            "disconnect"
        ]


@pytest.mark.parametrize(
    ("status", "headers"),
    [(404, (HTML,)), (200, (HTML, (b"set-cookie", b"a=b"))), (200, (HTML, (b"cache-control", b"private")))],
    ids=["status", "cookie", "private"],
)
def test_a_known_body_under_another_head_is_looked_at(
    tmp_path: Path, status: int, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    site = Site(tmp_path / "a")
    ask_often(site, b"one")
    site.page.status, site.page.headers = status, headers
    ask_often(site, b"one")
    assert [observation.status for observation, _ in site.kept()] == ([200] if status == 200 else [200, 404])
    assert site.counts().get("private", 0) == (TIMES if status == 200 else 0)


def test_variants_that_take_turns_are_all_known(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    for _ in range(TIMES):
        for language in (b"de", b"en"):
            site.page.headers = [HTML, (b"content-language", language)]
            site.page.body = language
            site.ask()
    site.middleware.close()
    assert len(site.middleware.recorder.recent.known_fingerprints) == 2
    assert site.counts() == {"recorded": 2, "unchanged": 2 * TIMES - 2}


def test_what_had_to_be_forgotten_is_not_known_any_more(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(remembered=1))
    for word, target in ((b"one", "/a"), (b"b", "/b"), (b"two", "/a"), (b"b", "/b"), (b"one", "/a")):
        ask_often(site, word, target)
    kept = [body for observation, body in site.kept() if observation.url.endswith("/a")]
    assert kept == [b"one", b"two", b"one"]
    assert len(site.middleware.recorder.recent.known_fingerprints) == 1


def test_places_without_a_raw_path_are_told_apart(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    for target in ("/a", "/b"):
        for _ in range(TIMES):
            site.ask(target, raw_path=None)
    assert [observation.url[-2:] for observation, _ in site.kept()] == ["/a", "/b"]


def test_heads_that_are_read_only_once_reach_the_server(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", page=Page(b"one"))
    for _ in range(TIMES):
        site.page.headers = [HTML]
        once = iter([HTML])
        sent = _answered(site, {"type": "http.response.start", "status": 200, "headers": once})
        assert list(sent[0]["headers"]) == [HTML]
    assert site.bodies() == [b"one"]
    assert site.counts() == {"recorded": 1, "unchanged": TIMES - 1}


def test_fields_that_are_lists_are_fields(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", page=Page(b"one"))
    for _ in range(TIMES):
        _answered(site, {"type": "http.response.start", "status": 200, "headers": [list(HTML)]})
    assert site.bodies() == [b"one"]
    assert site.counts() == {"recorded": 1, "unchanged": TIMES - 1}


def _answered(site: Site, head: dict[str, Any], *pieces: bytes | None) -> list[Any]:
    async def app(scope: Any, receive: Any, send: Callable[[Any], Any]) -> None:
        await send(head)
        for number, piece in enumerate(pieces or [b"one"], 1):
            await send({"type": "http.response.body", "body": piece, "more_body": number < len(pieces)})

    site.middleware._app = app
    return site.ask()


def test_bodies_are_held_while_there_is_room_and_known_without_it(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(memory=8 * 1000))
    recent = site.middleware.recorder.recent
    for target in ("/a", "/b", "/c"):
        ask_often(site, b"x" * 400, target)
    assert list(recent.held_bodies.values()) == [b"x" * 400] * 2
    ask_often(site, b"y" * 500, "/a")
    assert list(recent.held_bodies.values()) == [b"x" * 400, b"y" * 500]
    site.middleware.close()
    assert site.counts() == {"recorded": 4, "unchanged": 4 * TIMES - 4}


def test_an_empty_answer_is_not_the_empty_end_of_another(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", page=Page(b""))
    for fields in [(HTML,)] * TIMES:  # no list, so that all of it takes the long way
        _answered(site, {"type": "http.response.start", "status": 200, "headers": fields}, b"one", b"")
    site.page.headers = [HTML]
    for _ in range(TIMES):
        _answered(site, {"type": "http.response.start", "status": 200, "headers": [HTML]}, b"")
    assert site.bodies() == [b"one", b""]


def test_a_body_that_is_none_is_no_known_one(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", page=Page(b"one"))
    ask_often(site, b"one")
    _answered(site, {"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]}, None)
    site.middleware.close()
    assert site.counts() == {"recorded": 1, "unchanged": TIMES - 1, "failed": 1}


def test_after_a_drop_the_one_before_is_still_known(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(memory=1000))
    ask_often(site, b"one")
    ask_often(site, b"x" * 2000)
    ask_often(site, b"one")
    assert site.bodies() == [b"one"]
    assert site.counts() == {"recorded": 1, "unchanged": 2 * TIMES - 1, "dropped": TIMES}


def test_what_rules_leave_out_is_counted_each_time(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", RecorderRules((exclude_rule("/private/*"),)))
    ask_often(site, b"one", "/private/x")
    ask_often(site, [b"one", b"two"], "/private/x")
    ask_often(site, b"one", "/public")
    assert [observation.url[-7:] for observation, _ in site.kept()] == ["/public"]
    assert site.counts() == {"left-out": 2 * TIMES, "recorded": 1, "unchanged": TIMES - 1}


def test_the_moment_is_that_of_the_first_piece(tmp_path: Path) -> None:
    class Steps:
        micros = 1_750_000_000_000_000

        def now(self) -> Moment:
            self.micros += 1_000_000
            return Moment(self.micros)

    site = Site(tmp_path / "a")
    site.middleware.recorder.clock = clock = Steps()
    asked: list[Moment] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Any]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [HTML]})
        asked.append(clock.now())
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        asked.append(clock.now())
        await send({"type": "http.response.body", "body": b"two"})

    site.middleware._app = app
    site.ask("/", [HOST])
    [(observation, _)] = site.kept()
    assert asked[0] < observation.moment < asked[1]


class WsgiPage:
    """A WSGI application with one page, whose body comes as a list or bit by bit."""

    def __init__(self) -> None:
        self.body = [b"one"]
        self.is_lazy = False

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/html")])
        return iter(self.body) if self.is_lazy else self.body


def wsgi_get(app: Any, path: str = "/") -> bytes:
    environ = {
        "REQUEST_METHOD": "GET",
        "SERVER_NAME": "example.org",
        "SERVER_PORT": "80",
        "PATH_INFO": path,
        "wsgi.url_scheme": "http",
    }
    result = app(environ, lambda *_: lambda _: None)
    try:
        return b"".join(result)
    finally:
        getattr(result, "close", lambda: None)()


@pytest.mark.parametrize("is_lazy", [False, True], ids=["list", "iterator"])
def test_wsgi_answers_that_come_back(tmp_path: Path, is_lazy: bool) -> None:
    page = WsgiPage()
    page.is_lazy = is_lazy
    app = archiving_application(page, tmp_path / "a", RecorderRules((exclude_rule("/private"),)))
    for body in ([b"one"], [b"two"], [b"one", b" and more"], [b"one"], []):
        page.body = body
        for _ in range(TIMES):
            assert wsgi_get(app) == b"".join(body)
            wsgi_get(app, "/private")
    app.close()
    with Archive(tmp_path / "a") as archive:
        kept = [archive.read(each).read() for each in archive.observations()]
    assert kept == [b"one", b"two", b"one and more", b"one", b""]
    counts = {str(count): number for count, number in app.recorder.counts.items() if number}
    assert counts == {"recorded": 5, "unchanged": 5 * TIMES - 5, "left-out": 5 * TIMES}


def test_threads_count_every_answer(tmp_path: Path) -> None:
    app = archiving_application(WsgiPage(), tmp_path / "a")
    wsgi_get(app)
    visits = 2000
    threads = [threading.Thread(target=lambda: [wsgi_get(app) for _ in range(visits)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(3):  # asking changes nothing
        counts = {str(count): number for count, number in app.recorder.counts.items()}
    app.close()
    assert counts["unchanged"] == 4 * visits


def test_nothing_is_recorded_in_an_archive_that_was_deleted(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(retry=3600))
    site.page.body = b"one"
    site.ask()
    while site.counts() != {"recorded": 1}:
        threading.Event().wait(0.01)
    shutil.rmtree(tmp_path / "a")
    for word in (b"two", b"three", b"four"):
        site.page.body = word
        site.ask()
    site.middleware.close()
    assert site.counts() == {"recorded": 1, "failed": 3}
    assert not (tmp_path / "a").exists()


def test_a_new_archive_in_place_of_a_deleted_one_gets_everything(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(retry=0))
    for target in ("/x", "/y"):
        site.ask(target)
    while site.counts() != {"recorded": 2}:
        threading.Event().wait(0.01)
    shutil.rmtree(tmp_path / "a")
    site.page.body = b"another"
    site.ask("/x")
    while site.counts() != {"recorded": 3}:
        threading.Event().wait(0.01)
    site.page.body = b"page"
    site.ask("/y")
    assert sorted(site.bodies()) == [b"another", b"page"]
    assert site.counts() == {"recorded": 4}
