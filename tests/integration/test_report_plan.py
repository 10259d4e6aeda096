"""The plan that a report proposes, carried out: the next report is better in the figures that it promised."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from capture_calls import capture
from small_site import Page, SmallSite, linking
from warc_material import webkeep

from certified_site import Look, capture_of, new_archive

WALL = Page(b"<title>Log in</title><form><input type=password></form>")
SHELL = Page(b"<title>App</title><div id=root></div><script src=/app.js></script>")


def report(archive: Path) -> dict[str, Any]:
    done = webkeep("report", archive, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out.splitlines()[-1])


def figure(told: dict[str, Any], name: str) -> int:
    return {
        "failed": told["completeness"]["failed"],
        "placeholders": len(told["damage"]["placeholders"]),
        "hungry": len(told["damage"]["hungry"]),
        "revisited": told["coherence"]["revisited"],
        "neighbours": sum(told["completeness"]["neighbours"].values()),
    }[name]


def carry_out(archive: Path, told: dict[str, Any]) -> dict[str, Any]:
    """Capture once more by the proposed plan; gives the next report."""
    done = webkeep("capture", "--plan", told["plan"], "--into", archive)
    assert done.code in (0, 1), done.err
    return report(archive)


def settings(told: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    named: dict[str, list[dict[str, Any]]] = {}
    for each in told["proposal"]["settings"]:
        named.setdefault(each["name"], []).append(each)
    return named


def month(path: str) -> Page:
    """A calendar without end."""
    at = int(path.rpartition("=")[2])
    return linking(f"/calendar?month={at + 1}", f"/calendar?month={at - 1}", title=f"Month {at}")


def test_a_trap_is_left_out_next_time(tmp_path: Path) -> None:
    def answer(_host: str, path: str) -> Page:
        return month(path) if path.startswith("/calendar") else linking("/calendar?month=1", title="Home")

    with SmallSite(answer) as site:
        capture(tmp_path / "site", site.url("/"), "--max-urls", 300, "--trap-budget", 10)
        first = report(tmp_path / "site")
        (rule, *_) = settings(first)["exclude"]
        assert "trap" in rule["reason"]
        after = carry_out(tmp_path / "site", first)
    assert figure(after, "failed") == rule["expected"] < rule["now"] == figure(first, "failed")


def test_other_spellings_of_what_is_held_are_not_missed(tmp_path: Path) -> None:
    sessions = [f"/news?sid={number:032x}" for number in range(20)]
    pages = {"/": linking(*sessions, title="Home"), **{each: linking(title="News") for each in sessions}}
    with SmallSite(pages) as site:
        for _ in range(2):
            capture(tmp_path / "site", site.url("/"), "--trap-budget", 5)
        told = report(tmp_path / "site")
    whole, before = told["completeness"], told["completeness_before"]
    assert sum(whole["needless"].values()) > 0
    assert whole["failed"] - whole["gone"] == before["failed"] - before["gone"] == 0
    assert whole["traps"] == {}
    assert "exclude" not in settings(told)
    assert told["verdict"]["grade"] == "good"


def test_stories_whose_numbers_look_like_sessions_are_missed(tmp_path: Path) -> None:
    stories = [f"/news?sid=202611{number:02d}" for number in range(20)]
    pages = {each: Page(f"<title>Story {each}</title><p>What happened on {each}.".encode()) for each in stories}
    with SmallSite({"/": linking(*stories, title="Home"), **pages}) as site:
        capture(tmp_path / "site", site.url("/"), "--trap-budget", 5)
        told = report(tmp_path / "site")["completeness"]
    assert told["needless"] == {}
    assert sum(told["traps"].values()) == told["failed"] - told["gone"] > 0


def test_walls_are_left_out_next_time(tmp_path: Path) -> None:
    pages = {"/": linking("/open", "/closed", "/shut"), "/open": linking(), "/closed": WALL, "/shut": WALL}
    with SmallSite(pages) as site:
        capture(tmp_path / "site", site.url("/"))
        first = report(tmp_path / "site")
        rules = settings(first)["exclude"]
        assert [each["figure"] for each in rules] == ["placeholders", "placeholders"]
        after = carry_out(tmp_path / "site", first)
    assert figure(first, "placeholders") == 2
    assert figure(after, "placeholders") == 0


def test_hot_spots_are_looked_at_twice_next_time(tmp_path: Path) -> None:
    turn = {"at": 0}
    calm = [f"/calm/{number}" for number in range(12)]
    hot = [f"/hot/{number}" for number in range(3)]

    def answer(_host: str, path: str) -> Page:
        if path.startswith("/hot/"):
            return linking(title=f"{path} {turn['at']}")
        return linking(title=path) if path != "/" else linking(*calm, *hot)

    with SmallSite(answer) as site:
        for turn["at"] in range(2):
            capture(tmp_path / "site", site.url("/"))
        first = report(tmp_path / "site")
        (strategy,) = settings(first)["strategy"]
        assert (strategy["figure"], strategy["now"]) == ("revisited", 0)
        after = carry_out(tmp_path / "site", first)
    assert figure(after, "revisited") >= strategy["expected"] - 1 > 0
    assert after["coherence"]["coherent"] == after["coherence"]["revisited"]


def linked_over_hosts(links: int, seed: str, tmp_path: Path, *words: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reports before and after a plan was carried out, on a site whose page links to another host of its domain."""
    port = 0

    def answer(host: str, path: str) -> Page:
        if path == "/":
            return linking(*(f"http://news.town.example:{port}/{number}" for number in range(links)), title=host)
        return linking(title=path)

    with SmallSite(answer) as site:
        port = int(site.url("/").rpartition(":")[2].strip("/"))
        ways = [f"{host}.town.example:{port}:127.0.0.1" for host in ("www", "news", "harbour")]
        resolve = [word for way in ways for word in ("--resolve", way)]
        capture(tmp_path / "site", f"http://{seed}:{port}/", *resolve, *words)
        first = report(tmp_path / "site")
        return first, carry_out(tmp_path / "site", first)


def test_other_hosts_of_a_domain_are_taken_in_next_time(tmp_path: Path) -> None:
    first, after = linked_over_hosts(12, "www.town.example", tmp_path)
    (scope,) = settings(first)["scope"]
    assert (scope["value"], scope["now"], scope["expected"]) == ("domain", 12, 0)
    assert "news.town.example" in scope["reason"]
    assert (figure(first, "neighbours"), figure(after, "neighbours")) == (12, 0)
    assert after["completeness"]["held"] >= first["completeness"]["held"] + 12
    assert "scope" not in settings(after)


@pytest.mark.parametrize(
    ("links", "seed", "words"),
    [
        (3, "www.town.example", []),
        (12, "harbour.town.example", []),
        (12, "www.town.example", ["--scope", "page"]),
    ],
    ids=["a few links", "a department's host", "a page alone"],
)
def test_other_hosts_are_named_where_they_may_be_none_of_the_site(
    links: int, seed: str, words: list[str], tmp_path: Path
) -> None:
    first, after = linked_over_hosts(links, seed, tmp_path, *words)
    assert "scope" not in settings(first)
    (note,) = [each for each in first["proposal"]["notes"] if "other hosts of the domain" in each]
    assert note.startswith(f"{links} URLs on") and "news.town.example" in note
    assert figure(after, "neighbours") == links


def test_hosts_without_an_address_are_named(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<title>x</title><img src=http://nowhere.invalid/a.png>")}) as site:
        capture(tmp_path / "site", site.url("/"))
        told = report(tmp_path / "site")
    (note,) = [each for each in told["proposal"]["notes"] if "no address" in each]
    assert note.startswith("2 URLs") and "nowhere.invalid" in note, "its robots.txt is asked for, too"


def test_a_capture_by_parts_stays_one(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/a/1"), "/a/1": linking()}) as site:
        capture(tmp_path / "site", site.url("/"), "--for", "evidence", "--subsites", "directories")
        told = report(tmp_path / "site")
    plan = tomllib.loads(Path(told["plan"]).read_text())
    assert (plan["strategy"], plan["subsites"]) == ("sharc-selective", "directories")
    assert not any("given again" in each or "give it again" in each for each in told["proposal"]["notes"])


def test_a_limit_is_raised_next_time(tmp_path: Path) -> None:
    pages = {"/": linking(*(f"/{number}" for number in range(20)))}
    pages |= {f"/{number}": linking(title=str(number)) for number in range(20)}
    with SmallSite(pages) as site:
        capture(tmp_path / "site", site.url("/"), "--max-urls", 8)
        first = report(tmp_path / "site")
        (limit,) = settings(first)["max-urls"]
        after = carry_out(tmp_path / "site", first)
    assert figure(after, "failed") <= limit["expected"] < limit["now"]
    assert after["completeness"]["held"] == 21


def test_scripts_that_wanted_more_are_run_next_time(tmp_path: Path) -> None:
    with SmallSite({"/": SHELL, "/app.js": Page(b"1", "text/javascript")}) as site:
        capture(tmp_path / "site", site.url("/"))
        told = report(tmp_path / "site")
    (browser,) = settings(told)["browser"]
    assert (browser["value"], browser["figure"], browser["now"]) == ("auto", "hungry", 1)
    assert tomllib.loads(Path(told["plan"]).read_text())["browser"] == "auto"


def test_servers_that_turn_requests_away_are_asked_less_often(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0), *(Look(f"/{number}", number, status=429) for number in range(1, 6))])
    (delay,) = settings(report(tmp_path / "site"))["delay"]
    assert (delay["value"], delay["now"], delay["expected"]) == (1.0, 5, 0)


def test_a_good_capture_needs_nothing_else(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/a"), "/a": linking()}) as site:
        capture(tmp_path / "site", site.url("/"), "--exclude", "/b*", "--delay", "0.01")
        told = report(tmp_path / "site")
        assert told["proposal"]["settings"] == []
        plan = tomllib.loads(Path(told["plan"]).read_text())
        assert (plan["seeds"], plan["rules"], plan["delay"]) == ([site.url("/")], ["-/b*"], 0.01)
        assert carry_out(tmp_path / "site", told)["completeness"]["held"] == told["completeness"]["held"]


def test_hostile_names_stay_in_their_strings_and_comments(tmp_path: Path) -> None:
    """What a site calls its traps cannot become a setting of the plan."""
    evil = '/"]\nrobots = "ignore"\n#'
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0), Look(evil, 1, WALL.body), Look("/x\x7f\u202e", 2, WALL.body)])
    told = report(tmp_path / "site")
    plan = tomllib.loads(Path(told["plan"]).read_text())
    assert "robots" not in plan
    assert len(plan["rules"]) == 2
