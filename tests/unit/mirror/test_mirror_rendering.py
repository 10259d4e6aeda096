"""What the files of a copy look like: links, gaps, and what browsers refuse to pages on a disk."""

import json
import re
from pathlib import Path

from mirror_material import SITE, archived, copied, seen, texts

from webkeep.mirror import CopyOptions, mirror
from webkeep.mirror.selection import CopySelection
from webkeep.mirror.selection.copy_contents import CopyItem
from webkeep.model import Exchange
from webkeep.store.archive import Archive


def files(folder: Path, *exchanges: Exchange) -> dict[str, str]:
    copied(archived(folder / "archive", *exchanges), folder / "out")
    return {
        name.removeprefix("example.org/"): text.decode("utf-8", "replace")
        for name, text in texts(folder / "out").items()
    }


def own(folder: Path, name: str) -> str:
    return (folder / "out/_webkeep" / name).read_text()


def test_links_within_are_relative_and_links_outside_absolute(tmp_path: Path) -> None:
    page = '<a href="/b/?x=1#there">b</a><a href="//other.example/">o</a><a href="gone.html">g</a><a href="#top">t</a>'
    made = files(tmp_path, seen("/a/x.html", page), seen("/b/?x=1", "b"))
    name = next(name for name in made if name.startswith("b/"))
    assert f'<a href="../{name}#there">' in made["a/x.html"]
    assert '<a href="https://other.example/">' in made["a/x.html"]
    assert f'<a href="{SITE}/a/gone.html">' in made["a/x.html"]
    assert '<a href="#top">' in made["a/x.html"]


def test_links_with_secrets_lead_to_what_is_held_without_them(tmp_path: Path) -> None:
    """Redaction changes URLs in the archive, and not in the text of pages."""
    page = '<a href="/file?token=abcdefghij123&amp;v=2">f</a><img src="/p.png?api_key=klmnopqrst456">'
    held = (seen("/file?token=redacted&v=2", "f"), seen("/p.png?api_key=redacted", b"\x89PNG", "image/png"))
    built = copied(archived(tmp_path / "archive", seen("/", page), *held), tmp_path / "out").built
    made = texts(tmp_path / "out")["example.org/index.html"]
    assert built.links.missing == {}
    assert b"abcdefghij123" not in made
    assert b"klmnopqrst456" not in made


def test_little_that_scripts_seldom_ask_for_has_an_answer_all_the_same(tmp_path: Path) -> None:
    """A worker may ask for it long after the page came to rest."""
    script = "<script>fetch(['/paper', 'pdf'].join('.'))</script>"
    files(tmp_path, seen("/", script), seen("/paper.pdf", b"%PDF-1.7", "application/pdf"))
    assert '["paper.pdf", 0, ' in own(tmp_path, "table.js")


def test_links_outside_are_marked_if_that_is_wanted(tmp_path: Path) -> None:
    archived(
        tmp_path / "archive", seen("/", '<a href="/b">in</a> <a href="https://other.example/">out</a>'), seen("/b")
    )
    plain, marked = (copied(tmp_path / "archive", tmp_path / name, form=form) for name, form in
                     (("plain", None), ("marked", CopyOptions(marks_external=True))))  # fmt: skip
    name = "example.org/index.html"
    assert b"<style>" not in texts(plain.folder)[name]
    assert b'<style>a[href^="http:"]::after' in texts(marked.folder)[name]


def test_a_request_that_waits_for_its_answer_is_listed(tmp_path: Path) -> None:
    script = "ask = new XMLHttpRequest(); ask.open('GET', '/a.json', false); ask.send()"
    archived(tmp_path / "archive", seen("/", f"<script>{script}</script>"), seen("/a.json", "1", "application/json"))
    made = copied(tmp_path / "archive", tmp_path / "out")
    assert list(made.built.links.server_needs) == [f"{SITE}/"]


def test_gaps_name_what_is_missing_and_who_wants_it(tmp_path: Path) -> None:
    page = '<img src="/gone.png"><a href="/not-a-gap.html">x</a><img src="/there.png">'
    made = copied(
        archived(tmp_path / "archive", seen("/", page), seen("/there.png", b"\x89PNG", "image/png")), tmp_path / "out"
    )
    assert made.built.links.missing == {f"{SITE}/gone.png": f"{SITE}/"}
    assert own(tmp_path, "gaps.txt") == f"{SITE}/gone.png\twanted by {SITE}/\n"


def test_redirects_are_small_pages_and_links_go_past_them(tmp_path: Path) -> None:
    made = files(
        tmp_path,
        seen("/", '<a href="/old">old</a>'),
        seen("/old", b"", "text/html", 301, Location='/new?a=1&b="2'),
        seen("/new?a=1&b=%222", "new"),
    )
    new = "new_a=1&amp;b=_2.html"
    assert f'<a href="{new}">' in made["index.html"]
    assert f'url={new}"' in made["old.html"]
    assert re.search(r'<a href="[^"<>]*">', made["old.html"])


def test_a_media_type_that_contradicts_the_bytes_changes_no_bytes(tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR <a href=/x.html>"
    made = copied(
        archived(tmp_path / "archive", seen("/p", picture), seen("/q.png", "<a href='/p'>p</a>", "image/png")),
        tmp_path / "out",
    )
    assert made.built.files == 2
    found = texts(tmp_path / "out")
    assert found["example.org/p.html"] == picture
    assert found["example.org/q.png"] == b"<a href='/p'>p</a>"


def test_a_path_may_be_file_and_folder(tmp_path: Path) -> None:
    made = files(
        tmp_path, seen("/bar", "file"), seen("/bar/", "folder"), seen("/bar/index.html", "index"), seen("/bar/x/", "x")
    )
    assert (made["bar.html"], made["bar/index.html"], made["bar/x/index.html"]) == ("file", "folder", "x")
    assert sorted(made.values()) == ["file", "folder", "index", "x"]


def test_what_forbids_is_lifted_and_recorded(tmp_path: Path) -> None:
    page = (
        '<meta http-equiv="Content-Security-Policy" content="default-src https:">'
        '<script crossorigin integrity="sha256-x" src="/a.js"></script><base href="/b/"><a href="c.html">c</a>'
    )
    made = files(tmp_path, seen("/", page), seen("/a.js", "1", "text/javascript"), seen("/b/c.html", "c"))
    page = made["index.html"]
    assert 'data-lifted-http-equiv="Content-Security-Policy"' in page
    assert "data-lifted-crossorigin" in page
    assert "data-lifted-integrity" in page
    assert 'data-lifted-href="/b/"' in page
    assert '<a href="b/c.html">' in page


def test_what_a_server_said_of_charsets_is_said_in_the_file(tmp_path: Path) -> None:
    word = "порт"
    copied(
        archived(
            tmp_path / "archive",
            seen("/", f"<title>x</title>{word}".encode("koi8-r"), "text/html; charset=koi8-r"),
            seen("/same", f'<meta charset="koi8-r">{word}'.encode("koi8-r"), "text/html; charset=KOI8-R"),
            seen("/a.css", f"p::after {{ content: '{word}' }}".encode("koi8-r"), "text/css; charset=koi8-r"),
            seen("/plain.css", "p { color: red }", "text/css; charset=koi8-r"),
        ),
        tmp_path / "out",
    )
    found = texts(tmp_path / "out")
    assert found["example.org/index.html"].startswith(b'<meta charset="koi8-r"><title>x</title>')
    assert found["example.org/same.html"].count(b"charset") == 1
    assert found["example.org/a.css"].decode("utf-8-sig") == f"p::after {{ content: '{word}' }}"
    assert found["example.org/plain.css"] == b"p { color: red }"


def test_parts_of_other_svg_files_are_put_into_the_page(tmp_path: Path) -> None:
    sprite = (
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9"><script>alert(1)</script>'
        '<linearGradient id="g"/><symbol id="é"><rect fill="url(#g)"/></symbol></svg>'
    )
    made = files(
        tmp_path,
        seen("/in/", '<svg id="g"><use href="/s.svg#é"/></svg><svg><use xlink:href="../s.svg#g"/></svg>'),
        seen("/s.svg", sprite, "image/svg+xml"),
    )
    page = made["in/index.html"]
    assert 'xlink:href="#webkeep1-g"' in page
    assert page.count("<symbol") == 1
    assert 'fill="url(#webkeep1-g)"' in page
    assert "alert" not in page
    assert "<?xml" not in page
    assert page.isascii()


def test_modules_are_at_hand_before_the_page_comes_to_them(tmp_path: Path) -> None:
    names = {"imports": {"deep/": "/js/deep/", "b": "/js/b.js"}}
    made = files(
        tmp_path,
        seen("/p/", f'<script type="importmap">{json.dumps(names)}</script>'
             '<script type="module" src="/js/a.js"></script><script type="module">import "../js/b.js"</script>'),
        seen("/js/a.js", 'import "deep/c.js"; at(import.meta.url); import("./" + late)', "text/javascript"),
        seen("/js/b.js", "1", "text/javascript"),
        seen("/js/deep/c.js", 'import "../a.js"', "text/javascript"),
    )  # fmt: skip
    page = made["p/index.html"]
    told = {"deep/": f"{SITE}/js/deep/", "b": f"{SITE}/js/b.js", "deep/c.js": f"{SITE}/js/deep/c.js"}
    assert f"<script>webkeep_modules$({json.dumps(told)})</script>" in page
    called = re.findall(r'src="../../_webkeep/modules/(\w+\.js)"', page)
    sources = [own(tmp_path, f"modules/{name}") for name in called]
    assert [json.loads(f"[{text[16:-3]}]")[0] for text in sources] == [
        f"{SITE}/js/{name}.js" for name in ("a", "b", "deep/c")
    ]
    assert json.loads(f"[{sources[0][16:-3]}]")[2:] == [
        f'import "deep/c.js"; at("{SITE}/js/a.js"); webkeep_import$.from("{SITE}/js/a.js")("./" + late)', [],
    ]  # fmt: skip
    assert f'import "{SITE}/js/b.js"' in page, "what is imported by statement is named in whole"
    assert f'import \\"{SITE}/js/a.js' in sources[2]
    assert 'src="data:text/javascript;webkeep=' in page
    assert made["js/b.js"] == "1"


def test_what_scripts_ask_for_is_kept_as_scripts(tmp_path: Path) -> None:
    files(
        tmp_path,
        seen("/", '<script>fetch("/api/x.json")</script>'),
        seen("/no-script", "x"),
        seen("/api/x.json", '{"a": "</script>"}', "application/json"),
        seen("/moved", status=302, Location="/api/x.json"),
        seen("/robots.txt", "x", "text/plain"),
    )
    page = (tmp_path / "out/example.org/index.html").read_text()
    assert f'<script src="../_webkeep/shim.js" data-root="../" data-url="{SITE}/"></script>' in page
    assert (tmp_path / "out/example.org/no-script.html").read_text() == "x"
    table = json.loads(own(tmp_path, "table.js").removeprefix("webkeep_table$(").removesuffix(",\n]);\n") + "]")
    entries = {directory: entries for directory, _, entries in table}
    assert [entry[0] for entry in entries[f"{SITE}/api/"]] == ["x.json"]
    [[_, _, key, has]] = entries[f"{SITE}/api/"]
    assert has == 1
    assert ["moved", "/example.org/api/x.json", key, 1] in entries[f"{SITE}/"]
    assert "robots.txt" in entries[f"{SITE}/"]
    answers = {path.stem for path in (tmp_path / "out/_webkeep/answers").iterdir()}
    assert key in answers
    assert len(answers) == 3, "pages may be asked for too"
    assert "</script" not in own(tmp_path, f"answers/{key}.js")


def test_no_shim_where_there_are_no_scripts(tmp_path: Path) -> None:
    made = files(tmp_path, seen("/", "<p>1</p>"), seen("/a.json", "1", "application/json"))
    assert made["index.html"] == "<p>1</p>"
    assert not (tmp_path / "out/_webkeep/answers").exists()
    assert not (tmp_path / "out/_webkeep/shim.js").exists()


def test_pages_with_scripts_cannot_ask_the_web(tmp_path: Path) -> None:
    made = files(tmp_path, seen("/", "<body onload='go()'>"), seen("/b", "<script>1</script>"))
    for page in made.values():
        assert "default-src 'self' file: data: blob:" in page
        assert page.index("Content-Security-Policy") < page.index("<script")


def test_what_is_missing_is_left_out_and_marked(tmp_path: Path) -> None:
    gone, there = "https://elsewhere.example/g.png", "/t.png"
    page = (
        f'<body background="{gone}">'
        f'<img src="{gone}"><img srcset="{gone} 2x, {there} 1x" src={there}><img srcset="{gone}, /g2.png 2x">'
        f'<p style="background: url({gone})"><style>p {{ background: url("{gone}") }}</style>'
        f'<script src="{gone}"></script><iframe src="{gone}"></iframe><a href="{gone}">out</a>'
        f'<svg><image xlink:href="{gone}"/></svg><link rel="stylesheet" href="{gone}">'
    )
    made = files(
        tmp_path,
        seen("/", page),
        seen(there, b"\x89PNG", "image/png"),
        seen("/a.css", f"@import '{gone}'; p {{ background: url({gone}) }}", "text/css"),
        seen("/a.svg", f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{gone}"/></svg>', "image/svg+xml"),
    )
    page = made["index.html"]
    nothing = f"data:text/plain,missing%20{gone}"
    assert f'<img data-missing-src="{gone}"><img srcset="t.png 1x" src="t.png">' in page
    assert f'<img data-missing-srcset="{gone}, /g2.png 2x">' in page
    assert f'<p style="background: url({nothing})"><style>p {{ background: url("{nothing}") }}</style>' in page
    assert (
        f'<script src="{nothing}"></script><iframe data-missing-src="{gone}"></iframe><a href="{gone}">out</a>' in page
    )
    assert f'<image xlink:href="{nothing}"/>' in page
    assert f'<link rel="stylesheet" data-missing-href="{gone}">' in page
    assert f'<body data-missing-background="{gone}">' in page
    assert made["a.css"] == f"@import '{nothing}'; p {{ background: url({nothing}) }}"
    assert f'<image data-missing-href="{gone}"/>' in made["a.svg"]
    assert {line.split("\t")[0] for line in own(tmp_path, "gaps.txt").splitlines()} == {gone, f"{SITE}/g2.png"}


def test_what_needs_a_server_is_listed_or_had_frozen(tmp_path: Path) -> None:
    pages = [seen("/w", "<script>x.audioWorklet.addModule('/w.js')</script>"),
             seen("/s", "<script>new WebSocket('ws:x')</script>")]  # fmt: skip
    archived(tmp_path / "archive", *pages, seen("/w.js", "1", "text/javascript"), seen("/plain", "x"))
    made = copied(tmp_path / "archive", tmp_path / "out")
    assert set(made.built.links.server_needs) == {f"{SITE}/w", f"{SITE}/s"}
    assert f"{SITE}/s\tneeds a live connection (WebSocket)" in own(tmp_path, "needs-serving.txt")

    def frozen(item: CopyItem, is_needed: bool) -> bytes | None:
        return b'<p>as it was <a href="/plain">p</a>' if is_needed and item.url.endswith("/s") else None

    with Archive(tmp_path / "archive") as archive:
        made = mirror(archive, CopySelection(archive.clock.now()), tmp_path / "out", CopyOptions(frozen=frozen))
    assert set(made.built.links.server_needs) == {f"{SITE}/w"}
    kept = texts(tmp_path / "out")["example.org/s.html"]
    assert kept.endswith(b'<p>as it was <a href="plain.html">p</a>')
    assert b"script-src 'none'" in kept, "its scripts ran already"


def test_scripts_live_among_archived_addresses(tmp_path: Path) -> None:
    made = files(
        tmp_path,
        seen(
            "/deep/er/", '<script src="/js/a.js"></script><img data-src="/img/a.png"><p onclick="location = \'/img/\'">'
        ),
        seen("/js/a.js", 'image.src = "/img/a.png"; go(location.pathname)', "text/javascript", via=f"{SITE}/deep/er/"),
        seen("/img/a.png", b"\x89PNG", "image/png"),
    )
    assert made["js/a.js"] == 'image.src = "/img/a.png"; go(webkeep_location$.pathname)'
    assert '<img data-src="/img/a.png"><p onclick="webkeep_location$ = \'/img/\'">' in made["deep/er/index.html"]


def test_what_scripts_ask_for_and_is_not_there_is_a_gap(tmp_path: Path) -> None:
    files(
        tmp_path,
        seen("/p/", "<script>fetch('a.json'); fetch('b.json'); fetch(`/c/${d}`); fetch('/e' + f)</script>"),
        seen("/p/a.json", "1", "application/json"),
        seen(
            "/g.js", 'ask.open("GET", "/h.json"); window.open("/i"); fetch("/j", {method: "POST"})', "text/javascript"
        ),
    )
    assert own(tmp_path, "gaps.txt") == f"{SITE}/h.json\twanted by {SITE}/g.js\n{SITE}/p/b.json\twanted by {SITE}/p/\n"


def test_pieces_of_pages_have_no_gaps_of_their_own(tmp_path: Path) -> None:
    piece = seen("/parts/one", "<p><img src='pic.png'></p>")
    files(tmp_path / "asked", seen("/", "<!doctype html><script>box.load = (x) => fetch(x)</script>"), piece)
    assert own(tmp_path / "asked", "gaps.txt") == ""
    files(tmp_path / "plain", seen("/", "<!doctype html>"), piece)
    assert "parts/pic.png" in own(tmp_path / "plain", "gaps.txt")


def test_the_start_page_finds_pages(tmp_path: Path) -> None:
    copied(
        archived(tmp_path / "archive", seen("/", "<title>The </script> Port</title>" + "<p>harbour</p>" * 900)),
        tmp_path / "out",
    )
    search = own(tmp_path, "search.js")
    assert '["example.org/index.html", "The </script> Port", "harbour harbour' in search
    assert len(search) < 3000
    start = (tmp_path / "out/index.html").read_text()
    assert 'href="example.org/index.html"' in start
    assert start.count("</script>") == 2


def test_the_manifest_maps_urls_to_files(tmp_path: Path) -> None:
    files(tmp_path, seen("/", "x"), seen("/old", b"", "text/html", 302, Location="/"))
    entries = [json.loads(line) for line in own(tmp_path, "manifest.jsonl").splitlines()]
    assert [(entry["url"], entry["file"], entry.get("leads to")) for entry in entries] == [
        (f"{SITE}/", "example.org/index.html", None),
        (f"{SITE}/old", "example.org/old.html", f"{SITE}/"),
    ]
    assert entries[0]["digest"].startswith("sha1:")


def test_binary_files_stay_as_they_are_and_their_links_are_listed(tmp_path: Path) -> None:
    paper = b"%PDF-1.4\n1 0 obj <</Type /Annot /A <</S /URI /URI (https://elsewhere.example/paper)>> >> endobj\n%%EOF\n"
    copied(archived(tmp_path / "archive", seen("/a.pdf", paper, "application/pdf")), tmp_path / "out")
    assert texts(tmp_path / "out")["example.org/a.pdf"] == paper
    assert own(tmp_path, "links-in-binaries.txt") == f"{SITE}/a.pdf\tleads to https://elsewhere.example/paper\n"


def test_modules_of_a_page_with_a_base_and_in_any_order_are_the_same_bytes(tmp_path: Path) -> None:
    page = '<base href="/js/"><script type="module" src="a.js"></script><script type=importmap>no json</script>'
    pages = [seen("/", page), *(seen(f"/js/{name}.js", name, "text/javascript") for name in "abcdefgh")]
    made = [files(tmp_path / name, *order)["index.html"] for name, order in (("x", pages), ("y", pages[::-1]))]
    assert made[0] == made[1]
    assert made[0].count("_webkeep/modules/") == 8
    assert f'data-base="{SITE}/js/"' in made[0]


def test_pages_made_to_be_slow_are_not(tmp_path: Path) -> None:
    start = '<script type="module">import("./x.js")</script><svg><use href="/s.svg#a"/></svg>'
    page = start + "<script type=importmap>" * 40_000 + "<base href=" * 20_000 + "<script " * 40_000
    sprite = '<svg xmlns="http://www.w3.org/2000/svg">' + "<script>" * 40_000
    made = files(
        tmp_path, seen("/", page), seen("/x.js", "1", "text/javascript"), seen("/s.svg", sprite, "image/svg+xml")
    )
    assert made["x.js"] == "1"
