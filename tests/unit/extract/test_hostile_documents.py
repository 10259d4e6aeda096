"""Documents made to hurt: each is large enough that anything worse than linear would run into the test's time limit."""

import gzip
import itertools
import zlib

import pytest

from webkeep.document import MAX_TREE_CHARS, read_tree_parts
from webkeep.extract import extract_links
from webkeep.extract.documents import MAX_UNPACKED_BYTES, gunzip
from webkeep.extract.links import Link
from webkeep.formats.binary import read_flash_strings, read_pdf_links
from webkeep.formats.binary.flash import MAX_FLASH_BYTES
from webkeep.model import Headers

MB = 1024 * 1024


def links(media_type: str, content: bytes, url: str = "https://e.example/x") -> list[Link]:
    return list(extract_links(url, Headers((("Content-Type", media_type),)), content))


def many(piece: bytes, size: int = MB // 4) -> bytes:
    return piece * (size // len(piece))


TRAPS = {
    "nested tags": ("text/html", many(b"<div>", 3 * MB)),
    "nested formatting": ("text/html", many(b"<b>")),
    "brackets": ("text/html", many(b"<", 4 * MB)),
    "attributes of one tag": ("text/html", b"<a " + many(b"x ", 12 * MB)),
    "candidates": ("text/html", b"<img srcset='" + many(b"a,") + b"'>"),
    "candidate brackets": ("text/html", b"<img srcset='a " + many(b"(") + b"'>"),
    "comments begun": ("text/html", many(b"<!--")),
    "closing brackets behind an address": ("text/html", b"<p>http://a.example/" + many(b")")),
    "css brackets": ("text/css", many(b"(")),
    "css addresses begun": ("text/css", many(b'url("')),
    "css imports begun": ("text/css", many(b"@import/*")),
    "css escapes": ("text/css", many(b"url(\\")),
    "css comments begun": ("text/css", many(b"/*")),
    "script quotes": ("text/javascript", many(b"'")),
    "script expressions begun": ("text/javascript", many(b"=/[")),
    "script templates begun": ("text/javascript", many(b"`\\")),
    "script substitutions begun": ("text/javascript", many(b"`${")),
    "json quotes": ("application/json", many(b'"\\')),
    "json depth": ("application/ld+json", many(b"[")),
    "xml tags begun": ("application/xml", many(b"<a ")),
    "xml quotes": ("application/xml", many(b"<a '\"")),
    "xml declarations begun": ("application/xml", many(b"<![ ")),
    "feed depth": ("application/rss+xml", b"<rss>" + many(b"<link>")),
    "playlist fields": ("application/vnd.apple.mpegurl", b"#EXTM3U\n" + many(b'#EXT-X:URI="')),
    "presentation repeats": ("application/dash+xml", b"<MPD>" + many(b'<Representation><S d="1" r="99999"/>')),
    "pdf strings begun": ("application/pdf", b"%PDF-1.4" + many(b"/URI(")),
    "pdf streams begun": ("application/pdf", b"%PDF-1.4" + many(b"obj/ObjStm/FlateDecode stream\n")),
    "film tags": ("", b"FWS\x0a" + bytes(9) + many(b"\x40\x00")),
    "addresses begun": ("text/plain", many(b"www.")),
}


@pytest.mark.parametrize(("media_type", "content"), TRAPS.values(), ids=TRAPS.keys())
def test_traps_are_read_to_their_end(media_type: str, content: bytes) -> None:
    assert len(links(media_type, content)) < 100


def test_a_million_links_come_one_by_one() -> None:
    page = b"".join(b'<a href="/%d">x</a>' % number for number in range(1_000_000))
    found = extract_links("https://e.example/", Headers((("Content-Type", "text/html"),)), page)
    assert next(found).url == "https://e.example/0"
    assert sum(1 for _ in itertools.islice(found, 60_000)) == 60_000


def test_links_behind_the_largest_tree_are_found() -> None:
    page = b"<a href=first><p>" + b"x" * MAX_TREE_CHARS + b"<a href=last>"
    assert [link.url for link in links("text/html", page)] == ["https://e.example/first", "https://e.example/last"]


def test_a_tag_longer_than_any_is_passed_over_and_the_rest_is_read() -> None:
    page = b"<p " + b"x" * (9 * MB) + b"><a href=found>"
    assert [link.url for link in links("text/html", page)] == ["https://e.example/found"]


def test_a_script_as_large_as_a_book_in_a_streamed_page_is_cut() -> None:
    page = b"<script>" + many(b'a="/x/y.html";', 3 * MB) + b"</script><a href=found>"
    assert [link.url for link in links("text/html", page)] == ["https://e.example/x/y.html", "https://e.example/found"]


def test_bombs_go_off_within_bounds() -> None:
    zeros = bytes(80 * MB)
    assert len(gunzip(gzip.compress(zeros, 1))) == MAX_UNPACKED_BYTES
    film = b"CWS\x0a" + bytes(4) + zlib.compress(zeros, 1)
    assert sum(map(len, read_flash_strings(film))) <= MAX_FLASH_BYTES
    objects = b"%%PDF-1.5 obj/ObjStm/FlateDecode stream\n%s endstream"
    link = objects % zlib.compress(b"/URI(http://a.example/)")
    assert len(list(read_pdf_links(link))) == 1
    assert list(read_pdf_links(objects % zlib.compress(zeros, 1) + link)) == []


def test_a_packed_file_within_a_packed_file_is_left_alone() -> None:
    inner = gzip.compress(b"<urlset><url><loc>https://e.example/a</loc></url></urlset>")
    assert links("application/gzip", gzip.compress(inner), "https://e.example/s.xml.gz") == []


def test_markup_within_markup_has_an_end() -> None:
    page = "<img src=deep.png>"
    for _ in range(12):
        escaped = page.replace("&", "&amp;").replace('"', "&quot;")
        page = f'<iframe srcdoc="{escaped}"></iframe>'
    assert links("text/html", page.encode()) == []


def test_addresses_within_addresses_have_an_end() -> None:
    from urllib.parse import quote

    page = "<a href='https://deep.example/'>"
    for _ in range(8):
        page = f'<a href="data:text/html,{quote(page)}">'
    assert links("text/html", page.encode()) == []


def test_binary_sent_as_html_is_no_page() -> None:
    assert links("text/html", b"\xff\xd8\xff\xe0\0\x10JFIF<a href=no>") == []
    assert links("text/html", bytes(range(256)) * 20) == []
    assert links("text/html", b"MZ\x90\0\3\0\0\0<script src=no>") == []


def test_a_tree_is_walked_without_its_shadow_roots_taken_out() -> None:
    parts = list(read_tree_parts("<div><template shadowrootmode=closed><img src=a></template></div>"))
    assert [name for name, *_ in parts] == ["template", "img"]
