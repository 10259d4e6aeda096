"""Blocks found wherever pages are: in archives that are asked, in pages made for robots, in raw files, and in pages to
which much was done on their way.
"""

import gzip
import html
import json
import quopri
import re
import shutil
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from serve_calls import served
from vault_site import describe_tree, write_application, write_site
from warc_material import Done, webkeep

from webkeep.cli.vault.repository_pages import page_url, path_of
from webkeep.vault.blocks import strip_blocks

SITE = "http://lost.example/"
SITEMAP = (
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    f"<url><loc>{SITE}</loc><lastmod>2001-01-01</lastmod></url><url><loc>{SITE}papers/1/1.html</loc></url>"
    f"<url><loc>{SITE}papers/2/2.html</loc><lastmod>2999-01-01</lastmod></url><url><loc>{SITE}gone.html</loc></url>"
    "</urlset>"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that is protected in every way, and what is needed to open it."""
    folder = tmp_path_factory.mktemp("protected")
    write_site(folder / "site")
    (folder / "site/sitemap.xml").write_text(SITEMAP)
    write_application(folder / "app", 4000)
    done = webkeep("vault", "protect", folder / "vault", "--component", folder / "app", "--tree", folder / "site",
                   "--into", folder / "public", "--vault-pages", "vault", "--raw-files", "raw",
                   "--new-identity", folder / "identity", "--site", SITE)  # fmt: skip
    assert done.code == 0
    return folder


def recover(place: Path, into: Path, *words: object) -> Done:
    return webkeep("vault", "recover", *words, "--into", into, "--identity", place / "identity")


def is_whole(place: Path, done: Done, into: Path) -> bool:
    return done.code == 0 and describe_tree(into / "app") == describe_tree(place / "app")


@pytest.fixture(scope="module")
def archive(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of half of the pages."""
    held = tmp_path_factory.mktemp("half") / "tree"
    shutil.copytree(place / "public", held, ignore=shutil.ignore_patterns("vault", "raw"))
    for page in sorted(held.rglob("*.html"))[::2]:
        page.unlink()
    into = held.parent / "archive"
    assert webkeep("import", held, "--base-url", SITE, "--into", into).code == 0
    return into


def test_archives_that_are_asked_bring_everything_back(place: Path, archive: Path, tmp_path: Path) -> None:
    with served(archive) as client:
        ledger = ("--ledger", tmp_path / "ledger")
        done = recover(place, tmp_path / "back", "--from", f"cdx={client.root}/cdx", "--site", SITE, *ledger)
    assert is_whole(place, done, tmp_path / "back")
    done = recover(place, tmp_path / "again", "--from", f"archive={archive}", "--site", SITE)
    assert is_whole(place, done, tmp_path / "again")


def test_a_recovery_says_that_there_is_a_vault(place: Path, archive: Path, tmp_path: Path) -> None:
    words = ("recover", SITE, "--from", f"archive={archive}")
    done = webkeep(*words, "--into", tmp_path / "recovered")
    vault = json.loads((place / "vault/vault.json").read_text())["manifest"]["identity"]["vault"]
    assert done.summary["vaults"] == [vault]
    assert "webkeep vault recover" in webkeep(*words, "--into", tmp_path / "told", as_json=False).err
    assert is_whole(place, recover(place, tmp_path / "back", tmp_path / "recovered"), tmp_path / "back")


@pytest.mark.parametrize("part", ["vault", "raw"])
def test_what_is_made_only_for_it_holds_everything(place: Path, tmp_path: Path, part: str) -> None:
    assert is_whole(place, recover(place, tmp_path / "back", place / "public" / part), tmp_path / "back")


@pytest.mark.parametrize("ending", ["zip", "tar.gz", "tar"])
def test_a_copy_in_one_file_brings_everything_back(place: Path, tmp_path: Path, ending: str) -> None:
    kinds = {"zip": "zip", "tar.gz": "gztar", "tar": "tar"}
    packed = Path(shutil.make_archive(str(tmp_path / "copy"), kinds[ending], place / "public"))
    assert packed.name == f"copy.{ending}"
    assert is_whole(place, recover(place, tmp_path / "back", packed), tmp_path / "back")
    (tmp_path / "folder").mkdir()
    packed.rename(tmp_path / "folder" / packed.name)
    assert is_whole(place, recover(place, tmp_path / "again", tmp_path / "folder"), tmp_path / "again")


def test_pages_that_are_compressed_bring_everything_back(place: Path, tmp_path: Path) -> None:
    for page in (place / "public").rglob("*.html"):
        (tmp_path / "pages").mkdir(exist_ok=True)
        (tmp_path / "pages" / f"{page.name}.gz").write_bytes(gzip.compress(page.read_bytes()))
    assert is_whole(place, recover(place, tmp_path / "back", tmp_path / "pages"), tmp_path / "back")


@pytest.mark.parametrize("ending", ["zip", "tar.gz", "tar"])
def test_a_copy_that_is_damaged_is_read_as_far_as_it_goes(place: Path, tmp_path: Path, ending: str) -> None:
    kinds = {"zip": "zip", "tar.gz": "gztar", "tar": "tar"}
    packed = Path(shutil.make_archive(str(tmp_path / "copy"), kinds[ending], place / "public"))
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) * 9 // 10] + (whole[-20_000:] if ending == "zip" else b""))
    shutil.copytree(place / "public/vault", tmp_path / "folder")
    packed.rename(tmp_path / "folder" / packed.name)
    assert is_whole(place, recover(place, tmp_path / "back", tmp_path / "folder"), tmp_path / "back")


def test_pages_made_for_it_are_no_pages_of_the_site(place: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(place / "public", tree)
    done = webkeep("vault", "protect", tmp_path / "vault", "--component", place / "app", "--tree", tree,
                   "--unencrypted", "--vault-pages", "vault", "--only-there")  # fmt: skip
    assert done.code == 0
    assert (tree / "index.html").read_bytes() == strip_blocks((place / "public/index.html").read_bytes())
    assert is_whole(place, recover(place, tmp_path / "back", tree / "vault"), tmp_path / "back")


def test_sitemaps_say_when_blocks_moved(place: Path) -> None:
    text = (place / "public/sitemap.xml").read_text()
    entries = dict(re.findall(r"<loc>(.*?)</loc>(.*?)</url>", text))
    version = json.loads((place / "vault/vault.json").read_text())["version"]
    moved = f"{version[:4]}-{version[4:6]}-{version[6:8]}T{version[9:11]}:{version[11:13]}:{version[13:15]}Z"
    assert entries[SITE] == entries[f"{SITE}papers/1/1.html"] == f"<lastmod>{moved}</lastmod>"
    assert entries[f"{SITE}papers/2/2.html"] == "<lastmod>2999-01-01</lastmod>"
    assert entries[f"{SITE}gone.html"] == ""


def test_sitemaps_name_pages_as_addresses_do(tmp_path: Path) -> None:
    tree = write_site(tmp_path / "tree", 3)
    (tree / "caf\N{LATIN SMALL LETTER E WITH ACUTE} & bar.html").write_bytes((tree / "index.html").read_bytes())
    entries = ("http://[no/", f"{SITE.upper()}caf%C3%A9%20&amp;%20bar.html", "about.html")
    sitemap = "".join(f"<url><loc>{each}</loc></url>" for each in entries)
    (tree / "sitemap.xml").write_text(f"<urlset>{sitemap}</urlset>")
    words = ("--component", write_application(tmp_path / "app"), "--tree", tree, "--unencrypted")
    assert webkeep("vault", "protect", tmp_path / "vault", *words).code == 0
    assert f"{entries[1]}</loc><lastmod>" in (tree / "sitemap.xml").read_text()
    assert webkeep("import", tree, "--base-url", SITE, "--into", tmp_path / "archive").code == 0
    health = webkeep("vault", "health", tmp_path / "vault", "--site", SITE, "--from", tmp_path / "archive")
    assert (health.code, health.summary["pages"]["current"]) == (0, 4)


def collapse(page: bytes) -> bytes:
    return re.sub(rb"\s+", b" ", page).replace(b"<!--! ", b"<!--")


def escape(page: bytes) -> bytes:
    return html.escape(page.decode()).replace("+", "&#43;").replace("=", "&#x3D;").encode()


def quote(page: bytes) -> bytes:
    return json.dumps({"html": page.decode()}).replace("/", "\\/").encode()


def rewrite_links(page: bytes) -> bytes:
    banner = b'<!-- BEGIN WAYBACK TOOLBAR --><div id="wm">archived</div><!-- END WAYBACK TOOLBAR -->'
    page = page.replace(b"<body>", b"<body>" + banner).replace(b'href="/', b'href="/web/2026/http://lost.example/')
    return page + b"\n<!--\n     FILE ARCHIVED ON 2026 AND RETRIEVED\n-->"


CHANGES: list[Callable[[bytes], bytes]] = [
    collapse,
    escape,
    quote,
    rewrite_links,
    lambda page: page.replace(b"\n", b"\r\n"),
    lambda page: page.replace(b"\n", b"\n\t\t"),
    lambda page: page.decode().encode("utf-16"),
    lambda page: page.decode().encode("utf-16-be"),
    lambda page: page.replace(b"\n", b"\xc2\xa0\n"),
    lambda page: b"MIME-Version: 1.0\n\n" + quopri.encodestring(page.replace(b"<!--!", b"\n<!--!")),
    lambda page: page + page,
]


@pytest.mark.parametrize("change", CHANGES)
def test_blocks_survive_what_is_done_to_pages(place: Path, tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, page in enumerate(sorted((place / "public/papers").rglob("*.html"))[::2]):
        (pages / f"{number}.html").write_bytes(change(page.read_bytes()))
    assert is_whole(place, recover(place, tmp_path / "back", pages), tmp_path / "back")


def test_stripped_altered_and_cut_pages_are_counted_and_others_used(place: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(place / "public/papers", pages)
    stripped, altered, cut, *_ = found = sorted(pages.rglob("*.html"))
    stripped.write_bytes(re.sub(rb"<!--.*?-->", b"", found[0].read_bytes(), flags=re.DOTALL))
    whole = altered.read_bytes()
    start = whole.index(b"data:\n") + 10
    altered.write_bytes(whole[:start] + (b"A" if whole[start : start + 1] != b"A" else b"B") + whole[start + 1 :])
    cut.write_bytes(cut.read_bytes()[:-200])
    done = recover(place, tmp_path / "back", pages)
    assert is_whole(place, done, tmp_path / "back")
    assert done.summary["unusable"] == {"altered": 1, "cut off": 1}


def test_forged_blocks_are_found_out(place: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(place / "public/papers", pages)
    write_application(tmp_path / "other", 50)
    webkeep("vault", "protect", tmp_path / "forger", "--component", f"app={tmp_path / 'other'}", "--tree",
            place / "site", "--into", tmp_path / "forged", "--unencrypted")  # fmt: skip
    victim = json.loads((place / "vault/vault.json").read_text())["manifest"]["identity"]["vault"]
    forger = json.loads((tmp_path / "forger/vault.json").read_text())["manifest"]["identity"]["vault"]
    for number, page in enumerate(sorted((tmp_path / "forged/papers").rglob("*.html"))):
        (pages / f"forged-{number}.html").write_bytes(page.read_bytes().replace(forger.encode(), victim.encode()))
    done = recover(place, tmp_path / "back", pages)
    assert is_whole(place, done, tmp_path / "back")
    assert done.summary["unusable"]["forged"] >= number
    # With a key of its own it is another vault, and a person says which is meant.
    asked = recover(place, tmp_path / "asked", pages, tmp_path / "forged")
    assert asked.code == 2
    assert victim in asked.err
    assert forger in asked.err
    chosen = recover(place, tmp_path / "chosen", pages, tmp_path / "forged", "--vault", victim)
    assert is_whole(place, chosen, tmp_path / "chosen")


def test_without_the_manifest_nothing_but_names_is_lost(place: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(place / "public/papers", pages)
    block = re.compile(rb"<!--! BEGIN_FILE_RECOVERY v2\nby: webkeep\nvault: \S+\nfile: manifest\n.*?-->", re.DOTALL)
    for page in pages.rglob("*.html"):
        page.write_bytes(block.sub(b"", page.read_bytes()))
    done = recover(place, tmp_path / "back", pages)
    assert is_whole(place, done, tmp_path / "back")
    assert done.summary["manifest"] is False


def test_where_there_are_no_blocks_that_is_said(place: Path, tmp_path: Path) -> None:
    done = recover(place, tmp_path / "back", place / "site")
    assert done.code == 2
    assert "no blocks" in done.err
    assert recover(place, tmp_path / "back").code == 2
    assert recover(place, tmp_path / "back", tmp_path / "nowhere").code == 2


class SaveHandler(BaseHTTPRequestHandler):
    """An archive that takes wishes, and says no to one of them."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(404 if "papers/1/1.html" in self.path else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_archives_are_asked_for_captures_within_their_limits(place: Path, tmp_path: Path) -> None:
    SaveHandler.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), SaveHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    (tmp_path / "archives.toml").write_text(
        f'[asked]\nindex = "{address}/cdx"\nsave = "{address}/save/{{url}}"\nlimits.save = {{ requests = "10/hour" }}\n'
    )
    words = ("vault", "protect", tmp_path / "vault", "--component", place / "app", "--tree", place / "site", "--into",
             tmp_path / "public", "--unencrypted", "--site", SITE, "--ask-captures", "asked", "--repositories",
             tmp_path / "archives.toml", "--ledger")  # fmt: skip
    try:
        first = webkeep(*words, tmp_path / "ledger").summary["captures_asked"]["asked"]
        again = webkeep(*words, tmp_path / "ledger").summary["captures_asked"]["asked"]
        later = webkeep(*words, tmp_path / "another-ledger").summary["captures_asked"]["asked"]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert SaveHandler.asked[0] == f"/save/{SITE}"
    assert first["accepted"] + again["accepted"] + later["accepted"] <= len(set(SaveHandler.asked))
    assert len(SaveHandler.asked) <= 20
    assert again["accepted"] == 0
    assert again["left"] == first["left"] + first["refused"]
    assert first["accepted"] > 0
    assert later["accepted"] > 0


def test_an_archive_that_takes_no_wishes_is_refused(place: Path, tmp_path: Path) -> None:
    done = webkeep("vault", "protect", tmp_path / "vault", "--component", place / "app", "--tree", place / "site",
                   "--into", tmp_path / "public", "--unencrypted", "--site", SITE, "--ask-captures",
                   "common-crawl")  # fmt: skip
    assert done.code == 2
    assert "internet-archive" in done.err


def test_a_site_that_is_a_part_of_its_host_is_known_there(place: Path, tmp_path: Path) -> None:
    site = "http://lost.example/~library/"
    assert webkeep("import", place / "public", "--base-url", site, "--into", tmp_path / "archive").code == 0
    asked = ("--site", site, "--from", tmp_path / "archive")
    health = webkeep("vault", "health", place / "vault", *asked)
    assert (health.code, health.summary["pages"]["current"]) == (0, 30)
    planned = webkeep("vault", "plan", "--component", place / "app", "--tree", place / "site", *asked)
    assert planned.summary["pages_held"] == 30
    assert is_whole(place, recover(place, tmp_path / "back", *asked), tmp_path / "back")


@pytest.mark.parametrize(
    ("site", "path", "url"),
    [
        ("http://a.example", "/b.html", "http://a.example/b.html"),
        ("http://a.example:81/", "/b?c=d", "http://a.example:81/b?c=d"),
        ("https://a.example/~x/", "/b.html", "https://a.example/~x/b.html"),
        ("https://a.example/~x", "/~x/b.html", "https://a.example/~x/b.html"),
        ("https://a.example/", "/caf\xe9 & %/b.html?c=%20", "https://a.example/caf%C3%A9%20&%20%25/b.html?c=%20"),
        ("https://a.example/", "/what%3F/b.html?c", "https://a.example/what%3F/b.html?c"),
    ],
)
def test_pages_have_their_addresses(site: str, path: str, url: str) -> None:
    assert page_url(site, path) == url
    assert path_of(url).endswith(path)
