"""What is recorded of answers, and what never happens to them."""

from pathlib import Path

import pytest
from recorded_app import HOST, HTML, Page, Site

from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.store.archive import Archive, WritableArchive
from webkeep.url.scope import exclude_rule, include_rule

BIG = b"0123456789abcdef" * 65536  # 1 MiB


def test_every_change_is_kept_and_nothing_twice(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    for body in (b"one", b"one", b"one", b"two", b"two", b"one"):
        site.page.body = body
        site.ask()
    assert site.bodies() == [b"one", b"two", b"one"]
    assert site.counts() == {"recorded": 3, "unchanged": 3}


def test_what_was_recorded_before_a_restart_is_not_recorded_again(tmp_path: Path) -> None:
    for body in (b"one", b"one", b"two"):
        site = Site(tmp_path / "a", page=Page(body))
        site.ask()
        site.middleware.close()
    assert site.bodies() == [b"one", b"two"]


def test_moments_are_those_of_the_answers(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    clock = site.middleware.recorder.clock
    edges = [clock.now()]
    for body in (b"one", b"two", b"three"):
        site.page.body = body
        site.ask()
        edges.append(clock.now())
    moments = [observation.moment for observation, _ in site.kept()]
    assert all(low <= moment <= high for low, moment, high in zip(edges, moments, edges[1:], strict=False))


def test_messages_pass_as_they_are(tmp_path: Path) -> None:
    page = Page([b"a", b"", b"c"], 201, ((b"X-Odd", b"\xff"), HTML))
    alone: list[object] = []
    site = Site(tmp_path / "a", page=page)
    recorded = site.ask()
    site.middleware.recorder.close()
    bare = Site(tmp_path / "b", RecorderRules(share=0), page=page)
    alone = list(bare.ask())
    assert recorded == alone
    assert site.bodies() == [b"ac"]
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("method", "headers"),
    [("HEAD", [HOST]), ("POST", [HOST]), ("GET", [HOST, (b"range", b"bytes=0-3")])],
    ids=["head", "post", "range"],
)
def test_other_requests_are_not_heard(tmp_path: Path, method: str, headers: list[tuple[bytes, bytes]]) -> None:
    site = Site(tmp_path / "a")
    assert len(site.ask("/", headers, method)) == 2
    assert site.counts() == {}


@pytest.mark.parametrize("status", [206, 304])
def test_parts_and_confirmations_are_not_recorded(tmp_path: Path, status: int) -> None:
    site = Site(tmp_path / "a", page=Page(b"", status))
    site.ask()
    assert site.counts() == {}


def test_a_redirect_that_leads_elsewhere_is_a_change(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", page=Page(b"", 302))
    for place in (b"/x", b"/x", b"/y"):
        site.page.headers = [(b"location", place)]
        site.ask()
    assert [observation.status for observation, _ in site.kept()] == [302, 302]


def test_variants_are_told_apart(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    for language in (b"de", b"en", b"de", b"en"):
        site.page.body, site.page.headers = language, [HTML, (b"content-language", language)]
        site.ask()
    assert site.counts()["unchanged"] == 2
    assert site.bodies() == [b"de", b"en"]


def test_errors_are_recorded_where_something_was(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    site.ask("/page")
    site.page.status, site.page.body = 404, b"gone"
    site.ask("/page")
    site.ask("/wp-login.php")
    kept = [(observation.url, observation.status) for observation, _ in site.kept()]
    assert kept == [("http://example.org/page", 200), ("http://example.org/page", 404)]
    assert site.counts() == {"recorded": 2, "left-out": 1}


def test_long_answers_are_spooled(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", page=Page([BIG, b"middle", BIG, b"end"]))
    site.ask()
    site.ask()
    site.page.body = [BIG, b"Middle", BIG, b"end"]
    site.ask()
    assert site.bodies() == [BIG + b"middle" + BIG + b"end", BIG + b"Middle" + BIG + b"end"]
    recorder = site.middleware.recorder
    assert (recorder.memory_budget.left, recorder.disk_budget.left) == (recorder.limits.memory, recorder.limits.disk)


def test_large_answers_with_the_same_validators_are_not_read(tmp_path: Path) -> None:
    length = (b"content-length", str(len(BIG)).encode())
    site = Site(tmp_path / "a", page=Page(BIG, headers=[length, (b"etag", b'"1"')]))
    site.ask()
    site.page.body = bytes(len(BIG))
    site.ask()
    assert site.counts()["unchanged"] == 1
    site.page.headers = [length, (b"etag", b'"2"')]
    site.ask()
    assert site.bodies() == [BIG, bytes(len(BIG))]


@pytest.mark.parametrize("body", [b"x" * 11, [b"x" * 6, b"x" * 5]], ids=["at once", "in pieces"])
def test_what_is_too_large_is_left_out_or_cut(tmp_path: Path, body: bytes | list[bytes]) -> None:
    without = Site(tmp_path / "without", RecorderRules(max_size=10), page=Page(body))
    assert without.ask()
    assert without.counts() == {"too-large": 1}
    cut = Site(tmp_path / "cut", RecorderRules(max_size=10, partial=True), page=Page(body))
    cut.ask()
    assert cut.bodies() == [b"x" * 10]
    assert _fields(tmp_path / "cut", "warc-truncated") == ["length"]


def test_an_answer_that_breaks_off(tmp_path: Path) -> None:
    error = RuntimeError("the application failed")
    site = Site(tmp_path / "a", page=Page([b"some"], breaks_off=error))
    with pytest.raises(RuntimeError) as raised:
        site.ask()
    assert raised.value is error
    assert site.counts() == {"cut": 1}
    site = Site(tmp_path / "a", RecorderRules(partial=True), page=Page([b"some"], is_cut=True))
    site.ask()
    assert site.bodies() == [b"some"]
    assert _fields(tmp_path / "a", "warc-truncated") == ["disconnect"]


def test_rules_decide_by_url_type_and_size(tmp_path: Path) -> None:
    rules = (exclude_rule("*"), include_rule("/news/*"), exclude_rule("type:image/*"), exclude_rule("size:>5"))
    site = Site(tmp_path / "a", RecorderRules(rules))
    for target in ("/desk/", "/news/1", "/news/2"):
        site.ask(target)
    site.page.headers = [(b"content-type", b"image/png")]
    site.ask("/news/3")
    site.page.headers, site.page.body = [HTML], b"too long"
    site.ask("/news/1")
    assert [observation.url[-6:] for observation, _ in site.kept()] == ["news/1", "news/2"]
    assert site.counts() == {"recorded": 2, "left-out": 3}


def test_a_share_has_its_whole_history(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", RecorderRules(share=0.3))
    for body in (b"one", b"two"):
        site.page.body = body
        for number in range(100):
            site.ask(f"/{number}")
    urls = [observation.url for observation, _ in site.kept()]
    assert 10 < len(set(urls)) < 50
    assert len(urls) == 2 * len(set(urls))


def test_a_gap_holds_back_what_is_never_the_same(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", RecorderRules(gap=3600))
    for number in range(5):
        site.page.body = b"%d" % number
        site.ask()
    assert site.bodies() == [b"0"]
    assert site.counts() == {"recorded": 1, "left-out": 4}


def test_with_no_room_records_are_dropped_and_answers_are_not(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(waiting=4, memory=1000))
    for body in (b"x" * 2000, b"y" * 2000, b"z" * 100):
        site.page.body = body
        assert site.ask()[1]["body"] == body
    assert site.bodies() == [b"z" * 100]
    assert site.counts() == {"recorded": 1, "dropped": 2}
    assert len(caplog.messages) == 1


def test_what_was_dropped_is_tried_again(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", limits=RecorderLimits(memory=1000), page=Page(b"x" * 2000))
    site.ask()
    site.ask()
    assert site.counts() == {"dropped": 2}


def test_an_archive_that_is_refused_is_told_once_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = Site(tmp_path / "a")
    first.ask("/first")
    first.middleware.recorder.close()
    with WritableArchive(tmp_path / "a"):
        second = Site(tmp_path / "a", limits=RecorderLimits(retry=0, patience=0))
        for number in range(3):
            assert second.ask(f"/{number}")[1]["body"] == b"page"
        second.middleware.recorder.close()
        assert second.counts() == {"failed": 3}
    assert [message for message in caplog.messages if "is being written by this process (pid" in message] != []
    assert len(caplog.messages) == 1
    second.ask("/0")
    assert [observation.url[-5:] for observation, _ in second.kept()] == ["first", "org/0"]


def test_a_place_that_cannot_be_written_to_harms_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    site = Site(tmp_path / "file" / "a")
    assert len(site.ask()) == 2
    site.middleware.close()
    assert site.counts() == {"failed": 1}


def test_odd_requests_harm_nobody(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    site.ask("/", [(b"host", b"evil/../@x")])
    site.ask("/", [(b"host", b"a b")])
    site.ask("*", [HOST])
    site.ask("/", [], server=None)
    site.ask("/", [HOST], raw_path=b"/\xe9")
    assert [observation.url for observation, _ in site.kept()] == ["http://example.org/%E9"]


def test_without_a_host_field_the_server_gives_the_name(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    site.ask("/a b", [], raw_path=None, server=("::1", 8080))
    assert [observation.url for observation, _ in site.kept()] == ["http://[::1]:8080/a%20b"]


def test_broken_messages_reach_the_server(tmp_path: Path) -> None:
    site = Site(tmp_path / "a")
    site.page.headers = [(b"content-length", b"\xb2"), (b"x", None)]  # type: ignore[list-item]
    assert len(site.ask()) == 2
    site.middleware.close()
    assert site.counts() == {"failed": 1}


def test_unseen_ways_of_sending_are_not_offered(tmp_path: Path) -> None:
    seen: list[object] = []

    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        seen.append(scope["extensions"])

    site = Site(tmp_path / "a")
    site.middleware._app = app  # type: ignore[assignment]
    site.ask(extensions={"http.response.pathsend": {}, "http.response.debug": {}})
    assert seen == [{"http.response.debug": {}}]


def test_websockets_pass(tmp_path: Path) -> None:
    passed: list[object] = []

    async def app(*call: object) -> None:
        passed.extend(call)

    site = Site(tmp_path / "a")
    site.middleware._app = app  # type: ignore[assignment]
    scope = {"type": "websocket", "headers": []}
    site.call(scope)
    assert passed[0] is scope
    assert site.counts() == {}


def _fields(path: Path, name: str) -> list[str]:
    with Archive(path) as archive:
        return [record.get(name) for record in archive.records() if record.get(name)]
