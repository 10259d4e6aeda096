"""Answers: conditional requests, ranges, hosts, redirects, honest and dishonest validators."""

from email.utils import format_datetime

import pytest

from webkeep.lab.demo import HOSTS, DemoAddresses, DemoSite, SitePlan, ValidatorMode
from webkeep.lab.demo.addresses import IMAGE_HOST, MAIN_HOST, SISTER_HOST, STATIC_HOST
from webkeep.lab.demo.request_handler import DemoHandler, DemoRequest, DemoResponse
from webkeep.lab.demo.validators import format_http_date
from webkeep.model import Moment

START = Moment.parse("2026-05-20T08:00:00Z")
SITE = DemoSite(SitePlan(speed=10), START)
DESK = DemoHandler(SITE, DemoAddresses.on_port(8090, spread=False))
SPREAD = DemoHandler(SITE, DemoAddresses.on_port(8090, spread=True))
PICTURE = "/pictures/quay-dawn-320.png"


def ask(
    path: str, at: float = 60, desk: DemoHandler = DESK, method: str = "GET", host: str = "", **headers: str
) -> DemoResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return desk.respond(DemoRequest(method, host, path, named), START.plus(at))


def second_of(moment: Moment) -> float:
    return moment.seconds_since(START)


def test_a_version_is_served_with_its_validators() -> None:
    first, second = SITE.changes_until("/", START.plus(600))[:2]
    answer = ask("/", second_of(first) + 1e-6)
    assert (answer.status, answer.version) == (200, 1)
    assert answer.body() == SITE.render_version("/", 1, DESK.addresses)
    assert answer.headers["last-modified"] == format_http_date(first)
    assert answer.headers["etag"] != ask("/", second_of(second)).headers["etag"]


def test_an_unchanged_copy_is_confirmed_until_it_changes() -> None:
    first, second = SITE.changes_until("/", START.plus(600))[:2]
    etag = ask("/", second_of(first)).headers["etag"]
    assert ask("/", second_of(second) - 1e-6, if_none_match=etag).status == 304
    assert ask("/", second_of(second) - 1e-6, if_none_match=f'"other", W/{etag}').status == 304
    assert ask("/", second_of(second), if_none_match=etag).status == 200
    assert ask("/", second_of(second), if_none_match="*").status == 304


def test_dates_confirm_only_what_they_can_tell_apart() -> None:
    """Two versions within one second carry one date; neither is confirmed by it."""
    fast = DemoSite(SitePlan(speed=3000), START)
    desk = DemoHandler(fast, DESK.addresses)
    history = fast.changes_until("/", START.plus(60))
    ambiguous = 0
    for version, moment in enumerate(history[1:], 2):
        shares = history[version - 2].micros // 1_000_000 == moment.micros // 1_000_000
        answer = ask("/", second_of(moment), desk, if_modified_since=format_http_date(moment))
        assert answer.status == (200 if shares else 304)
        ambiguous += shares
    assert 0 < ambiguous < len(history)


def test_every_confirmation_is_true_at_any_speed() -> None:
    """A client that keeps its copy and asks with both, one or the other validator is never misled."""
    desk = DemoHandler(DemoSite(SitePlan(speed=5000), START), DESK.addresses)
    for names in (("etag",), ("last-modified",), ("etag", "last-modified")):
        held: DemoResponse | None = None
        for step in range(2000):
            known = {} if held is None else {_CONDITION[name]: held.headers[name] for name in names}
            answer = desk.respond(DemoRequest("GET", "", "/weather/", known), START.plus(step / 97))
            if answer.status == 304:
                assert held is not None
                assert answer.version == held.version
            else:
                held = answer


_CONDITION = {"etag": "if-none-match", "last-modified": "if-modified-since"}


def test_the_etag_outranks_the_date() -> None:
    assert ask("/", if_none_match='"old"', if_modified_since=format_http_date(START.plus(9999))).status == 200


@pytest.mark.parametrize("date", ["", "yesterday", "Wed, 99 May 2026 08:00:00 GMT", "\x00", "9" * 400])
def test_a_date_that_is_none_is_ignored(date: str) -> None:
    assert ask("/about/", if_modified_since=date).status == 200


def test_a_still_page_is_confirmed_by_its_date() -> None:
    date = ask("/about/").headers["last-modified"]
    assert ask("/about/", 1e6, if_modified_since=date).status == 304
    assert ask("/about/", 1e6, if_modified_since=format_datetime(Moment(0).datetime, usegmt=True)).status == 200


def test_no_validators() -> None:
    desk = DemoHandler(SITE, DESK.addresses, ValidatorMode.NONE)
    answer = ask("/about/", desk=desk, if_none_match="*")
    assert answer.status == 200
    assert not {"etag", "last-modified"} & set(answer.headers)


def test_lying_validators_deny_every_change() -> None:
    desk = DemoHandler(SITE, DESK.addresses, ValidatorMode.LYING)
    first, later = ask("/", 0, desk), ask("/", 3600, desk)
    assert later.version != first.version
    assert later.headers["etag"] == first.headers["etag"]
    assert ask("/", 3600, desk, if_none_match=first.headers["etag"]).status == 304


def test_restless_validators_claim_change_always() -> None:
    desk = DemoHandler(SITE, DESK.addresses, ValidatorMode.RESTLESS)
    first = ask("/about/", 1, desk)
    assert ask("/about/", 2, desk, if_none_match=first.headers["etag"]).status == 200
    assert ask("/about/", 2, desk, if_modified_since=first.headers["last-modified"]).status == 200


def test_a_part_of_a_picture() -> None:
    whole = ask(PICTURE).body()
    answer = ask(PICTURE, range="bytes=10-19")
    assert (answer.status, answer.body()) == (206, whole[10:20])
    assert answer.headers["content-range"] == f"bytes 10-19/{len(whole)}"
    assert ask(PICTURE, range="bytes=-5").body() == whole[-5:]
    beyond = ask(PICTURE, range=f"bytes={len(whole)}-")
    assert (beyond.status, beyond.headers["content-range"]) == (416, f"bytes */{len(whole)}")
    assert ask(PICTURE, range="bytes=0-1,5-6").status == 200
    assert ask(PICTURE, method="HEAD", range="bytes=0-1").status == 200


def test_a_range_of_another_version_gives_the_whole() -> None:
    etag = ask(PICTURE).headers["etag"]
    assert ask(PICTURE, range="bytes=0-3", if_range=etag).status == 206
    assert ask(PICTURE, range="bytes=0-3", if_range='"other"').status == 200
    assert ask(PICTURE, range="bytes=0-3", if_range=ask(PICTURE).headers["last-modified"]).status == 206


def test_redirects() -> None:
    assert ask("/old-harbour/").headers["location"] == "/history/old-harbour/"
    assert ask("/news/latest/").status == 302
    assert (ask("/news").status, ask("/news").headers["location"]) == (301, "/news/")
    sent = ask("/contact/send/", method="POST")
    assert (sent.status, sent.headers["location"]) == (303, "/contact/thanks/")


def test_what_is_not_there_is_told_kindly() -> None:
    answer = ask("/no/such/page")
    assert (answer.status, answer.version) == (404, None)
    assert b"Nothing is moored here" in answer.body()
    assert ask("/", method="DELETE").status == 405


def test_each_host_answers_for_its_own() -> None:
    homes = {"/": MAIN_HOST, "/static/town.css": STATIC_HOST, PICTURE: IMAGE_HOST, "/upper-fell/": SISTER_HOST}
    for path, home in homes.items():
        statuses = {host: ask(path, desk=SPREAD, host=host).status for host in HOSTS}
        expected = {host: 200 if host == home else 404 for host in HOSTS}
        if path == "/":
            expected[SISTER_HOST] = 301
        assert statuses == expected, path
        assert ask(path, desk=SPREAD, host="127.0.0.1").status == 200
    assert {ask("/robots.txt", desk=SPREAD, host=host).status for host in HOSTS} == {200}


def test_date_is_the_sites_own() -> None:
    assert ask("/", 90).headers["date"] == format_http_date(START.plus(90))
