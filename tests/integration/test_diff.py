"""Comparing two states of a site, by captures and by moments, as lines, events and a page."""

from pathlib import Path

import pytest
from capture_calls import capture, events
from small_site import Page, SmallSite
from warc_material import Done, webkeep

from webkeep.document import read_visible_lines


def page(words: str, *links: str) -> Page:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return Page(f"<!doctype html><title>t</title><p>{words}</p><p>same</p>{anchors}".encode())


@pytest.fixture
def changed(tmp_path: Path) -> tuple[Path, str]:
    """An archive with two captures of a site that changed in between, and the site's URL."""
    pages = {"/": page("start", "/a", "/b"), "/a": page("<b>one</b> & two"), "/b": page("b")}
    with SmallSite(pages) as site:
        capture(tmp_path / "archive", site.url())
        pages["/a"] = page("one & <script>alert(1)</script>three\u202e")
        del pages["/b"]
        capture(tmp_path / "archive", site.url())
        return tmp_path / "archive", site.url("")


def kinds(done: Done) -> dict[str, str]:
    return {each["url"].rsplit("/", 1)[1]: each["kind"] for each in events(done, "change")}


def test_the_last_two_captures_are_compared(changed: tuple[Path, str]) -> None:
    done = webkeep("diff", changed[0])
    assert done.code == 1
    assert kinds(done) == {"a": "changed", "b": "removed"}
    assert done.summary["changes"]["unchanged"] == 1


def test_a_page_is_shown_with_what_is_around(changed: tuple[Path, str]) -> None:
    done = webkeep("diff", changed[0], f"{changed[1]}/a")
    (change,) = events(done, "change")
    assert change["text"] == ["-one & two", "+one & three\u202e", " same"]
    assert webkeep("diff", changed[0], f"{changed[1]}/").code == 0
    assert webkeep("diff", changed[0], f"{changed[1]}/nowhere").code == 2


def test_captures_and_moments_can_be_named(changed: tuple[Path, str]) -> None:
    captures = events(webkeep("list", changed[0]), "capture")
    first, second = (each["capture"] for each in captures)
    backwards = webkeep("diff", changed[0], "--from", second, "--to", first[:8])
    assert kinds(backwards) == {"a": "changed", "b": "added"}
    assert webkeep("diff", changed[0], "--from", second, "--to", "now").code == 0
    assert webkeep("diff", changed[0], "--from", "2001", "--to", "now").code == 2, "nobody had looked by then"
    assert webkeep("diff", changed[0], changed[1].removeprefix("http://") + "/a").code == 1
    assert webkeep("diff", changed[0], "--from", "some day").code == 2


def test_the_page_shows_both_sides_and_nothing_of_it_acts(changed: tuple[Path, str], tmp_path: Path) -> None:
    written = tmp_path / "changes.html"
    assert webkeep("diff", changed[0], "--html", written).code == 1
    shown = written.read_text("utf-8")
    assert '<td class="gone">one &amp; two</td><td class="come">one &amp; three\\u202e</td>' in shown
    assert "<script" not in shown
    assert "http-equiv" in shown
    assert webkeep("diff", changed[0], "--html", written).code == 2, "what is there is not overwritten"


def test_files_of_text_are_compared_by_their_text(tmp_path: Path) -> None:
    pages = {
        "/": page("start", "/tides.json", "/notes.txt", "/picture"),
        "/tides.json": Page(b'{"high":[1,2]}', "application/json"),
        "/notes.txt": Page("früh\nspät\n".encode(), "text/plain; charset=utf-8"),
        "/picture": Page(b"\x89PNG 1", "image/png"),
    }
    with SmallSite(pages) as site:
        capture(tmp_path / "archive", site.url())
        pages["/tides.json"] = Page(b'{"high": [1,3]}', "application/json")
        pages["/notes.txt"] = Page("früh\nspäter\n++\n".encode(), "text/plain; charset=utf-8")
        pages["/picture"] = Page(b"\x89PNG 2", "image/png")
        capture(tmp_path / "archive", site.url())
    done = webkeep("diff", tmp_path / "archive", "--html", tmp_path / "changes.html")
    told = {each["url"].rsplit("/", 1)[1]: each["text"] for each in events(done, "change")}
    assert told == {"tides.json": ["-    2", "+    3"], "notes.txt": ["-spät", "+später", "+++"], "picture": []}
    shown = (tmp_path / "changes.html").read_text("utf-8")
    assert shown.count("It is no text") == 1
    assert "is the same" not in shown
    assert all(f'href="#change-{number}"' in shown and f'id="change-{number}"' in shown for number in (1, 2, 3))


def test_there_must_be_two_states(tmp_path: Path) -> None:
    with SmallSite({"/": page("alone")}) as site:
        capture(tmp_path / "archive", site.url())
    assert webkeep("diff", tmp_path / "archive").code == 2


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (b"<p>a <b>b</b>\n c</p><p>d<br>e", ["a b c", "d", "e"]),
        (b"<style>x{}</style><script>y()</script><template>t</template>seen", ["seen"]),
        (b"<ul><li>one<li>two</ul>", ["* one", "* two"]),
        (b"<ol start=2><li>one<li>two</ol><p>3. three", ["* one", "* two", "3. three"]),
        (b"\xe9t\xe9", ["été"]),
        (b"", []),
    ],
)
def test_visible_text_has_lines_as_they_are_read(html: bytes, lines: list[str]) -> None:
    assert read_visible_lines(html) == lines


class Sitting:
    """A site that can be away for a while."""

    def __init__(self) -> None:
        self.pages = {"/": page("start", "/a"), "/a": page("a", "/b"), "/b": page("b", "/c"), "/c": page("c")}
        self.is_away = False

    def __call__(self, _host: str, path: str) -> Page:
        return Page(status=503) if self.is_away else self.pages.get(path, Page(status=404))


def update(archive: Path, *words: object) -> Done:
    return webkeep("update", archive, "--browser", "off", "--changes", *words)


def test_what_a_server_in_trouble_did_not_show_is_not_added_later(tmp_path: Path) -> None:
    away = Sitting()
    with SmallSite(away) as site:
        capture(tmp_path / "archive", site.url())
        away.is_away = True
        update(tmp_path / "archive", "--retries", "0")
        away.is_away = False
        updated = update(tmp_path / "archive")
    done = webkeep("diff", tmp_path / "archive")
    assert (done.code, done.summary["changes"]) == (0, updated.summary["changes"])
    assert done.summary["changes"]["unchanged"] == 4


@pytest.mark.parametrize("first", [("--max-urls", "2"), ("--scope", "page"), ("--exclude", "*/b"), ("--depth", "1")])
def test_what_was_not_looked_for_is_not_added(tmp_path: Path, first: tuple[str, str]) -> None:
    away = Sitting()
    with SmallSite(away) as site:
        capture(tmp_path / "archive", site.url(), *first)
        away.pages["/a"] = page("a", "/b", "/new")
        away.pages["/new"] = page("new")
        capture(tmp_path / "archive", site.url())
    told = kinds(webkeep("diff", tmp_path / "archive"))
    assert (told["b"], told["c"]) == ("unknown", "unknown")
    # What leads to the new page was read before, by some of these captures, and did not lead there.
    assert told["new"] == ("unknown" if first[0] == "--scope" else "added")


def test_what_appeared_is_added_with_what_it_leads_to(tmp_path: Path) -> None:
    away = Sitting()
    with SmallSite(away) as site:
        capture(tmp_path / "archive", site.url(), "--max-urls", "9")
        away.pages |= {"/c": page("c", "/d"), "/d": page("d", "/e"), "/e": page("e", "/d")}
        updated = update(tmp_path / "archive")
    done = webkeep("diff", tmp_path / "archive")
    assert kinds(done) == kinds(updated) == {"c": "changed", "d": "added", "e": "added"}


def test_updates_and_comparisons_agree_about_limits(tmp_path: Path) -> None:
    with SmallSite(Sitting()) as site:
        capture(tmp_path / "archive", site.url())
        update(tmp_path / "archive", "--max-urls", "2")
        updated = update(tmp_path / "archive")
    done = webkeep("diff", tmp_path / "archive")
    assert (done.code, done.summary["changes"]) == (0, updated.summary["changes"])


def test_a_copy_is_called_by_its_own_name_and_the_page_is_told(changed: tuple[Path, str], tmp_path: Path) -> None:
    copied = tmp_path / "elsewhere"
    changed[0].rename(copied)
    done = webkeep("diff", copied, "--html", tmp_path / "changes.html", as_json=False)
    assert done.err.splitlines()[-1].startswith(f"{copied}: capture ")
    assert done.err.splitlines()[-1].endswith(f"; see {tmp_path / 'changes.html'}")
