"""A site archived where it runs: its application in place of the network, its files, and its data beside the pages."""

import gzip
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from capture_calls import agree, ask_to_stop, capture, ended, events, fates, is_sound, kept, running
from serve_calls import served
from warc_material import webkeep
from warcio.archiveiterator import ArchiveIterator

from webkeep.crawl import capture as run_capture
from webkeep.crawl.application import host_application
from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run import NullCaptureObserver
from webkeep.errors import UsageError
from webkeep.formats import DUMP_PREFIX
from webkeep.store.archive import Archive, WritableArchive

SHOP = Path(__file__).parents[1] / "sites" / "shop"
SITE = "https://shop.example.org/"
PAGES = {SITE, *(f"{SITE}item?id={number}" for number in (1, 2, 3)), f"{SITE}list.txt"}
FILES = {f"{SITE}static/{name}" for name in ("paper.svg", "shop.css", "shop.js", "unlinked.txt")}
LINKED_FILES = {f"{SITE}static/shop.css", f"{SITE}static/shop.js"}


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "shop.db"
    monkeypatch.setenv("SHOP_DATABASE", str(path))
    monkeypatch.syspath_prepend(str(SHOP))
    from shop import make_database

    make_database(str(path))
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def sell_a_kettle(database: Path) -> None:
    with closing(sqlite3.connect(database)) as shop, shop:
        shop.execute("UPDATE item SET stock = stock - 1 WHERE name = 'kettle'")


def headers(archive: Path, kind: str) -> dict[str, dict[str, str]]:
    """The named fields of all records of a type by URL, as warcio reads them."""
    found = {}
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == kind:
                    fields = dict(record.rec_headers.headers)
                    found[fields.get("WARC-Target-URI", "")] = fields
    return found


@contextmanager
def shop_server() -> Iterator[int]:
    """The shop on a real server on loopback; gives its port."""
    from shop import application

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with make_server("127.0.0.1", 0, application, handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("name", ["application", "create_application()", "asgi_application"])
def test_an_application_is_archived_under_its_public_name(name: str, database: Path, archive: Path) -> None:
    done = capture(archive, SITE, "--app", f"shop:{name}", "--app-dir", SHOP)
    assert done.code == 0, done.err
    assert kept(archive) - {f"{SITE}robots.txt", f"{SITE}sitemap.xml"} == PAGES | LINKED_FILES
    agree(archive, done.summary)
    for url, fields in headers(archive, "response").items():
        assert "WARC-IP-Address" not in fields, f"{url} was had of no address"
        assert fields["WARC-Protocol"] == "http/1.1", "no TLS was spoken"
    with Archive(archive) as held:
        stored = held.read(held.lookup(f"{SITE}item?id=3"))  # type: ignore[arg-type]
        assert "chair — oak" in stored.text()
        assert stored.head is not None
        assert stored.head.headers.get("x-shop") == ("asgi" if "asgi" in name else "wsgi")


def test_a_server_on_loopback_answers_for_a_public_name(database: Path, archive: Path) -> None:
    with shop_server() as port:
        done = capture(archive, SITE, "--app", f"http://127.0.0.1:{port}")
    assert done.code == 0, done.err
    assert kept(archive) >= PAGES - {SITE}
    fields = headers(archive, "response")[SITE]
    assert fields["WARC-IP-Address"] == "127.0.0.1"
    assert "tls" not in fields["WARC-Protocol"]
    sent = next(iter(headers(archive, "request").values()))
    assert sent["WARC-Target-URI"].startswith(SITE)


def test_no_delay_is_kept_toward_ones_own_application(database: Path, archive: Path) -> None:
    done = capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP)
    delays = [(seconds, why) for ledger in done.summary["hosts"].values() for _, seconds, why in ledger["delays"]]
    assert delays == [(0.0, "loopback")]


def test_an_application_that_a_program_holds(database: Path, archive: Path) -> None:
    from shop import asgi_application

    with host_application(asgi_application) as where, WritableArchive.create(archive) as held:
        plan = parse_plan({"seeds": [SITE], "app": where, "browser": "off", "dump": f"sqlite:{database}"})
        result = run_capture(plan, held, NullCaptureObserver())
        assert result.finished
        assert [each.is_unchanged for each in result.data] == [True]
    assert kept(archive) >= PAGES
    with closing(sqlite3.connect(database)) as shop:
        assert shop.execute("SELECT step FROM life").fetchall() == [("startup",), ("shutdown",)]


@pytest.mark.usefixtures("database")
def test_a_server_that_is_not_there_is_told_before_anything_is_asked(archive: Path) -> None:
    """As in an update of a capture whose application was held by a program that has ended."""
    from shop import asgi_application

    with host_application(asgi_application) as where:
        assert capture(archive, SITE, "--app", where, "--browser", "off").code == 0
    done = webkeep("update", archive, as_json=False)
    assert done.code == 2
    assert f"nothing listens at {where} (No such file or directory); start the application" in done.err
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        server = f"http://127.0.0.1:{closed.getsockname()[1]}"
        done = webkeep("update", archive, "--app", server, as_json=False)
    assert done.code == 2
    assert f"nothing listens at {server} (Connection refused)" in done.err


def test_what_is_no_application_is_not_hosted() -> None:
    with pytest.raises(UsageError, match="'shop:application' is no application"), host_application("shop:application"):
        pass


def test_files_are_read_from_the_disk_whether_or_not_anything_leads_to_them(database: Path, archive: Path) -> None:
    words = ("--app", "shop:application", "--app-dir", SHOP, "--files", f"{SHOP}/static={SITE}static/")
    done = capture(archive, SITE, *words)
    assert done.code == 0, done.err
    resources = headers(archive, "resource")
    assert set(resources) == FILES
    assert resources[f"{SITE}static/shop.css"]["Content-Type"] == "text/css"
    assert fates(archive)[f"{SITE}static/unlinked.txt"][0] == "stored"
    assert kept(archive) - {f"{SITE}robots.txt", f"{SITE}sitemap.xml"} == PAGES | FILES
    agree(archive, done.summary)


def test_what_is_hidden_or_leads_out_of_a_folder_is_no_file_of_the_site(
    database: Path, archive: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "page.txt").write_text("public")
    (folder / ".secret").write_text("hidden")
    (folder / "out.txt").symlink_to(database)
    words = ("--app", "shop:application", "--app-dir", SHOP, "--files", f"{folder}={SITE}")
    done = capture(archive, SITE, f"{SITE}.secret", f"{SITE}out.txt", *words)
    assert set(headers(archive, "resource")) == {f"{SITE}page.txt"}
    assert "leads out of the directory" in done.err


def test_data_that_stood_still_is_said_to_have(database: Path, archive: Path) -> None:
    done = capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, "--dump", f"sqlite:{database}")
    assert done.code == 0, done.err
    (told,) = done.summary["data"]
    assert (told["name"], told["unchanged"]) == ("shop", True)
    assert told["before"]["digest"] == told["after"]["digest"]
    assert "no change is seen between" in done.err
    dumps = headers(archive, "resource") | headers(archive, "revisit")
    names = [url for url in dumps if url.startswith(DUMP_PREFIX)]
    assert [name.rpartition(":")[2] for name in names] == ["before", "after"]
    assert dumps[names[0]]["Content-Type"] == "application/vnd.sqlite3"
    assert dumps[names[0]]["WARC-Date"] < dumps[names[1]]["WARC-Date"]
    assert is_sound(archive)
    (listed,) = events(webkeep("list", archive), "capture")
    assert listed["facts"]["data"] == done.summary["data"]
    restored = archive.parent / "restored.db"
    assert webkeep("show", archive, names[0], "--output", restored).code == 0
    with closing(sqlite3.connect(restored)) as shop:
        assert shop.execute("SELECT count(*) FROM item").fetchone() == (3,)


def test_data_that_changed_meanwhile_is_said_to_have(database: Path, archive: Path) -> None:
    # A dump of the shop that sells a kettle each time it is made.
    change = f'{sys.executable} -c \'import sqlite3; d = sqlite3.connect("{database}"); '
    change += 'd.execute("UPDATE item SET stock = stock - 1"); d.commit(); print("\\n".join(d.iterdump()))\''
    done = capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, "--dump", f"stock={change}")
    assert done.code == 0, done.err
    (told,) = done.summary["data"]
    assert (told["name"], told["unchanged"]) == ("stock", False)
    assert "changed while pages were captured" in done.err


def test_a_dump_that_fails_is_told_before_anything_is_asked(database: Path, archive: Path) -> None:
    with shop_server() as port:
        done = capture(archive, SITE, "--app", f"http://127.0.0.1:{port}", "--dump", "echo no such table >&2; exit 3")
    assert done.code == 2
    assert "the dump data failed with status 3 (no such table)" in done.err
    assert kept(archive) == set()


def test_a_second_dump_that_fails_is_a_finding(database: Path, archive: Path, tmp_path: Path) -> None:
    once = f"mkdir {tmp_path}/once && echo data"
    done = capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, "--dump", once)
    assert done.code == 1
    (told,) = done.summary["data"]
    assert told["unchanged"] is None
    assert "nobody can tell whether it changed" in done.err


def test_a_database_is_shown_to_no_visitor_and_leaves_with_no_export(
    database: Path, archive: Path, tmp_path: Path
) -> None:
    files = ("--files", f"{SHOP}/static={SITE}static/")
    capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, *files, "--dump", f"sqlite:{database}")
    assert archive.stat().st_mode & 0o077 == 0, "nobody else can read it"
    with Archive(archive) as held:
        (name, *_) = [seen.url for seen in held.observations() if seen.url.startswith(DUMP_PREFIX)]
    with served(archive) as client:
        for path in (f"/web/2030/{name}", f"/web/2030id_/{name}", f"/timemap/link/{name}", f"/cdx?url={name}"):
            assert b"SQLite format" not in client.ask(path).body
        assert b"list.txt" in client.ask("/cdx?url=shop.example.org/*").body
        assert DUMP_PREFIX.encode() not in client.ask(f"/cdx?url={DUMP_PREFIX}*").body
        assert DUMP_PREFIX.encode() not in client.ask("/search?q=shop").body
        assert DUMP_PREFIX.encode() not in client.ask("/").body
    wacz, warc, cdxj = (tmp_path / name for name in ("a.wacz", "a.warc.gz", "a.cdxj"))
    for option, file in (("--wacz", wacz), ("--warc", warc), ("--cdxj", cdxj)):
        done = webkeep("export", archive, option, file)
        assert done.code == 0, done.err
        assert "2 dumps of databases left out" in done.err
    assert b"SQLite format" not in gzip.decompress(warc.read_bytes())
    assert DUMP_PREFIX not in cdxj.read_text()
    with zipfile.ZipFile(wacz) as package:
        for each in package.namelist():
            data = package.read(each)
            data = gzip.decompress(data) if each.endswith(".gz") else data
            assert b"SQLite format" not in data
            assert f"WARC-Target-URI: {DUMP_PREFIX}".encode() not in data
            assert each.startswith("archive/") or DUMP_PREFIX.encode() not in data
    copy = tmp_path / "copy"
    assert webkeep("mirror", archive, copy).code == 0
    assert not any(b"SQLite format" in each.read_bytes() for each in copy.rglob("*") if each.is_file())
    webkeep("export", archive, "--warc", warc, "--replace", "--dumps")
    assert b"SQLite format" in gzip.decompress(warc.read_bytes())


def test_what_is_captured_is_shown_again(database: Path, archive: Path) -> None:
    words = ("--app", "shop:application", "--app-dir", SHOP, "--files", f"{SHOP}/static={SITE}static/")
    capture(archive, SITE, *words)
    with Archive(archive) as held:
        moments = {seen.url: seen.moment.digits() for seen in held.observations()}
    with served(archive) as client:
        for url, text in ((SITE, b"kettle"), (f"{SITE}static/shop.css", b"paper.svg")):
            assert text in client.ask(f"/web/{moments[url]}id_/{url}").body


def test_a_stopped_capture_goes_on_and_keeps_its_first_dump(database: Path, archive: Path) -> None:
    words = (SITE, "--app", "shop:application", "--app-dir", SHOP, "--dump", f"sqlite:{database}", "--delay", "1")
    with running(archive, *words) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if '"progress"' in line)
        ask_to_stop(process)
        assert ended(process)["code"] == 3
    sell_a_kettle(database)
    done = capture(archive, *words[:-1], "0")
    assert done.summary["resumed"]
    (told,) = done.summary["data"]
    assert told["unchanged"] is False, "the dump before is that of the first run"
    assert kept(archive) >= PAGES
    agree(archive, done.summary)


def test_an_update_asks_the_application_again(database: Path, archive: Path) -> None:
    capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, "--dump", f"sqlite:{database}")
    sell_a_kettle(database)
    done = webkeep("update", archive)
    assert done.code == 0, done.err
    assert done.summary["changes"]["changed"] == 1
    assert "data" not in done.summary, "what a dump needs may be secret, and is given anew"


def test_nothing_that_a_dump_needs_is_written_down(database: Path, archive: Path) -> None:
    secret = "echo 5ecret-passw0rd >/dev/null; echo data"
    capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, "--dump", secret)
    written = b"".join(gzip.decompress(file.read_bytes()) for file in (archive / "warcs").glob("*.warc.gz"))
    assert b"data" in written
    assert b"5ecret" not in written
    assert b"5ecret" not in (archive / "catalog.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--app", "shop"), "is no application"),
        (("--app", "http://example.org:80"), "is no application"),
        (("--app", "nothing_there:app"), "No module named 'nothing_there'"),
        (("--app", "shop:nothing", "--app-dir", str(SHOP)), "has no attribute 'nothing'"),
        (("--app-dir", "/"), "is for an application that is started"),
        (("--files", "/nowhere=https://shop.example.org/"), "there is no folder /nowhere"),
        (("--dump", "sqlite:/nowhere.db"), "there is no database /nowhere.db"),
        (("--dump", "echo a", "--dump", "echo b"), "two dumps are called data"),
    ],
)
def test_what_cannot_be_meant_is_said_in_a_line(
    words: tuple[str, ...], said: str, database: Path, archive: Path
) -> None:
    done = capture(archive, SITE, *words)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") <= 2
    assert not archive.exists() or not list(WritableArchive(archive).captures())


def test_a_broken_page_is_the_page_that_visitors_get(database: Path, archive: Path) -> None:
    done = capture(archive, f"{SITE}broken", "--retries", "0", "--app", "shop:application", "--app-dir", SHOP)
    assert done.code == 1
    assert fates(archive)[f"{SITE}broken"] == ("stored", "status 500")


def test_an_application_of_another_python_needs_no_webkeep_there(database: Path, archive: Path) -> None:
    python = shutil.which("python3", path="/usr/bin")
    assert python is not None
    assert subprocess.run([python, "-c", "import webkeep"], capture_output=True, check=False).returncode
    done = capture(archive, SITE, "--app", "shop:application", "--app-dir", SHOP, "--app-python", python)
    assert done.code == 0, done.err
    assert kept(archive) >= PAGES


def test_an_application_that_uses_webkeep_itself_finds_all_of_it(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "recorded.py").write_text(
        "import webkeep, webkeep.recorder\n"
        "def application(environ, start):\n"
        "    start('200 OK', [('Content-Type', 'text/plain')])\n"
        "    return [f'{webkeep.UsageError.__name__} {webkeep.recorder.__name__}'.encode()]\n"
    )
    done = capture(archive, SITE, "--app", "recorded:application", "--app-dir", tmp_path)
    assert done.code == 0, done.err
    with Archive(archive) as held:
        assert held.read(held.lookup(SITE)).text() == "UsageError webkeep.recorder"  # type: ignore[arg-type]
