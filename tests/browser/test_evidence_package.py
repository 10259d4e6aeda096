"""`webkeep evidence`: what is in a package, that its pictures are what Chromium shows, and that it claims no more than
it knows.
"""

import base64
import hashlib
import html
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pypdf
import pytest
from bench.measuring import PEERS
from bench.time_authority import TimeAuthority, serve_authority
from devtools import Browser
from endless_server import EndlessServer
from evidence_pages import Packed, make_evidence, words_of
from pictures import difference
from proxy_server import HttpProxy
from small_site import GONE, HTML, Page, SmallSite
from warc_material import webkeep

from webkeep.formats import read_size

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
VIDEO = bytes(range(256)) * 2000
STYLE = Page(b"body { font: 16px sans-serif; margin: 40px; background: #fdf6e3 } img { width: 90px }", "text/css")
LATE = (
    b"<script>new IntersectionObserver((seen, watch) => seen.forEach((each) => { if (each.isIntersecting) {"
    b"each.target.src = each.target.dataset.src; watch.disconnect() } })).observe(document.querySelector('#late'))"
    b"</script>"
)
TOWN = (
    b"<!doctype html><title>Town</title><link rel=stylesheet href=town.css><h1>Harbour news</h1><img src=boat.png>"
    b"<p>The ferry leaves at ten.</p><div style='height:2500px'></div><img id=late data-src=late.png><p>The end.</p>"
    b"<video src=film.mp4 preload=auto></video><audio src=bell.mp3 preload=auto></audio>" + LATE
)
LONG = b"".join(
    b"<div style='height:960px;background:hsl(%d,70%%,70%%)'>screen %d</div>" % (12 * n, n) for n in range(30)
)
MINUTED = b"<p>Minutes</p><div style='height:%dpx'></div><img id=late data-src=/late.png>" % (70 * 960) + LATE
FEED = (
    b"<div id=all></div><script>const more = () => { for (let n = 0; n < 9; n++) { const each = "
    b"document.createElement('p'); each.textContent = 'news'; each.style.height = '700px'; all.append(each) } };"
    b"more(); addEventListener('scroll', () => { if (scrollY + 4000 > document.body.scrollHeight) more() })</script>"
)
"""A page that is seventy screens long, and one that has no end."""
WIDE = b"".join(b"<div style='width:1000px;background:hsl(%d,70%%,70%%)'>part %d</div>" % (7 * n, n) for n in range(50))
OVER = b"<div style='position:fixed;background:#fff;z-index:9;%b'>We value your privacy <button>Accept</button></div>"
WORDS = b"<h1>Harbour sold</h1>" + b"<p>The council sold the harbour on Tuesday night.</p>" * 40
COVERED, BANNER = WORDS + OVER % b"inset:0", WORDS + OVER % b"left:0;right:0;bottom:0;height:90px"
START = b"<!doctype html><title>T</title><body style='margin:0'>"
BUSY = Page(b"busy", "text/plain", 503, {"Retry-After": "0"})
MINUTES, TABLE = b"%PDF-1.4 minutes of the council " + bytes(2 << 20), b"boat;berth\n" * 40
"""A PDF whose most part is zeros, as one has whose pictures are blank, and a file that is handed out as one."""


def town(_host: str, path: str) -> Page:
    pages = {
        "/": Page(TOWN, headers={"Set-Cookie": "session=abcdef0123456789abcdef; HttpOnly"}),
        "/town.css": STYLE,
        "/boat.png": Page(PICTURE, "image/png"),
        "/late.png": Page(PICTURE, "image/png"),
        "/film.mp4": Page(VIDEO, "video/mp4", headers={"Accept-Ranges": "bytes"}),
        "/bell.mp3": Page(VIDEO[:5000], "audio/mpeg", headers={"Accept-Ranges": "bytes"}),
    }
    return pages.get(path, GONE)


class OddPages:
    """Pages that are none, and such that are hard to show."""

    def __init__(self) -> None:
        self._count = itertools.count()
        self._seen: set[str] = set()

    def __call__(self, _host: str, path: str) -> Page:
        pages = {
            "/changing": Page(START + b"<p>visitor number %d</p>" % next(self._count)),
            "/refused": Page(START + b"<h1>Not in your country</h1>", HTML, 451),
            "/abroad": Page(START + b"<h1>This page is not available in your country</h1><p>We are sorry."),
            "/covered": Page(START + COVERED),
            "/banner": Page(START + BANNER),
            "/gone": Page(START + b"<h1>Nothing here</h1>", HTML, 404),
            "/empty": Page(b""),
            "/blank": Page(START + b"<div id=root></div>"),
            "/spinner": Page(START + b"Loading\xe2\x80\xa6<script>setTimeout(() => 1, 1e9)</script>"),
            "/consent": Page(b"<title>Before you continue</title><h1>We value your privacy</h1><button>Yes</button>"),
            "/long": Page(START + LONG),
            "/wide": Page(START + b"<div style='width:50000px;height:600px;display:flex'>" + WIDE),
            "/minutes.html": Page(START + MINUTED),
            "/feed": Page(START + FEED),
            "/members": Page(START + b"<h1>Members</h1>", HTML, 401, {"WWW-Authenticate": "Basic realm=x"}),
            "/moved": Page(b"", HTML, 302, {"Location": "/long"}),
            "/words.txt": Page(b"Nothing but words.", "text/plain"),
            "/busy": Page(START + b"<h1>Opening hours</h1>") if path in self._seen else BUSY,
            "/minutes.pdf": Page(MINUTES, "application/pdf"),
            "/minutes": Page(b"", HTML, 302, {"Location": "/minutes.pdf"}),
            "/late.png": Page(PICTURE, "image/png"),
            "/table": Page(TABLE, "application/octet-stream", headers={"Content-Disposition": "attachment"}),
        }
        self._seen.add(path)
        return pages.get(path, GONE)


@pytest.fixture(scope="module")
def site() -> Iterator[SmallSite]:
    with SmallSite(town) as served:
        yield served


@pytest.fixture(scope="module", autouse=True)
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for settings of its own, in which keys are made on first use."""
    folder = tmp_path_factory.mktemp("settings")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> TimeAuthority:
    return TimeAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def packed(site: SmallSite, authority: TimeAuthority, tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """The town's page, packaged with no options but who did it, and who dates it."""
    with serve_authority(authority) as stamps:
        words = ("--operator", "The Courier", "--tsa", stamps, "--tsa-ca", authority.root_path)
        return make_evidence(tmp_path_factory.mktemp("town") / "package", site.url("/"), *words)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """All odd pages in one package."""
    names = [
        "changing",
        "refused",
        "abroad",
        "covered",
        "banner",
        "gone",
        "empty",
        "blank",
        "spinner",
        "consent",
        "moved",
        "wide",
        "words.txt",
        "busy",
        "minutes.pdf",
        "table",
        "minutes.html",
        "members",
    ]
    with SmallSite(OddPages()) as served:
        urls = [served.url(f"/{name}") for name in names]
        return make_evidence(tmp_path_factory.mktemp("odd") / "package", *urls, "--rounds", "1")


def test_a_page_is_packaged_with_all_its_parts_proven(packed: Packed) -> None:
    assert packed.done.code == 0, packed.done.err
    told = packed.summary
    assert (told["proven"], told["shown"], told["pages"], told["shortcomings"]) == (True, True, 1, [])
    assert told["parts"] == told["parts_proven"] >= 5
    facts = packed.facts
    assert (facts["format"], facts["operator"], facts["is_proven"]) == ("webkeep-evidence", "The Courier", True)
    (vantage,) = facts["vantages"]
    assert vantage["rounds"][0]["since"] < vantage["rounds"][0]["until"]


def test_the_guide_names_every_field_of_the_facts(packed: Packed) -> None:
    guide = (Path(__file__).parents[2] / "docs/guide/evidence.md").read_text("utf-8")
    assert {name for name in packed.facts if f"`{name}`" not in guide} == set()


def test_what_lies_in_the_folder_is_what_lies_in_the_package(packed: Packed) -> None:
    for name in ("cover.html", "cover.pdf", "page-001-full.png", "page-001-window.png", "page-001.pdf",
                 "page-001.html", "page-001.txt"):  # fmt: skip
        assert (packed.folder / name).read_bytes() == packed.read(name), name
    with zipfile.ZipFile(packed.folder / "evidence.wacz") as wacz:
        assert wacz.read("datapackage-digest.json") == (packed.folder / "datapackage-digest.json").read_bytes()
        listed = {each["path"] for each in json.loads(wacz.read("datapackage.json"))["resources"]}
        assert listed == {name for name in wacz.namelist() if not name.startswith(("datapackage", "stamps/"))}
    checked = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=packed.folder, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_it_is_signed_dated_and_logged_and_other_programs_say_so(packed: Packed, authority: TimeAuthority) -> None:
    assert packed.summary["signed"].startswith("by a key of the operator's own")
    assert len(packed.summary["stamps"]) == 1
    verified = webkeep("verify", packed.folder, "--tsa-ca", authority.root_path)
    assert (verified.code, verified.summary["sound"]) == (0, True), verified.err
    assert verified.summary["log"]["included"] >= packed.summary["parts"]


def test_checks_work_as_they_stand_on_the_cover_sheet(packed: Packed, authority: TimeAuthority, tmp_path: Path) -> None:
    folder = tmp_path / "handed on"
    shutil.copytree(packed.folder, folder)
    shutil.copy(authority.root_path, folder / "CHAIN.pem")
    programs = [Path(sys.executable).parent, PEERS / "signing/bin", "/usr/bin", "/bin"]
    said: dict[str, str] = {}
    for code in re.findall("<code>(.*?)</code>", (folder / "cover.html").read_text("utf-8")):
        words = html.unescape(code)
        done = subprocess.run(
            ["sh", "-c", words], cwd=folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PATH": ":".join(map(str, programs))},
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        said[words.partition(" ")[0]] = done.stdout
    assert set(said) == {"sha256sum", "wacz", "for", "webkeep"}
    assert "cover.pdf: OK" in said["sha256sum"]
    assert "Verification: OK" in said["for"], "of openssl"
    assert "There since" in said["webkeep"]
    readme = (folder / "README.txt").read_text()
    assert set(said) >= {line.split()[0] for line in readme.splitlines() if line.startswith("  for ")}
    assert "The signature, with openssl alone" in readme, "which test_signature_by_openssl holds to work"


def test_without_an_authority_it_says_that_nobody_dates_it(odd: Packed) -> None:
    assert odd.summary["stamps"] == []
    assert "by no authority: that it existed at that time rests on this machine's clock alone" in odd.cover()
    assert "stamps/*.tsr" in (odd.folder / "README.txt").read_text(), "they may come later"
    verified = webkeep("verify", odd.folder)
    assert (verified.code, verified.summary["stamps"]) == (0, []), verified.err
    stated = [f"Its maker says: {sentence[:500]}" for sentence in odd.facts["shortcomings"]]
    assert stated
    assert set(verified.summary["missing"]) >= set(stated[:20])


def test_pictures_are_what_chromium_shows_live(packed: Packed, site: SmallSite, offline_browser: Browser) -> None:
    target = offline_browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = offline_browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    offline_browser.call("Page.enable", session)
    offline_browser.call(
        "Emulation.setDeviceMetricsOverride", session, width=1280, height=960, deviceScaleFactor=1, mobile=False
    )
    offline_browser.call("Emulation.setScrollbarsHidden", session, hidden=True)  # they are the window's
    offline_browser.call("Page.navigate", session, url=site.url("/"))
    while offline_browser.event("the load of the page").get("method") != "Page.loadEventFired":
        pass
    scroll = (
        "new Promise((done) => { scrollTo(0, 1e5); const wait = () => late.complete && late.src ? (scrollTo(0, 0), "
    )
    scroll += "requestAnimationFrame(() => requestAnimationFrame(() => done(1)))) : setTimeout(wait, 20); wait() })"
    offline_browser.call("Runtime.evaluate", session, expression=scroll, awaitPromise=True)
    live = base64.b64decode(offline_browser.call("Page.captureScreenshot", session, format="png")["data"])
    assert difference((packed.folder / "page-001-window.png").read_bytes(), live) == 0.0
    height = offline_browser.call("Page.getLayoutMetrics", session)["cssContentSize"]["height"]
    clip = {"x": 0, "y": 0, "width": 1280, "height": height, "scale": 1}
    whole = offline_browser.call("Page.captureScreenshot", session, format="png", captureBeyondViewport=True, clip=clip)
    assert difference((packed.folder / "page-001-full.png").read_bytes(), base64.b64decode(whole["data"])) == 0.0


def test_text_pdf_and_html_say_the_same(packed: Packed) -> None:
    text = " ".join((packed.folder / "page-001.txt").read_text("utf-8").split())
    assert text == "Harbour news The ferry leaves at ten. The end."
    assert words_of(packed.folder / "page-001.pdf") == text
    page = (packed.folder / "page-001.html").read_text("utf-8")
    assert "The ferry leaves at ten." in page
    assert page.count("data:image/png;base64") == 2, "what came late is in it too"
    assert 'src="http' not in page


def test_films_and_sounds_are_kept_whole_and_proven_whatever_pieces_a_player_asks_for(
    packed: Packed, site: SmallSite
) -> None:
    asked = {(path, fields.get("range")) for (_, path), fields in zip(site.asked, site.fields, strict=True)}
    assert ("/film.mp4", "bytes=0-") in asked, "a player asks for parts"
    archive = packed.folder.parent / "archive"
    assert webkeep("import", str(packed.folder / "evidence.wacz"), "--into", str(archive)).code == 0
    shown = webkeep("show", str(archive), site.url("/film.mp4"), "--json")
    assert json.loads(shown.out.splitlines()[-1])["size"] == len(VIDEO), shown.out
    proven = json.loads(packed.read("certificate.json"))["resources"]
    agreeing = {urlsplit(each["url"]).path for each in proven if each["agrees"]}
    assert {"/film.mp4", "/bell.mp3"} <= agreeing


def test_the_cover_sheet_is_one_page_and_says_what_is_and_what_is_not_proven(packed: Packed) -> None:
    sheets = pypdf.PdfReader(packed.folder / "cover.pdf").pages
    assert len(sheets) == 1
    assert [round(float(each)) for each in sheets[0].mediabox[2:]] == [595, 842], "A4"
    said = packed.cover()
    for words in ("The Courier (as they say)", "stood on the web together", "What is not proven", "sha256sum -c",
                  "not encrypted", "agree within"):  # fmt: skip
        assert words in said, said


def test_how_servers_answered_is_told_and_what_was_left_out_is_listed(packed: Packed, site: SmallSite) -> None:
    told = packed.connections
    assert told["listed"] == told["all"] == packed.facts["exchanges"]
    (page, *_) = (each for each in told["exchanges"] if each["url"] == site.url("/"))
    assert page["address"] == "127.0.0.1"
    assert page["request"][0] == "GET / HTTP/1.1"
    assert page["answer"][0].endswith("200 OK")
    assert not any("abcdef0123456789" in line for line in page["answer"])
    assert {each["kind"] for each in packed.facts["redacted"]} == {"cookie"}
    assert all(site.url("/") in each["place"] for each in packed.facts["redacted"])
    (origin,) = told["origins"]
    assert (origin["addresses"], origin["is_trusted"]) == (["127.0.0.1"], None)


def test_the_custody_log_is_a_chain(packed: Packed) -> None:
    lines = packed.read("custody.jsonl").splitlines()
    assert [json.loads(line)["action"] for line in lines[:2]] == ["begun", "captured"]
    for before, line in itertools.pairwise(lines):
        assert json.loads(line)["previous"] == hashlib.sha256(before).hexdigest()


@pytest.mark.parametrize(
    ("page", "condition", "words"),
    [
        ("refused", "error", "status 451"),
        ("gone", "error", "status 404"),
        ("members", "error", "it wants a login"),
        ("minutes.html", "shown", ""),
        ("empty", "empty", "nothing"),
        ("blank", "empty", "nothing"),
        ("spinner", "loading", "Loading"),
        ("consent", "wall", "asks for consent"),
        ("abroad", "wall", "another vantage point may be let in"),
        ("words.txt", "shown", ""),
        ("busy", "shown", ""),
        ("minutes.pdf", "file", ""),
        ("table", "file", ""),
    ],
)
def test_what_is_no_page_is_not_taken_for_one(odd: Packed, page: str, condition: str, words: str) -> None:
    assert odd.pages[page]["condition"] == condition
    assert words in odd.pages[page]["remark"]
    assert bool(odd.pages[page]["remark"]) is (condition not in ("shown", "file"))


def test_what_lies_over_a_page_and_hides_it_is_named(odd: Packed) -> None:
    (told,) = odd.pages["covered"]["troubles"]
    assert told.startswith("“We value your privacy Accept” lies over 100 % of its window, and hides what is behind it")
    assert f"{odd.pages['covered']['name']}: {told}." in odd.facts["shortcomings"]
    assert odd.pages["banner"]["troubles"] == [], "the page is read beside it"


def test_what_changes_at_every_look_is_named_and_never_proven(odd: Packed) -> None:
    assert odd.done.code == 1
    (vantage,) = odd.facts["vantages"]
    unproven = {each["url"].rpartition("/")[2]: each["reason"] for each in vantage["rounds"][0]["unproven"]}
    assert "another version" in unproven["changing"]
    assert "not all is proven" in odd.cover()


def test_what_is_loaded_at_the_end_of_a_long_page_is_in_it(odd: Packed) -> None:
    assert odd.pages["minutes.html"]["troubles"] == []
    shown = (odd.folder / f"{odd.pages['minutes.html']['name']}.html").read_text("utf-8")
    assert "data:image/png;base64" in shown


def test_of_a_page_that_has_no_end_it_is_told(tmp_path: Path) -> None:
    with SmallSite(OddPages()) as served:
        packed = make_evidence(tmp_path / "package", served.url("/feed"))
    (shown,) = packed.facts["pages"]
    assert (packed.done.code, shown["condition"]) == (1, "restless")
    (told,) = shown["troubles"]
    assert "pixels were not scrolled to: what is loaded only there is missing" in told
    assert "never came to rest" in packed.cover()


@pytest.mark.parametrize(
    ("page", "ending", "content"),
    [
        ("minutes.pdf", "-file.pdf", MINUTES),
        ("table", "-file.bin", TABLE),
        ("words.txt", "-file.txt", b"Nothing but words."),
    ],
)
def test_what_is_no_page_but_a_file_is_handed_on_as_it_was_sent(
    odd: Packed, page: str, ending: str, content: bytes
) -> None:
    told = odd.pages[page]
    assert told["file"]["name"] == f"{told['name']}{ending}"
    assert told["file"]["name"] in told["files"]
    assert (odd.folder / told["file"]["name"]).read_bytes() == content
    assert (told["file"]["bytes"], told["file"]["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


def test_a_package_of_a_file_alone_proves_it(tmp_path: Path) -> None:
    with SmallSite(OddPages()) as served:
        packed = make_evidence(tmp_path / "package", served.url("/minutes"))
    assert (packed.done.code, packed.summary["shown"], packed.summary["proven"]) == (0, True, True)
    said = packed.cover()
    assert "All 2 parts of the file stood on the web together, as kept here, from" in said
    assert "/minutes.pdf, a file (application/pdf, 2.1 MB), as it was sent" in said, "where it led"
    named = f"page-001-file.pdf, SHA-256 {hashlib.sha256(MINUTES).hexdigest()}"
    assert named in (packed.folder / "cover.html").read_text("utf-8"), "on paper it stands in two lines"
    assert "scrolled through" not in said
    assert webkeep("verify", packed.folder).code == 0


def test_pages_of_any_size_are_pictured_whole(odd: Packed) -> None:
    assert odd.pages["wide"]["note"]["pictured_width"] == 50_000
    wide, long = odd.pages["wide"]["name"], odd.pages["long"]["name"]
    assert read_size((odd.folder / f"{wide}-full.png").read_bytes()) == (50_000, 960)
    assert read_size((odd.folder / f"{long}-full.png").read_bytes()) == (1280, 30 * 960)
    assert words_of(odd.folder / f"{long}.pdf") == " ".join(f"screen {n}" for n in range(30)), "after a redirect"


def test_a_package_of_an_error_alone_says_so(tmp_path: Path) -> None:
    with SmallSite(OddPages()) as served:
        packed = make_evidence(tmp_path / "package", served.url("/refused"))
    assert (packed.done.code, packed.summary["shown"], packed.summary["proven"]) == (1, False, False)
    assert "This package shows no page, and proves none: the server answered with status 451" in packed.cover()


def test_what_gives_no_answer_is_not_packaged(tmp_path: Path) -> None:
    with SmallSite(OddPages()) as served:
        url = served.url("/")
    packed = make_evidence(tmp_path / "package", url, "--retries", "0")
    assert packed.done.code == 3
    assert "there is nothing to package" in packed.done.err
    assert list(tmp_path.iterdir()) == []


def test_each_key_is_locked_by_its_own_passphrase(
    site: SmallSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    with SmallSite(OddPages()) as served:
        gone = served.url("/")
    for number in (1, 2):
        secret, key = tmp_path / f"secret-{number}", tmp_path / f"key-{number}.pem"
        secret.write_text(f"the words of {number}\n")
        words = ("--sign-key", key, "--passphrase-file", secret, "--retries", "0")
        packed = make_evidence(tmp_path / "package", gone, *words)
        assert (packed.done.code, b"ENCRYPTED" in key.read_bytes()) == (3, True), packed.done.err
    assert b"ENCRYPTED" not in (tmp_path / "settings/webkeep/keys/log.pem").read_bytes()
    asked = len(site.asked)
    lost = make_evidence(
        tmp_path / "package", site.url("/"), "--sign-key", key, "--passphrase-file", tmp_path / "secret-1"
    )
    assert (lost.done.code, "passphrase" in lost.done.err) == (2, True)
    key.chmod(0o644)
    loose = make_evidence(tmp_path / "package", site.url("/"), *words)
    assert (loose.done.code, "others may read or change the key" in loose.done.err) == (2, True)
    assert len(site.asked) == asked, "before anything is asked"


def test_a_folder_that_is_not_empty_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = webkeep("evidence", "http://127.0.0.1:9/", "--into", str(tmp_path))
    assert (done.code, "not empty" in done.err) == (2, True)


def site_of_leaflets(_host: str, path: str) -> Page:
    pages = {
        "/leaflets/": START + b"<h1>Leaflets</h1><a href=one>1</a> <a href=two>2</a> <a href=/town>the town</a>",
        "/leaflets/one": START + b"<h1>Leaflet one</h1><img src=/boat.png>",
        "/leaflets/two": START + b"<h1>Leaflet two</h1>",
        "/town": START + b"<h1>Elsewhere</h1>",
    }
    if path == "/boat.png":
        return Page(PICTURE, "image/png")
    return Page(pages[path]) if path in pages else GONE


def test_a_whole_site_is_packaged_each_page_with_its_own_pictures(tmp_path: Path) -> None:
    with SmallSite(site_of_leaflets) as served:
        words = ("--scope", "prefix", "--delay", "0")
        packed = make_evidence(tmp_path / "package", served.url("/leaflets/"), *words)
    assert (packed.done.code, packed.summary["proven"]) == (0, True), packed.done.err
    assert set(packed.pages) == {"", "one", "two"}
    for last, said in (("", "Leaflets"), ("one", "Leaflet one"), ("two", "Leaflet two")):
        name = packed.pages[last]["name"]
        assert said in (packed.folder / f"{name}.txt").read_text()
        assert said in words_of(packed.folder / f"{name}.pdf")
        assert read_size((packed.folder / f"{name}-full.png").read_bytes()) == (1280, 960)
    assert f"All {packed.summary['parts']} parts of 3 pages stood on the web together" in packed.cover()
    assert "/town" not in served.paths
    assert webkeep("verify", packed.folder).code == 0


class PricesByReader(SmallSite):
    """A site with other prices for those who are logged in, and for those who come through a proxy."""

    def __init__(self) -> None:
        super().__init__(lambda _host, _path: GONE)

    def take(self, path: str, fields: dict[str, str]) -> Page:
        super().take(path, fields)
        kind = b"members" if LOGIN in fields.get("cookie", "") else b"abroad" if path.startswith("http") else b"guests"
        found = {"/": b"<h1>Welcome</h1>", "/terms": b"<h1>Terms</h1>"}.get(urlsplit(path).path)
        return Page(START + found + b"<p>Prices for %b</p>" % kind) if found else GONE


LOGIN = "session=0f9e8d7c6b5a40312213"


def test_who_is_logged_in_who_is_not_and_who_comes_by_a_proxy_are_side_by_side(tmp_path: Path) -> None:
    cookies = tmp_path / "cookies.txt"
    cookies.write_text("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\t" + LOGIN.replace("=", "\t") + "\n")
    cookies.chmod(0o600)
    with PricesByReader() as served, HttpProxy() as proxy:
        away = f"abroad anonymous proxy=http://127.0.0.1:{proxy.port}"
        words = ("--cookies", cookies, "--vantage", "stranger anonymous", "--vantage", away)
        packed = make_evidence(tmp_path / "package", served.url("/"), served.url("/terms"), *words)
    assert packed.done.code == 0, packed.done.err
    texts = {
        (each["vantage"], each["page"].rpartition("/")[2]): (packed.folder / f"{each['name']}.txt").read_text()
        for each in packed.facts["pages"]
    }
    prices = {"main": "members", "stranger": "guests", "abroad": "abroad"}
    assert {key: f"Prices for {prices[key[0]]}" in text for key, text in texts.items()} == dict.fromkeys(texts, True)
    assert set(texts) == {(place, page) for place in prices for page in ("", "terms")}
    assert any(line.startswith("GET http://127.0.0.1") for line in proxy.asked)
    differs = [each["differs"] for each in packed.facts["vantages"]]
    assert differs == ["", "nobody logged in", "nobody logged in, with another proxy"]
    rows = (packed.folder / "side-by-side.html").read_text().split('class="sides"')[1:]
    assert sorted(row.count("Welcome") + row.count("/terms,") for row in rows) == [0, 3], "each page beside itself"
    assert LOGIN.partition("=")[2] not in json.dumps(packed.connections)
    assert packed.folder.stat().st_mode & 0o077 == 0, "what a login was shown is not for everybody"
    assert webkeep("verify", packed.folder).code == 0


class PricesByName(SmallSite):
    """A site that has other prices for phones."""

    def __init__(self) -> None:
        super().__init__(lambda _host, _path: GONE)

    def take(self, path: str, fields: dict[str, str]) -> Page:
        super().take(path, fields)
        kind = b"phones" if "Pocket" in fields.get("user-agent", "") else b"desks"
        return Page(START + b"<h1>Welcome</h1><p>Prices for %b</p>" % kind) if path == "/" else GONE


def test_vantage_points_are_shown_side_by_side(tmp_path: Path) -> None:
    with PricesByName() as served:
        phone = 'phone user-agent="Pocket/1.0 (small)"'
        packed = make_evidence(tmp_path / "package", served.url("/"), "--vantage", phone)
    assert packed.done.code == 0, packed.done.err
    assert [each["name"] for each in packed.facts["vantages"]] == ["main", "phone"]
    assert [each["vantage"] for each in packed.facts["pages"]] == ["main", "phone"]
    assert "Prices for desks" in (packed.folder / "page-001.txt").read_text()
    assert "Prices for phones" in (packed.folder / "page-002.txt").read_text()
    beside = (packed.folder / "side-by-side.html").read_text()
    assert "<li>Prices for phones</li>" in beside
    assert "<li>Welcome</li>" not in beside
    assert packed.read("certificate-2.json")
    assert webkeep("verify", packed.folder).code == 0
    assert "Pocket/1.0" in packed.facts["vantages"][1]["differs"]
    assert "he page, seen from main, stood on the web, as kept here" in packed.cover()
    assert "2 vantage points: main, phone (as Pocket/1.0 (small))" in packed.cover()


@pytest.mark.parametrize(
    ("begun", "seconds", "condition", "said"),
    [
        (b"", ("8", "3"), "restless", "never came to rest"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + PICTURE, ("3", "6"), "shown", "not all is proven"),
    ],
    ids=["no answer", "an answer that goes on"],
)
def test_a_page_with_a_part_that_never_ends_is_shown_as_far_as_it_came_and_captured_once(
    begun: bytes, seconds: tuple[str, str], condition: str, said: str, tmp_path: Path
) -> None:
    page = START + b"<h1>Harbour news</h1><img src=/live.png>"
    with EndlessServer(begun, whole={"/": page}) as served:
        bounds = ("--timeout", seconds[0], "--retries", "0", "--page-seconds", seconds[1])
        packed = make_evidence(tmp_path / "package", served.url, *bounds)
    assert packed.done.code == 1, packed.done.err
    (shown,) = packed.facts["pages"]
    assert shown["condition"] == condition
    assert (packed.folder / "page-001.txt").read_text().strip() == "Harbour news"
    (vantage,) = packed.facts["vantages"]
    (once,) = vantage["rounds"]
    assert [each["url"] for each in once["lost"]] == [f"{served.url}live.png"]
    assert said in packed.cover()
    assert "could not be had" in packed.cover()
    assert webkeep("verify", packed.folder).code == 0
