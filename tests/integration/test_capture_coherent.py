"""Captures that visit and revisit: conditional requests, what changed in between, and going on after a crash."""

import gzip
import signal
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_calls import agree, capture, ended, events, fates, is_sound, running
from small_site import GONE, Page, SmallSite, linking, moved
from warc_material import webkeep

from webkeep.model import Moment, Observation, VisitKind
from webkeep.store.archive import Archive

NAMES = tuple("abcdefgh")
OLD = "Thu, 01 Feb 2024 00:00:00 GMT"
EVIDENCE = ("--for", "evidence", "--connections", "1")


def seen(archive: Path, kind: VisitKind | None = None) -> list[Observation]:
    """The looks at pages in the order of their records."""
    with Archive(archive) as opened:
        looks = [each for each in opened.observations() if each.record_type != "metadata"]
    return [each for each in looks if kind is None or each.visit is kind]


def paths(looks: list[Observation]) -> list[str]:
    return ["/" + each.url.split("/", 3)[3] for each in looks]


class Changing:
    """Pages with validators of some kind, some of which change after their first answer."""

    def __init__(self, validator: Callable[[str, int], dict[str, str]], changed: str = "") -> None:
        self.validator = validator
        self.changed = changed
        self.times: Counter[str] = Counter()
        self.site: SmallSite

    def __call__(self, _host: str, path: str) -> Page:
        name = path.strip("/") or "index"
        if name != "index" and name not in NAMES:
            return GONE
        self.times[name] += 1
        version = self.times[name] if name in self.changed else 1
        fields = self.validator(name, version)
        asked = self.site.fields[-1]
        if asked.get("if-none-match", "-") == fields.get("ETag") or asked.get("if-modified-since") == fields.get(
            "Last-Modified", "-"
        ):
            return Page(status=304, headers=fields)
        body = linking(*(f"/{each}" for each in NAMES)).body if name == "index" else b"%b %d" % (name.encode(), version)
        return Page(body, headers=fields)


def evidence(archive: Path, answers: Changing, *words: str) -> SmallSite:
    with SmallSite(answers) as site:
        answers.site = site
        done = capture(archive, site.url(), *EVIDENCE, *words)
        assert done.code == 0, done.err
        agree(archive, done.summary)
    return site


def test_revisits_are_conditional_and_tell_what_changed(tmp_path: Path) -> None:
    answers = Changing(lambda name, version: {"ETag": f'"{name}-{version}"'}, changed="bd")
    site = evidence(tmp_path / "archive", answers)
    looks = seen(tmp_path / "archive", VisitKind.REVISIT)
    found = {path: (look.record_type, look.status) for path, look in zip(paths(looks), looks, strict=True)}
    assert len(found) == len(NAMES), "all but the one visited last"
    for path, told in found.items():
        # One in twenty is asked for whole, to see whether the server can be believed.
        assert told == ("response", 200) if path in ("/b", "/d") else told in (("revisit", 304), ("revisit", 200))
    conditions = [fields for fields in site.fields if "if-none-match" in fields]
    assert len(looks) - 4 <= len(conditions) <= len(looks)


def test_visits_come_before_revisits_which_go_back_the_way(tmp_path: Path) -> None:
    evidence(tmp_path / "archive", Changing(lambda name, _: {"ETag": f'"{name}"'}))
    looks = [each for each in seen(tmp_path / "archive") if "robots" not in each.url and "sitemap" not in each.url]
    visits = [each for each in looks if each.visit is VisitKind.VISIT]
    revisits = [each for each in looks if each.visit is VisitKind.REVISIT]
    assert max(each.moment for each in visits) < min(each.moment for each in revisits)
    assert paths(revisits) == paths(visits)[-2::-1]


def test_pages_without_validators_are_held_against_each_other_by_content(tmp_path: Path) -> None:
    evidence(tmp_path / "archive", Changing(lambda _name, _version: {}, changed="c"))
    looks = seen(tmp_path / "archive", VisitKind.REVISIT)
    assert {path for path, look in zip(paths(looks), looks, strict=True) if look.record_type == "response"} <= {"/c"}
    assert {look.status for look in looks} == {200}


def test_a_date_that_may_hide_a_change_is_no_condition(tmp_path: Path) -> None:
    now = "Fri, 01 Jan 2038 00:00:00 GMT"
    answers = Changing(lambda name, _: {"Last-Modified": OLD if name in "abc" else now})
    site = evidence(tmp_path / "archive", answers)
    asked = {fields["if-modified-since"] for fields in site.fields if "if-modified-since" in fields}
    assert asked == {OLD}


def test_etags_that_are_never_the_same_do_not_count_as_change(tmp_path: Path) -> None:
    serial = iter(range(1000))
    evidence(tmp_path / "archive", Changing(lambda _name, _version: {"ETag": f'"{next(serial)}"'}))
    assert {look.record_type for look in seen(tmp_path / "archive", VisitKind.REVISIT)} == {"revisit"}


def test_a_page_that_vanishes_before_its_revisit_stays_stored(tmp_path: Path) -> None:
    class Vanishing(Changing):
        def __call__(self, host: str, path: str) -> Page:
            return GONE if path == "/a" and self.times["a"] else super().__call__(host, path)

    answers = Vanishing(lambda name, _: {"ETag": f'"{name}"'})
    site = evidence(tmp_path / "archive", answers)
    assert fates(tmp_path / "archive")[site.url("/a")] == ("stored", "")
    last = [each for each in seen(tmp_path / "archive") if each.url.endswith("/a")][-1]
    assert (last.visit, last.status) == (VisitKind.REVISIT, 404)


def test_exploring_visits_once(tmp_path: Path) -> None:
    answers = Changing(lambda name, _: {"ETag": f'"{name}"'})
    with SmallSite(answers) as site:
        answers.site = site
        assert capture(tmp_path / "archive", site.url(), "--for", "exploring").code == 0
    assert not seen(tmp_path / "archive", VisitKind.REVISIT)
    assert len(seen(tmp_path / "archive")) == len(set(site.paths)) + 1


def sitemap(site_of: list[SmallSite]) -> Callable[[str, str], Page]:
    """A site whose sitemap tells how often each page changes, hotter by the alphabet, and lists one that none links."""

    def answer(_host: str, path: str) -> Page:
        words = ("never", "yearly", "monthly", "weekly", "daily", "hourly")
        if path == "/sitemap.xml":
            entries = "".join(
                f"<url><loc>{site_of[0].url('/' + name)}</loc><changefreq>{word}</changefreq></url>"
                for name, word in zip("abcdef", words, strict=True)
            )
            return Page(f"<urlset>{entries}</urlset>".encode(), "application/xml")
        return linking("/a", "/b") if path == "/" else Page(path.encode()) if path[1:] in "abcdef" else GONE

    return answer


def test_a_sitemap_gives_the_plan_its_pages_and_rates(tmp_path: Path) -> None:
    sites: list[SmallSite] = []
    with SmallSite(sitemap(sites)) as site:
        sites.append(site)
        done = capture(tmp_path / "archive", site.url(), "--for", "exploring", "--connections", "1")
        assert done.code == 0
    assert site.paths[0] == "/sitemap.xml"
    heat = [path for path in site.paths[1:] if path != "/"]
    peak = heat.index("/f")
    assert peak in (2, 3), "the hottest in the middle"
    assert heat[:peak] == sorted(heat[:peak])
    assert heat[peak:] == sorted(heat[peak:], reverse=True)


def test_without_sitemaps_only_links_lead_anywhere(tmp_path: Path) -> None:
    sites: list[SmallSite] = []
    with SmallSite(sitemap(sites)) as site:
        sites.append(site)
        assert capture(tmp_path / "archive", site.url(), "--for", "exploring", "--no-sitemaps").code == 0
    assert sorted(site.paths) == ["/", "/a", "/b"]


def test_given_rates_overrule_what_is_told(tmp_path: Path) -> None:
    sites: list[SmallSite] = []
    with SmallSite(sitemap(sites)) as site:
        sites.append(site)
        rates = tmp_path / "rates"
        rates.write_text("".join(f"{site.url('/' + name)} {9 - place}\n" for place, name in enumerate("abcdef")))
        words = ("--strategy", "hottest-first", "--rates", rates, "--connections", "1")
        assert capture(tmp_path / "archive", site.url(), *words).code == 0
    assert "".join(site.paths[1:]).replace("/", "").startswith("abcdef")


def test_what_matters_more_counts_for_as_much_as_what_changes_more(tmp_path: Path) -> None:
    sites: list[SmallSite] = []
    with SmallSite(sitemap(sites)) as site:
        sites.append(site)
        rates, weights = tmp_path / "rates", tmp_path / "weights"
        rates.write_text("".join(f"{site.url('/' + name)} {9 - place}\n" for place, name in enumerate("abcdef")))
        weights.write_text(f"# pages\n{site.url('/e')} 10\n{site.url('/a')} 0.1\n")
        words = ("--strategy", "hottest-first", "--rates", rates, "--weights", weights, "--connections", "1")
        assert capture(tmp_path / "archive", site.url(), *words).code == 0
    assert [path for path in site.paths if path[1:] in "abcdef" and path != "/"] == ["/e", "/b", "/c", "/d", "/f", "/a"]


def test_second_visits_are_ordered_by_weights_that_differ_much(tmp_path: Path) -> None:
    """The last visited is in the middle, and nobody can change while it is looked at once."""
    pages = {"/": linking("/a", "/b", "/c"), **{f"/{name}": Page(name.encode()) for name in "abc"}}
    apexes = {}
    for weight in (2, 20):
        with SmallSite(pages) as site:
            rates, weights = tmp_path / "rates", tmp_path / "weights"
            rates.write_text("".join(f"{site.url(path)} {1 if path == '/a' else 2}\n" for path in pages))
            weights.write_text(f"{site.url('/a')} {weight}\n")
            words = (*EVIDENCE, "--rates", rates, "--weights", weights, "--no-sitemaps", "--connections", "1")
            assert capture(tmp_path / f"archive-{weight}", site.url(), *words).code == 0
        resources = events(webkeep("certify", tmp_path / f"archive-{weight}"), "resource")
        (apexes[weight],) = [each["url"].removeprefix(site.url()) for each in resources if each["verdict"] == "apex"]
    assert (apexes[2] == "a", apexes[20] == "a") == (False, True)


def test_figures_by_weight_are_in_the_certificate_and_follow_from_the_records(tmp_path: Path) -> None:
    pages = {"/": linking("/a", "/b"), "/a": Page(b"a", "text/html"), "/b": Page(b"b", "text/html")}
    with SmallSite(pages) as site:
        weights = tmp_path / "weights"
        weights.write_text(f"{site.url('/a')} 5\n{site.url('/b')} 0\n{site.url('/never')} 7\n")
        done = capture(tmp_path / "archive", site.url(), *EVIDENCE, "--weights", weights, "--no-sitemaps")
    assert done.code == 0, done.err
    weights.unlink()
    certified = webkeep("certify", tmp_path / "archive")
    assert certified.summary["kept"] == "equal"
    resources = {each["url"]: each for each in events(certified, "resource")}
    assert {url.removeprefix(site.url("/")): each.get("weight", 1.0) for url, each in resources.items()} == {
        "": 1.0, "a": 5.0, "b": 0.0,
    }  # fmt: skip
    judged = [each for each in resources.values() if each["verdict"] in ("coherent", "apex")]
    told = certified.summary["all"]["weighted"]
    assert told["judged"] == told["coherent"] == sum(each.get("weight", 1.0) for each in judged)
    assert 0 < told["expected_coherent"] <= told["rated"]
    assert "by the weights that were given" in webkeep("certify", tmp_path / "archive", as_json=False).out.decode()
    page = tmp_path / "certificate.html"
    webkeep("certify", tmp_path / "archive", "--html", page)
    assert "By the weights that were given" in page.read_text()


@pytest.mark.parametrize(
    "line", ["https://example.org/", "https://example.org/ heavy", "https://example.org/ -1", "x y z"]
)
def test_what_is_no_weight_is_told_with_its_line(line: str, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_text(f"https://example.org/a 2\n{line}\n")
    done = capture(tmp_path / "archive", "https://example.org/", *EVIDENCE, "--weights", weights)
    assert done.code == 2
    assert f"{weights}, line 2" in done.err
    assert "write a URL and how much it matters" in done.err


def test_an_earlier_capture_gives_the_plan_its_pages(tmp_path: Path) -> None:
    pages = {"/": linking("/a"), "/a": linking("/b"), "/b": linking("/")}
    with SmallSite(pages) as site:
        assert capture(tmp_path / "archive", site.url()).code == 0
        pages["/a"] = linking("/")
        before = len(site.paths)
        assert capture(tmp_path / "archive", site.url(), "--for", "exploring").code == 0
    assert "/b" in site.paths[before:], "nothing links to it any more, but it was there"


def test_parts_of_a_site_are_made_coherent_one_by_one(tmp_path: Path) -> None:
    parts = {part: [f"/{part}/{number}" for number in range(30)] for part in "xy"}
    pages = {"/": linking(*parts["x"], *parts["y"])}
    pages |= {path: Page(path.encode()) for part in parts.values() for path in part}
    pages["/y/0"] = linking("/x/late")
    pages["/x/late"] = Page(b"late")
    with SmallSite(pages) as site:
        done = capture(tmp_path / "archive", site.url(), *EVIDENCE, "--subsites", "directories", "--no-sitemaps")
        assert done.code == 0
    rounds: list[tuple[bool, set[str]]] = []
    for look in seen(tmp_path / "archive"):
        (path,) = paths([look])
        if path != "/robots.txt":
            again = look.visit is VisitKind.REVISIT
            if not rounds or rounds[-1][0] is not again:
                rounds.append((again, set()))
            rounds[-1][1].add(path)
    x, y = set(parts["x"]), set(parts["y"])
    assert [again for again, _ in rounds] == [False, True, False, True, False, True]
    assert rounds[0][1] == {"/"} | x
    assert rounds[1][1] < {"/"} | x and len(rounds[1][1]) == 30
    assert rounds[2][1] == y
    assert rounds[3][1] < y
    assert rounds[4][1] == {"/x/late"}
    assert len(rounds[5][1]) == 1 and rounds[5][1] < x, "the page of that part that had been seen once"


def test_what_was_visited_before_any_part_had_its_turn_is_seen_again_too(tmp_path: Path) -> None:
    pages = {"/": linking(*(f"/x/{number}" for number in range(20)))}
    pages |= {f"/x/{number}": Page(b"x") for number in range(20)}
    listed = "".join(f"<url><loc>http://site.example/x/{number}</loc></url>" for number in range(20))
    pages["/sitemap.xml"] = Page(f"<urlset>{listed}</urlset>".encode(), type="application/xml")
    with SmallSite(pages) as site:
        done = capture(tmp_path / "archive", site.url(), *EVIDENCE, "--subsites", "directories")
        assert done.code == 0
    again = paths([look for look in seen(tmp_path / "archive") if look.visit is VisitKind.REVISIT])
    assert "/sitemap.xml" in again


def test_a_limit_of_time_leaves_time_for_the_revisits(tmp_path: Path) -> None:
    pages = {f"/{number}": linking(f"/{number + 1}") for number in range(1000)} | {"/": linking("/0")}
    with SmallSite(pages) as site:
        options = (
            "--for",
            "evidence",
            "--delay",
            "0.05",
            "--no-sitemaps",
            "--max-seconds",
            "4",
            "--trap-budget",
            "off",
        )
        done = capture(tmp_path / "archive", site.url(), *options)
    # A slow machine may not come to the last of them, which is told then.
    assert done.code == (1 if done.summary["not_seen_again"] else 0)
    assert seen(tmp_path / "archive", VisitKind.REVISIT)
    assert "max-seconds: 4, half of them for second visits" in {why for _, why in fates(tmp_path / "archive").values()}


def killed_at(count: int, site: SmallSite, archive: Path, *words: object) -> None:
    """Begin a capture, and kill it when so many requests were answered and one more has come."""
    site.hold_after(count)
    with running(archive, *words) as process:
        site.wait_for_requests(count + 1)
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("moment", [0, 3, 8, 10, 12, 16])
def test_killed_and_gone_on_with_in_any_round(tmp_path: Path, moment: int) -> None:
    archive = tmp_path / "archive"
    answers = Changing(lambda name, _: {"ETag": f'"{name}"'})
    with SmallSite(answers) as site:
        answers.site = site
        words = (site.url(), *EVIDENCE, "--no-sitemaps")
        killed_at(moment, site, archive, *words)
        site.let_go()
        with running(archive, *words) as process:
            summary = ended(process)
        assert summary["finished"] and summary["code"] == 0, summary
    looks = [each for each in seen(archive) if "robots" not in each.url]
    visits = Counter(paths([each for each in looks if each.visit is VisitKind.VISIT]))
    revisits = Counter(paths([each for each in looks if each.visit is VisitKind.REVISIT]))
    assert visits == Counter(["/", *(f"/{name}" for name in NAMES)])
    assert set(revisits.values()) == {1}
    assert len(revisits) == len(NAMES)
    assert is_sound(archive)


def test_a_url_store_that_is_lost_does_not_revisit_twice(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    answers = Changing(lambda name, _: {"ETag": f'"{name}"'})
    with SmallSite(answers) as site:
        answers.site = site
        words = (site.url(), *EVIDENCE, "--no-sitemaps")
        killed_at(14, site, archive, *words)
        for book in archive.glob("jobs/*/frontier.sqlite*"):
            book.unlink()
        site.let_go()
        with running(archive, *words) as process:
            assert ended(process)["code"] == 0
    revisits = Counter(paths(seen(archive, VisitKind.REVISIT)))
    assert set(revisits.values()) == {1}
    assert len(revisits) == len(NAMES)


def test_the_certificate_is_kept_and_derived_again_from_the_records_alone(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    answers = Changing(lambda name, version: {"ETag": f'"{name}-{version}"'}, changed="bd")
    with SmallSite(answers) as site:
        answers.site = site
        done = capture(archive, site.url(), *EVIDENCE, "--no-sitemaps")
    told = done.summary["coherence"]
    for cache in (archive / "catalog.sqlite", archive / "index" / "index.sqlite"):
        cache.unlink()
    derived = webkeep("certify", archive)
    assert derived.code == 0
    assert derived.summary["kept"] == "equal"
    assert {name: derived.summary[name] for name in told} == told
    verdicts = {each["url"].rsplit("/", 1)[1]: each["verdict"] for each in events(derived, "resource")}
    assert {name for name, verdict in verdicts.items() if verdict == "changed"} <= {"b", "d"}
    assert sorted(verdicts.values()).count("apex") == 1
    assert {"coherent", "apex", "changed"} >= set(verdicts.values())


def test_rates_and_their_sources_are_in_the_certificate(tmp_path: Path) -> None:
    sites: list[SmallSite] = []
    with SmallSite(sitemap(sites)) as site:
        sites.append(site)
        rates = tmp_path / "rates"
        rates.write_text(f"{site.url('/a')} 2\n")
        done = capture(tmp_path / "archive", site.url(), *EVIDENCE, "--rates", rates)
    assert done.code == 0
    resources = events(webkeep("certify", tmp_path / "archive"), "resource")
    sources = {each["url"].rsplit("/", 1)[1]: each["rate_source"] for each in resources}
    assert sources["a"] == "given"
    assert sources["b"] == "sitemap"
    assert sources[""] == "site"


def test_a_certificate_goes_along_with_its_capture(tmp_path: Path) -> None:
    evidence(tmp_path / "archive", Changing(lambda name, _: {"ETag": f'"{name}"'}), "--no-sitemaps")
    (told,) = events(webkeep("list", tmp_path / "archive"), "capture")
    warc = tmp_path / "one.warc.gz"
    assert webkeep("export", tmp_path / "archive", "--warc", warc, "--capture", told["capture"]).code == 0
    assert webkeep("import", warc, "--into", tmp_path / "other").code == 0
    derived = webkeep("certify", tmp_path / "other", "--capture", told["capture"])
    assert (derived.code, derived.summary["kept"]) == (0, "equal")


def test_what_an_archive_saw_before_makes_the_rates_and_foretells_others(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    hot, cold = [f"/live/{number}" for number in range(60)], [f"/law/{number}" for number in range(60)]
    counter = iter(range(100_000))
    pages: list[str] = []

    def answer(_host: str, path: str) -> Page:
        if path == "/":
            return linking(*pages)
        words = f"{next(counter)}" if path.startswith("/live/") else "the same"
        return Page(f"<!doctype html><p>{path} {words}".encode()) if path in pages else GONE

    with SmallSite(answer) as site:
        pages += hot + cold
        for _ in range(3):
            assert capture(archive, site.url()).code == 0
        pages += ["/live/new", "/law/new"]
        assert capture(archive, site.url(), "--for", "evidence", "--no-sitemaps").code == 0
    resources = {
        each["url"].removeprefix(site.url("")): each for each in events(webkeep("certify", archive), "resource")
    }
    assert {resources[path]["rate_source"] for path in hot + cold} == {"history"}
    assert min(resources[path]["rate"] for path in hot) > max(resources[path]["rate"] for path in cold)
    assert {resources[path]["rate_source"] for path in ("/live/new", "/law/new")} == {"prediction"}
    assert resources["/live/new"]["rate"] > resources["/law/new"]["rate"]


def test_a_sitemap_that_leads_to_the_front_page_loses_nothing(tmp_path: Path) -> None:
    pages = {"/": linking("/a", "/b"), "/a": Page(b"a"), "/b": Page(b"b"), "/sitemap.xml": moved("/")}
    with SmallSite(pages) as site:
        assert capture(tmp_path / "archive", site.url(), "--for", "exploring", "--depth", "2").code == 0
    assert {"/a", "/b"} <= set(site.paths)


def test_a_shorter_way_that_is_found_later_counts(tmp_path: Path) -> None:
    pages = {
        "/": linking("/long", "/short"),
        "/long": linking("/long/1"),
        "/long/1": linking("/page"),
        "/short": linking("/page"),
        "/page": linking("/end"),
        "/end": Page(b"end"),
    }
    rates = tmp_path / "rates"
    with SmallSite(pages) as site:
        rates.write_text("".join(f"{site.url(path)} {heat}\n" for path, heat in (("/long", 9), ("/long/1", 8))))
        words = ("--strategy", "hottest-first", "--depth", "3", "--rates", rates, "--no-sitemaps", "--connections", "1")
        capture(tmp_path / "archive", site.url(), *words)
    assert "/end" in site.paths


def test_a_limit_on_urls_leaves_all_strategies_their_revisits(tmp_path: Path) -> None:
    for name in ("sharc-intervals", "sharc-selective", "scouting", "sharc-threshold"):
        answers = Changing(lambda name, _: {"ETag": f'"{name}"'})
        with SmallSite(answers) as site:
            answers.site = site
            words = ("--strategy", name, "--max-urls", "6", "--no-sitemaps", "--connections", "1")
            capture(tmp_path / name, site.url(), *words)
        assert len(seen(tmp_path / name, VisitKind.REVISIT)) == 5, name


def test_where_few_urls_are_asked_for_they_are_pages(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/a"), "/a": Page(b"a")}) as site:
        assert capture(tmp_path / "archive", site.url(), "--for", "exploring", "--max-urls", "1").code == 0
    assert site.paths == ["/"]


def test_files_can_be_captured_by_any_strategy(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<a href=other.html>x</a>")
    (tmp_path / "site" / "other.html").write_text("other")
    done = capture(tmp_path / "archive", f"file://{tmp_path}/site/", *EVIDENCE)
    assert done.code == 0, done.err


def test_revisits_that_come_to_nothing_are_told(tmp_path: Path) -> None:
    class Failing(Changing):
        def __call__(self, host: str, path: str) -> Page:
            if self.times["a"] and path == "/a":
                return Page(b"", status=503)
            return super().__call__(host, path)

    answers = Failing(lambda name, _: {"ETag": f'"{name}"'})
    with SmallSite(answers) as site:
        answers.site = site
        done = capture(tmp_path / "archive", site.url(), *EVIDENCE, "--retries", "0", "--no-sitemaps")
    assert fates(tmp_path / "archive")[site.url("/a")][0] == "stored"
    assert done.code in (0, 1)


def test_rates_are_kept_over_a_crash(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    answers = Changing(lambda name, _: {"ETag": f'"{name}"'})
    with SmallSite(answers) as site:
        answers.site = site
        rates = tmp_path / "rates"
        rates.write_text("".join(f"{site.url('/' + name)} {place}\n" for place, name in enumerate(NAMES, 1)))
        words = (site.url(), *EVIDENCE, "--no-sitemaps", "--rates", rates)
        killed_at(14, site, archive, *words)
        site.let_go()
        with running(archive, *words) as process:
            told = ended(process)["coherence"]
    assert told["all"]["rated"] == len(NAMES) + 1


def test_a_page_counts_from_when_its_answer_was_there(tmp_path: Path) -> None:
    """The server makes up its mind long after it was asked, and meanwhile the page was another one."""
    moments: list[float] = []

    def answer(_host: str, path: str) -> Page:
        if path == "/slow" and not moments:
            time.sleep(0.2)
            moments.append(time.time())
        return linking("/slow", "/other") if path == "/" else Page(path.encode()) if path != "/robots.txt" else GONE

    with SmallSite(answer) as site:
        capture(
            tmp_path / "archive", site.url(), "--strategy", "breadth-first-fifo", "--no-sitemaps", "--connections", "1"
        )
    resources = events(webkeep("certify", tmp_path / "archive"), "resource")
    (slow,) = [each for each in resources if each["url"].endswith("/slow")]
    first = Moment.parse(slow["versions"][0]["first"])
    assert first.micros / 1e6 >= moments[0]


def test_a_server_that_lies_is_found_out_where_its_word_is_not_taken(tmp_path: Path) -> None:
    class Lying(Changing):
        def __call__(self, host: str, path: str) -> Page:
            if path != "/b":
                return super().__call__(host, path)
            self.times["b"] += 1
            if "if-none-match" in self.site.fields[-1]:
                return Page(status=304, headers={"ETag": '"b"'})
            return Page(b"%d" % self.times["b"], headers={"ETag": '"b"'})

    answers = Lying(lambda name, _: {"ETag": f'"{name}"'})
    evidence(tmp_path / "archive", answers, "--no-sitemaps", "--unconditional")
    resources = events(webkeep("certify", tmp_path / "archive"), "resource")
    verdicts = {each["url"].rsplit("/", 1)[1]: each["verdict"] for each in resources}
    assert verdicts["b"] in ("changed", "apex")
    assert not any("if-none-match" in fields for fields in answers.site.fields)


def test_the_seed_is_taken_however_few_may_be(tmp_path: Path) -> None:
    sites: list[SmallSite] = []
    with SmallSite(sitemap(sites)) as site:
        sites.append(site)
        capture(tmp_path / "archive", site.url(), *EVIDENCE, "--max-urls", "2")
    assert "/" in site.paths


def test_visits_that_an_earlier_process_made_are_revisited(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    answers = Changing(lambda name, _: {"ETag": f'"{name}"'})
    with SmallSite(answers) as site:
        answers.site = site
        words = (site.url(), *EVIDENCE, "--no-sitemaps")
        killed_at(11, site, archive, *words)
        (book,) = archive.glob("jobs/*/frontier.sqlite")
        with sqlite3.connect(book) as database:
            database.execute("DELETE FROM kept WHERE name = 'rounds'")
        site.let_go()
        with running(archive, *words) as process:
            assert ended(process)["code"] == 0
    assert len(seen(archive, VisitKind.REVISIT)) == len(NAMES)


@pytest.mark.parametrize(
    "words",
    [("--subsites", "directories"), ("--rates", "RATES"), ("--for", "evidence", "--strategy", "sharc-online")],
    ids=lambda words: words[0],
)
def test_what_would_do_nothing_is_a_wrong_call(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "RATES").write_text("http://site.test/ 1\n")
    said = [str(tmp_path / word) if word == "RATES" else word for word in words]
    assert capture(tmp_path / "archive", "http://127.0.0.1:9/", *said).code == 2
    assert not (tmp_path / "archive").exists()


def test_rates_that_are_none_are_told_before_anything_is_begun(tmp_path: Path) -> None:
    (tmp_path / "rates").write_text("http://site.test/ often\n")
    words = ("--for", "evidence", "--rates", tmp_path / "rates")
    assert capture(tmp_path / "archive", "http://127.0.0.1:9/", *words).code == 2
    assert not (tmp_path / "archive").exists()


def test_bytes_that_are_not_those_of_the_digest_are_found(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    evidence(archive, Changing(lambda name, _: {"ETag": f'"{name}"'}), "--no-sitemaps")
    (file,) = (archive / "warcs").glob("*.warc.gz")
    members = [gzip.compress(each.replace(b"\r\n\r\na 1", b"\r\n\r\nb 1")) for each in members_of(file.read_bytes())]
    file.write_bytes(b"".join(members))
    assert webkeep("rebuild", archive).code in (0, 1)
    assert webkeep("certify", archive).code == 1
    assert webkeep("certify", archive, "--no-verify").code == 0


def members_of(data: bytes) -> list[bytes]:
    found = []
    while data:
        inflater = zlib.decompressobj(31)
        found.append(inflater.decompress(data))
        data = inflater.unused_data
    return found
