"""What is known of the pages with states, held against their sources: all that these can name, and what is answered."""

import json
import re
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from itertools import product

import pytest
from bench.states_site import FOLDER, StatesSite, page_names

UNANSWERED = {"fields/country/.html"}
"""What a page asks for that is not there: the country that nobody chose."""


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[[str], tuple[int, str]]]:
    with StatesSite() as site:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=10)

        def answer(path: str) -> tuple[int, str]:
            connection.request("GET", f"/{path}")
            reply = connection.getresponse()
            return reply.status, reply.read().decode("latin-1")

        yield answer
        connection.close()


def truth(name: str) -> set[str]:
    return set(json.loads((FOLDER / name / "truth.json").read_text())["resources"])


def both(place: str, names: list[str]) -> set[str]:
    """A piece of text and the picture that is shown with it."""
    return {f"{place}{each}.{kind}" for each, kind in product(names, ("html", "png"))}


def rows(source: str) -> set[str]:
    odd = re.findall(r"data-odd=(\w+)", source)
    plain = [number for number, row in enumerate(re.findall(r"<tr[^>]*>", source)) if "data-odd" not in row]
    return {f"row/{number}.html" for number in plain} | both("odd/", odd)


def stretches(source: str) -> set[str]:
    (last,) = re.findall(r"next > (\d)", source)
    return both("stretch/", [str(number) for number in range(1, int(last) + 1)])


def entries(source: str) -> set[str]:
    (rule,) = json.loads((FOLDER / "load-more" / "server.json").read_text())
    shown = "".join(rule["turns"][:2])
    return {*re.findall(r"text\('(\w+)'\)", source), *re.findall(r'src="([^"]+)"', shown)}


def tiles(gestures: int) -> set[str]:
    """Those that so many gestures lead to, each of which moves by one tile or one zoom."""
    span = range(-gestures, gestures + 1)
    near = [each for each in product(span, repeat=3) if sum(map(abs, each)) <= gestures]
    return {f"tile/{1 + zoom}/{x}/{y}.png" for zoom, x, y in near}


def menus(source: str) -> set[str]:
    nav = re.findall(r'<span id="(\w+)">', source)
    stories = ["-".join(each) for each in product(nav, ("first", "second", "third", "fourth"))]
    return {f"menu/{each}.json" for each in nav} | both("story/", stories)


def countries(source: str) -> set[str]:
    named = re.findall(r'<option value="(\w+)">', source)
    return both("country/", named) | {"country/.html", "maps.html", "map.png", "hint.html"}


READ: dict[str, Callable[[str], set[str]]] = {
    "accordion": lambda page: both("section/", re.findall(r'<section><button id="(\w+)"', page)),
    "consent": lambda _: both("", ["advertisement"]),
    "delegated": lambda page: both("item/", re.findall(r'data-key="(\w+)"', page)),
    "endless": stretches,
    "fields": countries,
    "framed": lambda _: {"widget.html", *both("", ["inside", "outside"])},
    "gallery": lambda page: set(re.findall(r'"(large-\d+\.png)"', page)),
    "hash-routes": lambda page: both("view/", re.findall(r'href="#(\w+)"', page)),
    "load-more": entries,
    "map": lambda _: tiles(1),
    "modals": lambda _: both("step/", ["1", "2"]),
    "mouseover-menu": menus,
    "polling": lambda _: both("", ["details"]),
    "restless": lambda _: {*both("", ["else"]), *(f"slide-{each}.png" for each in range(3))},
    "routes": lambda page: both("view/", re.findall(r'data-route="(\w+)"', page)),
    "shadow": lambda page: both("box/", re.findall(r"box\('(\w+)'\)", page)),
    "table": rows,
    "tabs": lambda page: both("panel/", re.findall(r'role="tab"[^>]*id="(\w+)"', page)),
    "tabs-first": lambda page: {
        *both("panel/", re.findall(r'aria-selected="false" id="(\w+)"', page)), *both("", ["menu", "imprint"])
    },
    "tabs-kept": lambda page: both("panel/", re.findall(r'data-of="(\w+)"', page)),
    "toggles": lambda page: {"more.png", *both("", re.findall(r"show\('(\w+)\.html'", page))},
    "wizard": lambda page: both("offer/", ["medium", *re.findall(r'name="size" id="(\w+)"', page)]),
}  # fmt: skip
"""What each page can ask for with two interactions in a row, read off its source."""


@pytest.mark.parametrize("name", page_names())
def test_all_that_a_page_can_name_is_known(name: str) -> None:
    source = (FOLDER / name / "index.html").read_text()
    assert READ[name](source) | {"index.html"} == truth(name)


@pytest.mark.parametrize("name", page_names())
def test_all_that_is_known_is_answered_and_leads_to_nothing_else(
    ask: Callable[[str], tuple[int, str]], name: str
) -> None:
    known = truth(name)
    answers = {path: ask(f"{name}/{'' if path == 'index.html' else path}") for path in known}
    refused = {f"{name}/{path}" for path, (status, _) in answers.items() if status != 200}
    assert refused == {each for each in UNANSWERED if each.startswith(f"{name}/")}
    told = [text for path, (_, text) in answers.items() if not path.endswith(".png")]
    shown = {each for text in told for each in re.findall(r' (?:data-)?src="([^"$]+)"', text)}
    own = {each.removeprefix(f"/{name}/") for each in shown if not each.startswith("../shared/")}
    assert own <= known


def test_a_map_goes_on_behind_what_a_gesture_shows() -> None:
    beyond = json.loads((FOLDER / "map" / "truth.json").read_text())["combinations"]["resources"]
    assert set(beyond) == tiles(2) - tiles(1)


def test_polling_has_no_end(ask: Callable[[str], tuple[int, str]]) -> None:
    polled = json.loads((FOLDER / "polling" / "truth.json").read_text())["polled"]
    assert re.fullmatch(polled, "news?after=7")
    assert ask("polling/news?after=7")[1] == "News item 7"
