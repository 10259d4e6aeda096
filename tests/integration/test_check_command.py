"""`webkeep check`: how well a live page can be archived, before a capture."""

import json
from typing import Any

import pytest
from small_site import HTML, Page, SmallSite
from warc_material import Done, webkeep

PAGE = b"<title>Town</title><link rel=stylesheet href=/town.css><p class=card>words " + b"of the harbour " * 60
STYLE = Page(b".card {}", "text/css")


def check(pages: dict[str, Page], *words: str) -> tuple[Done, dict[str, Any], list[str]]:
    """What is said of the front page of a site, and which paths were asked for."""
    with SmallSite(pages) as site:
        done = webkeep("check", site.url("/"), "--browser", "off", *words, "--json")
        asked = [str(each) for each in site.asked]
    return done, json.loads(done.out.splitlines()[-1]), asked


def test_a_page_with_all_its_parts_can_be_archived() -> None:
    headers = {"ETag": '"1"'}
    pages = {
        "/": Page(PAGE + b"<a href=/next>next</a>", HTML, headers=headers),
        "/town.css": STYLE,
        "/next": Page(PAGE),
    }
    done, told, asked = check(pages)
    assert (done.code, told["archivability"], told["obstacles"]) == (0, 1.0, [])
    assert told["has_validators"]
    assert not any("/next" in each for each in asked), "only the page and what it needs is asked for"


def test_what_robots_shut_is_told_with_what_it_costs() -> None:
    robots = Page(b"User-agent: *\nDisallow: /town.css\n", "text/plain")
    done, told, asked = check({"/": Page(PAGE), "/town.css": STYLE, "/robots.txt": robots})
    assert done.code == 1
    assert not any("/town.css" in each for each in asked)
    (obstacle,) = told["obstacles"]
    assert "robots.txt" in obstacle["words"]
    assert told["archivability"] == pytest.approx(1 - obstacle["loss"], rel=1e-3)
    assert 0 < told["archivability"] < 0.5


@pytest.mark.parametrize(
    ("page", "name", "left"),
    [
        (Page(b"<title>Just a moment...</title>"), "wall", 0.0),
        (Page(b"<title>App</title><div id=root></div><script src=/app.js></script>"), "scripts", 0.5),
        (Page(b"busy", "text/plain", 403), "error", 0.0),
    ],
    ids=["wall", "scripts", "error"],
)
def test_what_stands_in_the_way_is_named(page: Page, name: str, left: float) -> None:
    done, told, _ = check({"/": page, "/app.js": Page(b"1", "text/javascript")})
    assert (done.code, [each["name"] for each in told["obstacles"]]) == (1, [name])
    assert told["archivability"] == left


def test_what_a_server_says_of_a_missing_part_is_told() -> None:
    _, told, _ = check({"/": Page(PAGE), "/town.css": Page(b"gone", "text/plain", 410)})
    (obstacle,) = told["obstacles"]
    assert "1 part cannot be had (the server answered with status 410; " in obstacle["words"]


def test_a_page_that_gives_no_answer_is_not_judged() -> None:
    done = webkeep("check", "http://127.0.0.1:1/", "--retries", "0", "--json")
    told = json.loads(done.out.splitlines()[-1])
    assert (done.code, told["archivability"]) == (3, None)


def test_a_page_that_is_shut_out_was_not_asked_for() -> None:
    robots = Page(b"User-agent: *\nDisallow: /\n", "text/plain")
    done, told, asked = check({"/": Page(PAGE), "/robots.txt": robots})
    assert (done.code, told["archivability"]) == (3, None)
    assert [each["name"] for each in told["obstacles"]] == ["refused"]
    assert "robots.txt: Disallow: /" in told["obstacles"][0]["words"]
    assert all("robots.txt" in each for each in asked)


def test_a_page_that_nobody_answers_for_says_why() -> None:
    done = webkeep("check", "http://nowhere.invalid/", "--browser", "off", "--retries", "0")
    assert done.code == 3
    assert b"no host of that name was found" in done.out
