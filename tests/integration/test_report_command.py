"""`webkeep report`: what a capture is worth, as people and programs get it."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx
import pytest
from capture_calls import capture
from serve_calls import page
from small_site import GONE, Page, SmallSite, linking
from warc_material import webkeep
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from certified_site import Look, again, capture_of, new_archive
from webkeep.model import Fate, UrlOutcome
from webkeep.quality.certificates import keep_certificate
from webkeep.store.archive import WritableArchive

TOWN = "http://town.example"
HOSTILE = "<script>alert(1)</script>\"'&\u202e"


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Three captures of a site on which a page changes, one comes and one goes."""
    archive = tmp_path_factory.mktemp("series") / "site"
    picture = {"/p.png": Page(b"x", "image/png")}
    first, second = linking("/a", "/b", "/lost", "/p.png"), linking("/a", "/c", "/lost", "/p.png")
    states: list[dict[str, Page]] = [
        {"/": first, "/a": linking(title="one"), "/b": linking(), **picture},
        {"/": first, "/a": linking(title="two"), "/b": linking(), **picture},
        {"/": second, "/a": linking(title="two"), "/c": linking(), **picture},
    ]
    shown: dict[str, Page] = {}
    with SmallSite(lambda _host, path: shown.get(path, GONE)) as site:
        for state in states:
            shown.clear()
            shown.update(state)
            assert capture(archive, site.url("/")).code in (0, 1)
        yield archive, site.url("/")


def report(archive: Path, *words: object) -> dict[str, Any]:
    done = webkeep("report", archive, *words, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out.splitlines()[-1])


def changes(told: dict[str, Any], step: int, group: str) -> dict[str, int]:
    return {name: count for name, count in told["steps"][step]["counts"].get(group, {}).items() if count}


def test_it_says_in_a_sentence_what_the_last_capture_is_worth(series: tuple[Path, str]) -> None:
    archive, _ = series
    told = report(archive)
    assert told["verdict"]["sentence"].startswith(f"Capture {told['series']['captures'][-1]['id'][:8]} of ")
    assert told["verdict"]["sentence"].endswith("whether all of it was there at one moment was not looked at.")
    whole = told["completeness"]
    # The site has four resources and a link that leads nowhere; robots.txt and sitemaps are asked for in vain too.
    assert whole["failed"] == whole["gone"] > 0
    assert whole["urls"] - whole["failed"] == whole["held"] == 4
    assert {row["value"]: row["failed"] for row in whole["by"]["status"]}["404 Not Found"] == whole["failed"]
    assert sum(row["urls"] for row in whole["by"]["depth"]) == whole["urls"]
    lost = [each for each in whole["listed"] if each["url"].endswith("/lost")]
    assert [(each["cause"], each["via"][-1]) for each in lost] == [("status 404", "/")]


def test_captures_are_held_against_the_one_before(series: tuple[Path, str]) -> None:
    archive, _ = series
    told = report(archive)
    assert changes(told, 0, "pages") == {"new": 3}
    assert changes(told, 1, "pages") == {"changed": 1, "unchanged": 2}
    assert changes(told, 2, "pages") == {"changed": 1, "unchanged": 1, "new": 1, "deleted": 1}
    assert changes(told, 2, "images") == {"unchanged": 1}
    pseudo = told["coherence"]["pseudo"]
    assert (pseudo["unchanged"], pseudo["changed"], pseudo["deleted"]) == (2, 1, 1)
    before = told["completeness_before"]
    assert before["held"] == 4 == before["urls"] - before["failed"]
    assert before["failed"] == before["gone"] > 0, "shares of both captures are of what is there"
    complete = next(each for each in told["verdict"]["figures"] if each["key"] == "completeness")
    assert (complete["words"], complete["before"]) == ("100.0%", "100.0%")


def test_every_number_stands_beside_that_of_the_capture_before(series: tuple[Path, str]) -> None:
    """What it was then is what a report on that capture says."""
    archive, _ = series
    ids = [each["id"] for each in report(archive)["series"]["captures"]]
    now = {each["key"]: each for each in report(archive)["verdict"]["figures"]}
    then = {each["key"]: each for each in report(archive, "--capture", ids[1])["verdict"]["figures"]}
    kept = {"completeness", "missing", "damage", "placeholders", "unchanged", "changed", "span_seconds", "disk_bytes"}
    for key in kept:
        assert now[key]["before"] == then[key]["words"], key
    assert now["unchanged"]["before"] == "75.0%"
    assert now["blur"]["before"], "rates are those of the whole series, so that it may be another than was said then"


def test_second_looks_stand_beside_those_of_the_capture_before(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        for at, second in ((0, b"two"), (100, b"one")):
            capture_of(
                archive, [Look("/", at), Look("/a", at + 1, b"one"), again("/", at + 2), again("/a", at + 3, second)]
            )
    told = {each["key"]: each for each in report(tmp_path / "site")["verdict"]["figures"]}
    assert (told["coherence"]["before"], told["coherence"]["words"]) == ("50.0%", "100.0%")


def test_the_file_and_the_page_have_what_the_summary_has(series: tuple[Path, str]) -> None:
    archive, _ = series
    told = report(archive)
    kept = json.loads(Path(told["output"]).read_text())
    assert {name: kept[name] for name in ("verdict", "completeness", "steps")} == {
        name: told[name] for name in ("verdict", "completeness", "steps")
    }
    assert {point["change"] for point in kept["points"]} == {"new", "changed", "unchanged", "deleted"}
    page = Path(told["file"]).read_text()
    assert told["verdict"]["sentence"] in page
    for figure in told["verdict"]["figures"]:
        assert figure["definition"] in page


def test_a_capture_and_a_seed_can_be_chosen(series: tuple[Path, str]) -> None:
    archive, seed = series
    ids = [each["id"] for each in report(archive)["series"]["captures"]]
    assert [each["id"] for each in report(archive, "--capture", ids[1])["series"]["captures"]] == ids[:2]
    assert [each["id"] for each in report(archive, "--seed", seed)["series"]["captures"]] == ids
    assert webkeep("report", archive, "--seed", "http://elsewhere.example/").code == 2
    assert webkeep("report", archive, "--coverage", archive).code == 2


def test_the_graph_has_the_colours_of_changes(series: tuple[Path, str], tmp_path: Path) -> None:
    archive, seed = series
    report(archive, "--graph", tmp_path / "tree.graphml")
    drawn = {}
    fill = "{http://www.yworks.com/xml/graphml}Fill"
    for node in ElementTree.parse(tmp_path / "tree.graphml").iter("{http://graphml.graphdrawing.org/xmlns}node"):
        drawn[node.get("id")] = next(node.iter(fill)).get("color")
    assert drawn[seed] == "#FF0000", "its links changed"
    assert drawn[f"{seed}b"] == "#000000"
    assert drawn[f"{seed}c"] == "#0000FF"
    assert drawn[f"below {seed}"] == "#00FF00"


def test_the_graph_opens_in_networkx_and_is_built_as_published(series: tuple[Path, str], tmp_path: Path) -> None:
    """A directed graph whose nodes are URLs with an ellipse, its fill and a label of URL and status, as in SHARC."""
    archive, seed = series
    report(archive, "--graph", tmp_path / "tree.graphml")
    graph = networkx.read_graphml(tmp_path / "tree.graphml")
    assert graph.is_directed()
    assert networkx.is_forest(graph.to_undirected())
    assert graph.has_edge(seed, f"{seed}c")
    assert graph.nodes[f"{seed}b"]["label"] == f"{seed}b missing"
    root = ElementTree.parse(tmp_path / "tree.graphml").getroot()
    plain, drawn = "{http://graphml.graphdrawing.org/xmlns}", "{http://www.yworks.com/xml/graphml}"
    shape = root.find(f"{plain}graph/{plain}node/{plain}data[@key='d0']/{drawn}ShapeNode")
    assert shape is not None
    assert [each.tag.removeprefix(drawn) for each in shape] == ["Geometry", "Fill", "Shape"]
    assert [each.get("type") for each in shape.iter(f"{drawn}Shape")] == ["ellipse"]


def test_second_looks_within_a_capture_are_told(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        looks = [Look("/", 0), Look("/a", 1), again("/a", 2, b"another"), again("/", 3)]
        capture_of(archive, looks)
    told = report(tmp_path / "site")["coherence"]
    assert (told["revisited"], told["coherent"]) == (2, 1)
    assert [(each["url"], each["change"]) for each in told["incoherent"]] == [("http://site.example/a", "changed")]


def test_the_tree_tells_noise_text_and_links_apart_within_a_capture(tmp_path: Path) -> None:
    text = "<p>" + "The harbour is closed to boats above nine tons. " * 20
    looks = {
        "/noise": (f"{text}<p>Generated at 12:00:01", f"{text}<p>Generated at 12:00:09"),
        "/text": (f"{text}<p>Open on Monday.", f"{text}<p>Shut on Sunday, but for those who live there."),
        "/links": (text, f"{text}<a href=/elsewhere>elsewhere</a>"),
    }
    with new_archive(tmp_path / "site") as archive:
        visits = [Look(path, at, each[0].encode()) for at, (path, each) in enumerate(looks.items())]
        revisits = [again(path, at + 10, each[1].encode()) for at, (path, each) in enumerate(looks.items())]
        capture_of(archive, [*visits, *revisits])
    told = report(tmp_path / "site")
    kept = json.loads(Path(told["output"]).read_text())
    colours = {each["name"].removeprefix("http://site.example"): each["colour"] for each in kept["nodes"]}
    assert {path: colours.get(path) for path in looks} == {
        "/noise": "unchanged",
        "/text": "content changed",
        "/links": "links changed",
    }
    assert [each["url"][19:] for each in told["coherence"]["incoherent"]][-1] == "/noise", "what matters comes first"


def test_what_differed_between_two_looks_is_shown_in_lines(tmp_path: Path) -> None:
    words = "The harbour is closed to boats above nine tons. " * 40
    old = f"<p>Notice</p><p>{words}Open on Monday.</p><p>{HOSTILE.replace('<', '&lt;')}</p>".encode()
    new = f"<p>Notice</p><p>{words}Open on Friday.</p>".encode()
    with new_archive(tmp_path / "site") as archive:
        capture_of(
            archive,
            [Look("/", 0), Look("/a", 1, old), Look("/b", 1), again("/a", 2, new), again("/b", 3, b"", status=404)],
        )
    told = report(tmp_path / "site")
    changed, gone = told["coherence"]["incoherent"]
    assert changed["category"] == "minor"
    assert "of the words edited" in changed["evidence"]
    first, second = changed["lines"]
    assert first["before"].startswith("…") and first["before"].endswith("Open on Monday.")
    assert first["after"].endswith("Open on Friday.")
    assert len(first["before"]) < 250
    assert second == {"before": HOSTILE, "after": ""}
    assert (gone["change"], gone["category"], gone["lines"]) == ("deleted", "removed", [])
    page = Path(told["file"]).read_text()
    assert "Open on Friday." in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\u202e" not in Path(told["output"]).read_text()


def test_many_differences_are_counted(tmp_path: Path) -> None:
    old, new = ("".join(f"<p>line {number} {word}</p>" for number in range(100)).encode() for word in ("a", "b"))
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/a", 1, old), again("/a", 2, new)])
    (found,) = report(tmp_path / "site")["coherence"]["incoherent"]
    assert len(found["lines"]) + found["further_lines"] == 100
    assert len(found["lines"]) < 20


def test_figures_of_a_certificate_are_derived_where_none_is_kept(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        looks = [Look("/", 0), Look("/a", 1), again("/a", 2, b"another"), again("/", 3)]
        capture = capture_of(archive, looks)
    derived = report(tmp_path / "site")["coherence"]["certificate"]
    assert not derived["is_kept"]
    assert (derived["coherent"], derived["judged"]) == (1, 2)
    with WritableArchive(tmp_path / "site") as archive:
        keep_certificate(archive, capture)
    kept = report(tmp_path / "site")["coherence"]["certificate"]
    assert kept == {**derived, "is_kept": True}


def test_a_page_of_50_mb_without_a_space_is_reported_on(tmp_path: Path) -> None:
    page = "的一是在".encode() * 4_200_000
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0, page + b"<p>one"), again("/", 1, page + b"<p>two")])
    (found,) = report(tmp_path / "site")["coherence"]["incoherent"]
    assert (found["change"], found["category"]) == ("changed", "minor")
    assert "MinHash" in found["evidence"]


def test_an_empty_archive_has_a_report(tmp_path: Path) -> None:
    new_archive(tmp_path / "site").close()
    told = report(tmp_path / "site")
    assert told["verdict"]["grade"] == "unknown"
    assert told["not_computed"]
    assert "Nothing has been captured yet" in Path(told["file"]).read_text()


@pytest.mark.parametrize("words", [("--offline",), ("--browser-pages", "3"), ("--browser-seconds", "no time")])
def test_what_is_about_a_browser_says_so(tmp_path: Path, words: tuple[str, ...]) -> None:
    new_archive(tmp_path / "site").close()
    done = webkeep("report", tmp_path / "site", *words)
    assert done.code == 2
    assert done.err == f"webkeep: {words[0]} is about pages in a browser; say --browser as well\n"


def test_one_page_has_a_report_that_names_what_it_lacks(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0)])
    told = report(tmp_path / "site")
    assert told["completeness"]["held"] == 1
    assert any("capture before" in each for each in told["not_computed"])


def test_records_of_no_capture_are_reported_on(tmp_path: Path, series: tuple[Path, str]) -> None:
    """WARC files dropped into an archive, with nothing in them that webkeep wrote about captures."""
    archive, _ = series
    new_archive(tmp_path / "site").close()
    with (tmp_path / "site" / "warcs" / "foreign.warc.gz").open("wb") as target:
        writer = WARCWriter(target)
        for file in sorted((archive / "warcs").glob("*.warc.gz")):
            with file.open("rb") as stream:
                for record in ArchiveIterator(stream):
                    if record.rec_type == "response":
                        record.rec_headers.remove_header("WARC-Warcinfo-ID")
                        writer.write_record(record)
    told = report(tmp_path / "site")
    assert told["series"]["captures"][-1]["id"] == ""
    assert told["completeness"]["held"] > 0
    assert told["coherence"]["certificate"] is None
    assert any("certificate" in each for each in told["not_computed"])


def test_hostile_addresses_are_text_in_the_page(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0), Look(f"/{HOSTILE}/", 1, status=404), Look(f"/{HOSTILE}/x", 2)])
        capture_of(archive, [Look("/", 10, b"another"), Look(f"/{HOSTILE}/x", 12, b"another")])
    told = report(tmp_path / "site", "--graph", tmp_path / "g.graphml")
    page = Path(told["file"]).read_text()
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\u202e" not in Path(told["output"]).read_text()
    ElementTree.parse(tmp_path / "g.graphml")


def test_a_capture_with_gaps_says_unknown_and_not_deleted(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0), Look("/a", 1), Look("/b", 2)])
        stopped = archive.begin("capture", ["http://site.example/"])
        stopped.submit(Look("/", 10).exchange())
        stopped.submit(Look("/a", 11, b"busy", status=503).exchange()).result()
        archive.close()
    told = report(tmp_path / "site")
    assert changes(told, 1, "pages") == {"unchanged": 1, "unknown": 2}
    assert any("not finished" in each for each in told["not_computed"])


PAGE = b"<link rel=stylesheet href=/lost.css><p class=card>words " + b"of the harbour " * 50 + b"<img src=/p.png>"


def test_what_pages_lost_is_told_and_the_worst_are_named(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        whole = [Look("/", 0, PAGE.replace(b"lost", b"held")), Look("/held.css", 1, b".card {}", type="text/css")]
        capture_of(archive, [*whole, Look("/p.png", 2, b"x", type="image/png"), Look("/worse", 3, PAGE)])
    told = report(tmp_path / "site")["damage"]
    assert (told["pages"], told["looked_at"], told["damaged"]) == (2, 2, 1)
    assert [each["url"] for each in told["worst"]] == ["http://site.example/worse"]
    assert told["worst"][0]["worst"][0]["url"] == "http://site.example/lost.css"
    assert told["missing_by_kind"] == {"style sheet": 1}
    assert told["mean"] == pytest.approx(told["worst"][0]["damage"] / 2, rel=1e-3)


def test_walls_stored_as_pages_are_told(tmp_path: Path) -> None:
    walls = {
        "/wall": (b"<title>Just a moment...</title><p>Checking", "a wall against robots"),
        "/consent": (b"<title>Before you continue</title><form>", "a page that asks for consent"),
        "/article": (b"<title>Log in</title><input type=password>", "a login form"),
        "/soft": (b"<title>Page not found</title>", "a page that says it is not there"),
    }
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0), *(Look(path, 1, body) for path, (body, _) in walls.items())])
    told = report(tmp_path / "site")
    assert {
        each["url"].removeprefix("http://site.example"): each["suspicion"] for each in told["damage"]["placeholders"]
    } == {path: words for path, (_, words) in walls.items()}
    assert told["verdict"]["grade"] == "fair"


def test_scripts_that_wanted_more_are_told(tmp_path: Path) -> None:
    shell = b"<title>App</title><div id=root></div><script src=/app.js></script>"
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look("/", 0, shell), Look("/app.js", 1, b"go()", type="text/javascript")])
    assert report(tmp_path / "site")["damage"]["hungry"] == ["http://site.example/"]


def test_a_budget_of_pages_is_told(tmp_path: Path) -> None:
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look(f"/{number}", number) for number in range(20)])
    told = report(tmp_path / "site", "--pages", 5)
    assert (told["damage"]["pages"], told["damage"]["looked_at"]) == (20, 5)
    assert any("5 of 20 pages" in each for each in told["not_computed"])
    assert report(tmp_path / "site", "--pages", 0)["damage"]["looked_at"] == 20


def test_changes_are_told_by_how_much_they_matter(tmp_path: Path) -> None:
    words = b"".join(b"<p>paragraph %d of many words in a row</p>" % number for number in range(300))
    before = {"/links": b"<a href=/x>x</a>", "/minor": words, "/major": words, "/markup": b"<p>same words</p>"}
    after = before | {"/links": b"<a href=/y>x</a>", "/minor": words + b"<p>more", "/major": b"<p>others"}
    after["/markup"] = b"<p id=a>same words</p>"
    with new_archive(tmp_path / "site") as archive:
        capture_of(archive, [Look(path, at, body) for at, (path, body) in enumerate(before.items())])
        capture_of(archive, [Look(path, 100 + at, body) for at, (path, body) in enumerate(after.items())])
    assert report(tmp_path / "site")["steps"][1]["categories"] == {
        "structural": 1, "minor": 1, "major": 1, "insignificant": 1,
    }  # fmt: skip


def test_the_counts_of_a_step_are_the_pages_of_both_captures(series: tuple[Path, str]) -> None:
    archive, _ = series
    told = report(archive)
    held = []
    for step in range(3):
        counts = changes(told, step, "pages")
        now = sum(counts.get(name, 0) for name in ("new", "changed", "unchanged"))
        before = sum(counts.get(name, 0) for name in ("deleted", "changed", "unchanged", "unknown"))
        assert before == (held[-1] if held else 0)
        held.append(now)
    assert held == [3, 3, 3]


def test_pages_in_unknown_charsets_and_without_spaces_are_reported_on(tmp_path: Path) -> None:
    strange = "<p>" + "\u6e2f\u53e3" * 5000
    bodies = [strange.encode("euc-jp"), b"\xff\xfe\x00<p>", b"<p>" + b"x" * 3_000_000, b"\0" * 1000, b""]
    with new_archive(tmp_path / "site") as archive:
        capture_of(
            archive, [Look(f"/{at}", at, body, type="text/html; charset=x-none") for at, body in enumerate(bodies)]
        )
        capture_of(archive, [Look(f"/{at}", 50 + at, body + b"!") for at, body in enumerate(bodies)])
    told = report(tmp_path / "site")
    assert told["damage"]["looked_at"] + told["damage"]["unreadable"] == len(bodies)
    assert changes(told, 1, "pages") == {"changed": len(bodies)}


def test_what_is_missing_is_told_apart_from_what_is_not_there(tmp_path: Path) -> None:
    """The number beside the sentence is that of the sentence; who could not be asked for robots.txt has a cause."""
    lost = "http://nowhere.invalid/picture.png"
    with WritableArchive.create(tmp_path / "kept") as archive, archive.begin("capture", [f"{TOWN}/"]) as capture:
        capture.append(page(f"{TOWN}/", "20240301120000", "<p>Home"))
        capture.append(page(f"{TOWN}/gone", "20240301120001", "<p>No", status="404 Not Found"))
        reason = "name-not-resolved: Could not resolve host: nowhere.invalid, asking for robots.txt"
        capture.submit_fates([Fate(lost, UrlOutcome.FAILED, reason, f"{TOWN}/")])
    told = report(tmp_path / "kept")
    assert "holds 1 of 2 wanted URLs" in told["verdict"]["sentence"]
    missing = next(each for each in told["verdict"]["figures"] if each["key"] == "missing")
    assert missing["words"] == "1"
    assert "1 that are not there" in missing["definition"]
    causes = {row["value"]: row["failed"] for row in told["completeness"]["by"]["cause"]}
    assert causes == {"status 404": 1, "name not found": 1}


def test_pictures_and_texts_of_pages_are_no_urls_of_the_site(tmp_path: Path) -> None:
    """As `capture --screenshots` and packages of evidence have them; and pages without a host are of no site."""
    with WritableArchive.create(tmp_path / "kept") as archive:
        for day in (1, 2):
            with archive.begin("capture", [f"{TOWN}/"]) as capture:
                capture.append(page(f"{TOWN}/", f"2024030{day}120000", f"<p>Home {day}"))
                capture.append(page("file:///home/page.html", f"2024030{day}120001", f"<p>One {day}"))
                capture.append(page(f"urn:webkeep:rendered:{TOWN}/", f"2024030{day}120002", f"<p>Drawn {day}"))
                capture.append(page(f"urn:text:{TOWN}/", f"2024030{day}120003", f"Home {day}", "text/plain"))
    told = report(tmp_path / "kept")
    assert told["completeness"]["urls"] == 2
    assert changes(told, 1, "pages") == {"changed": 2}
    stored = {row["group"]: row["records"] for row in told["storage"]["groups"]}
    assert stored == {"pages": 4, "pictures and texts of pages": 4}
    listed = webkeep("list", tmp_path / "kept", "--behaviours", "--json")
    assert "urn:" not in listed.out.decode()
    differing = webkeep("diff", tmp_path / "kept", "--json")
    assert differing.code == 1
    assert "urn:" not in differing.out.decode()


def test_a_capture_whose_records_are_elsewhere_says_so(tmp_path: Path) -> None:
    """As the archive of a capture on many machines has it."""
    with WritableArchive.create(tmp_path / "main") as archive, archive.begin("capture", [f"{TOWN}/"]) as capture:
        capture.submit_fates([Fate(f"{TOWN}/", UrlOutcome.STORED), Fate(f"{TOWN}/lost", UrlOutcome.FAILED, "timeout")])
    told = report(tmp_path / "main")
    assert told["verdict"]["sentence"] == "What was captured is in other archives, so there is nothing to judge."
    assert "webkeep import" in told["not_computed"][0]
