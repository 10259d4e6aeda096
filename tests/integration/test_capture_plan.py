"""Plans: from a file, from the command line, with seeds of many kinds; and what is said of those that cannot be."""

import gzip
from pathlib import Path

import pytest
from capture_calls import capture, fates, kept
from small_site import Page, SmallSite, linking
from warc_material import webkeep

from webkeep.store.archive import Archive

PAGES = {
    "/": linking("/a", "/b", "/c.png", "/deep/"),
    "/a": linking(),
    "/b": linking(),
    "/c.png": Page(b"png", "image/png"),
    "/deep/": linking("/deep/er"),
    "/deep/er": linking(),
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def written(folder: Path, text: str, name: str = "plan.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_plan_file(archive: Path, tmp_path: Path) -> None:
    with SmallSite(PAGES) as site, SmallSite({"/x.png": Page(b"x", "image/png")}) as other:
        plan = f"""
            seeds = ["{site.url()}"]
            exclude = ["*.png"]
            include = ["{other.url("/x.png")}"]
            max-urls = 4
            user-agent = "tester (mail@example.org)"

            [hosts."127.0.0.1:{site.port}"]
            delay = 0.01
            headers = {{ X-Test = "yes" }}
            """
        done = capture(archive, "--plan", written(tmp_path, plan))
        assert done.code == 0, done.err
        assert len(site.paths) == 4
        assert "/c.png" not in site.paths
        assert {each["user-agent"] for each in site.fields} == {"tester (mail@example.org)"}
        assert {each["x-test"] for each in site.fields} == {"yes"}
        ledger = done.summary["hosts"][f"127.0.0.1:{site.port}"]
        assert ledger["delays"][-1][1:] == [0.01, "plan"]
        assert ledger["greatest_concurrency"] == 1


def test_the_command_line_overrules_the_file(archive: Path, tmp_path: Path) -> None:
    with SmallSite(PAGES) as site:
        plan = written(tmp_path, 'seeds = ["http://127.0.0.1:1/"]\nmax-urls = 1\nrules = ["-*"]\ndepth = 0\n')
        words = ["--plan", plan, "--max-urls", "3", "--include", "/a", "--depth", "5"]
        done = capture(archive, site.url(), *words)
        assert done.code == 0, done.err
        assert set(site.paths) == {"/", "/a"}


def test_exceptions_for_a_host(archive: Path, tmp_path: Path) -> None:
    forbidding = {
        "/robots.txt": Page(b"User-agent: *\nDisallow: /\n", "text/plain"),
        "/": linking("/a", "/big"),
        "/a": linking(),
        "/big": Page(bytes(5000), "text/plain"),
    }
    with SmallSite(forbidding) as strict, SmallSite(PAGES) as site:
        plan = f"""
            seeds = ["{site.url()}", "{strict.url()}"]
            [hosts."127.0.0.1:{strict.port}"]
            robots = "ignore"
            max-size = "1kB"
            [hosts."127.0.0.1:{site.port}"]
            max-urls = 2
            exclude = ["/deep/*"]
            """
        done = capture(archive, "--plan", written(tmp_path, plan))
        assert set(strict.paths) == {"/", "/a", "/big"}
        assert len(site.paths) == 2
        told = fates(archive)
        assert told[strict.url("/big")] == ("stored", "cut off at 1,000 bytes (max-size); what came is stored")
        assert told[site.url("/deep/")][0] == "out-of-scope"
        assert {why for outcome, why in told.values() if outcome == "cut"} == {"max-urls-per-host: 2"}
        assert done.code == 0


# ---- seeds ----

LIST = "# a list\n{0}a\n\n  {0}b  # with a remark\n"
SITEMAP = '<?xml version="1.0"?><urlset><url><loc>{0}a</loc></url><url><loc>{0}b</loc></url></urlset>'
RSS = (
    "<rss><channel><item><link>{0}a</link><description>&lt;a href='{0}deep/'&gt;</description></item>"
    "<item><link>{0}b</link></item></channel></rss>"
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{0}a"/></entry>'
    '<entry><link href="{0}b"/></entry></feed>'
)


@pytest.mark.parametrize(
    ("text", "name"),
    [(LIST, "seeds.txt"), (SITEMAP, "sitemap.xml"), (RSS, "feed.rss"), (ATOM, "feed.atom")],
    ids=["list", "sitemap", "rss", "atom"],
)
def test_seeds_from_a_file(archive: Path, tmp_path: Path, text: str, name: str) -> None:
    with SmallSite(PAGES) as site:
        source = written(tmp_path, text.format(site.url()), name)
        done = capture(archive, "--seeds-from", source, "--scope", "page")
        assert done.code == 0, done.err
        assert sorted(site.paths) == ["/a", "/b"]


def test_seeds_from_an_archive(archive: Path, tmp_path: Path) -> None:
    with SmallSite(PAGES) as site:
        capture(archive, site.url("/a"), site.url("/b"), "--scope", "page")
        again = tmp_path / "again"
        done = capture(again, "--seeds-from", archive, "--scope", "page")
        assert done.code == 0, done.err
        assert {site.url("/a"), site.url("/b")} <= kept(again)


def test_many_seeds_are_one_plan_and_no_long_record(archive: Path, tmp_path: Path) -> None:
    with SmallSite({}) as site:
        source = written(tmp_path, "".join(f"{site.url()}{number}\n" for number in range(1500)), "seeds.txt")
        words = ["--seeds-from", source, "--scope", "page", "--max-urls", "3"]
        done = capture(archive, *words)
        assert done.summary["fates"]["cut"] == 1497
        with Archive(archive) as opened:
            (one,) = opened.captures()
            assert len(one.seeds) == 1000
            assert len(one.facts["plan"]) < 60_000


# ---- what cannot be ----


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to capture"),
        (["http://"], "not a web address"),
        (["http://exa mple.org/"], "not a web address"),
        (["mailto:me@example.org"], "not a web address"),
        (["javascript:alert(1)"], "not a web address"),
        (["ftp://"], "not a place"),
        (["S", "--scope", "galaxy"], "invalid choice"),
        (["S", "--depth", "deep"], "depth cannot be 'deep'; give a whole number"),
        (["S", "--depth", "-1"], "depth cannot be '-1'"),
        (["S", "--external-depth", "1.5"], "external-depth cannot be '1.5'"),
        (["S", "--max-urls", "0"], "max-urls cannot be '0'; give a whole number, 1 or more"),
        (["S", "--max-bytes", "lots"], "max-bytes: 'lots' is no size"),
        (["S", "--max-size", "-5"], "max-size: '-5' is no size"),
        (["S", "--max-seconds", "soon"], "max-seconds: 'soon' is no duration"),
        (["S", "--delay", "-1"], "delay: '-1' is no duration"),
        (["S", "--delay", "nan"], "delay: 'nan' is no duration"),
        (["S", "--max-rate", "fast"], "max-rate: 'fast' is no size"),
        (["S", "--connections", "0"], "connections cannot be '0'"),
        (["S", "--retries", "many"], "retries cannot be 'many'"),
        (["S", "--trap-budget", "some"], "trap-budget cannot be 'some'"),
        (["S", "--strategy", "luck"], "invalid choice"),
        (["S", "--robots", "bribe"], "--robots cannot be 'bribe'"),
        (["S", "--robots", "example.org=ignore"], "--robots cannot be"),
        (["S", "--include", "re:("], "is no regular expression"),
        (["S", "--exclude", "size:huge"], "is no size"),
        (["S", "--exclude", ""], "says neither"),
        (["S", "--header", "no colon"], "not a header"),
        (["S", "--auth", "example.org"], "not HOST=USER:PASSWORD"),
        (["S", "--resolve", "example.org"], "not HOST:PORT:ADDRESS"),
        (["S", "--proxy", "gopher://x"], "not a proxy's URL"),
        (["S", "--cookies", "/no/such/file"], "cookies cannot be '/no/such/file'; there is no such file"),
        (["S", "--ca", "/no/such/file"], "there is no such file"),
        (["S", "--client-certificate", "/no/such"], "there is no such file"),
        (["S", "--save-cookies", "/no/such/file"], "there is no such directory"),
        (["S", "--user-agent", " "], "it says nothing"),
        (["S", "--plan", "/no/such/plan"], "cannot read the plan"),
        (["--seeds-from", "/no/such/list"], "cannot read seeds from"),
        (["S", "--fast"], "there is no option --fast"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_calls_are_one_line_and_make_nothing(archive: Path, words: list[str], said: str) -> None:
    given = ["http://127.0.0.1:1/" if word == "S" else word for word in words]
    done = webkeep("capture", *given, "--into", archive, as_json=False)
    assert done.code == 2
    (line,) = done.lines
    assert line.startswith("webkeep: ")
    assert said in line
    assert not archive.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds = [", "is not TOML"),
        ("depth = " + "9" * 5000, "is not TOML"),
        ("seeds = " + "[" * 5000, "lists within lists"),
        ("seed = 'x'", "a plan has no 'seed'"),
        ("seeds = 7", "seeds: give a text, or a list of texts"),
        ("seeds = [1]", "seeds: give a text, or a list of texts"),
        ("rules = ['*.pdf']", "says neither + nor -"),
        ("include = [['x']]", "include: give a text"),
        ("scope = ['page']", "scope cannot be ['page']; it may be page"),
        ("depth = true", "depth cannot be True"),
        ("max-bytes = {}", "max-bytes: {} is no size"),
        ("redact = 'yes'", "redact cannot be 'yes'; give true or false"),
        ("user-agent = 7", "user-agent cannot be 7; give a text"),
        ("robots = 'maybe'", "--robots cannot be 'maybe'"),
        ("auth = {'example.org' = 'me:secret'}", "auth: give a text, or a list of texts"),
        ("hosts = 7", "hosts is no table"),
        ("[hosts]\n'example.org' = 7", "hosts is no table"),
        ("[hosts.'example.org']\nspeed = 7", "host example.org has no 'speed'; it may have connections, delay"),
        ("[hosts.'example.org']\ndelay = 'soon'", "delay of host example.org: 'soon' is no duration"),
        ("[hosts.'example.org']\nrobots = 'maybe'", "robots of host example.org cannot be 'maybe'"),
        ("[hosts.'example.org']\nexclude = ['x']", "fits no URL"),
    ],
)
def test_wrong_plan_files_are_one_line(archive: Path, tmp_path: Path, text: str, said: str) -> None:
    done = webkeep("capture", "--plan", written(tmp_path, text), "--into", archive, as_json=False)
    assert done.code == 2
    (line,) = done.lines
    assert said in line
    assert "secret" not in line
    assert not archive.exists()


def test_a_plan_that_is_no_text(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe")
    done = webkeep("capture", "--plan", path, "--into", archive, as_json=False)
    assert done.code == 2
    assert "is not UTF-8 at byte 0" in done.err


def test_no_place_for_the_archive(tmp_path: Path) -> None:
    done = webkeep("capture", "http://127.0.0.1:1/", "--into", tmp_path / "no" / "such" / "place", as_json=False)
    assert done.code == 2
    assert "make it first" in done.err
    (tmp_path / "file").write_text("x")
    done = webkeep("capture", "http://127.0.0.1:1/", "--into", tmp_path / "file", as_json=False)
    assert done.code in (2, 3)
    assert len(done.lines) == 1


def test_nothing_secret_is_written_down(archive: Path) -> None:
    with SmallSite({"/": linking()}) as site:
        seed = site.url().replace("//", "//me:pass-word@")
        words = ["--auth", "127.0.0.1=you:pass-word", "--header", "Authorization: Bearer pass-word", "--redact"]
        done = capture(archive, seed, *words)
        assert done.code == 0, done.err
        assert "pass-word" not in done.err + done.out.decode()
        shown = webkeep("list", archive, "--captures")
        assert b"pass-word" not in shown.out
        for path in (archive / "warcs").iterdir():
            assert b"pass-word" not in gzip.decompress(path.read_bytes())


def test_pages_that_another_archive_holds_are_left_out(archive: Path, tmp_path: Path) -> None:
    other, answers = tmp_path / "other", {**PAGES, "/": linking("/a", "/c.png", "/deep/", "/late")}
    with SmallSite(answers) as site:
        capture(other, site.url("/deep/"), site.url("/c.png"), site.url("/late"), site.url("/a"), "--scope", "page")
        assert site.url("/late") in kept(other), "an error that was recorded is not what anybody holds"
        answers["/late"] = linking()
        first = len(site.paths)
        done = capture(archive, site.url(), site.url("/a"), "--held-in", other)
        assert done.code == 0, done.err
        assert {"/", "/a", "/c.png", "/late"} == set(site.paths[first:]) - {"/robots.txt"}
        assert fates(archive)[site.url("/deep/")] == ("out-of-scope", "held in other")
        assert "--held-in" not in (archive / "archive.toml").read_text()
        missing = capture(archive, site.url(), "--held-in", tmp_path / "nowhere")
        assert (missing.code, "there is no such folder" in missing.err) == (2, True)
