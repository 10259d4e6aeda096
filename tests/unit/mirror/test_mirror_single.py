"""One page as one file."""

import base64
import json
import re
from pathlib import Path

import pytest
from mirror_material import SITE, archived, seen

from webkeep.errors import UsageError
from webkeep.mirror import write_single_page
from webkeep.mirror.selection import CopySelection
from webkeep.store.archive import Archive

PICTURE = b"\x89PNG\r\n\x1a\n picture"


def single(folder: Path, url: str, name: str = "page.html") -> tuple[str, set[str]]:
    with Archive(folder / "archive") as archive:
        made = write_single_page(archive, CopySelection(archive.clock.now()), url, folder / name)
    return (folder / name).read_text(), made.missing


def data(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def test_all_that_a_page_needs_is_in_it(tmp_path: Path) -> None:
    body = '<img src="a.png"><a href="/b">b</a><a href="/#x">x</a><img src=no.png>'
    archived(
        tmp_path / "archive",
        seen("/", f"<link rel=stylesheet href=a.css>{body}"),
        seen("/a.css", 'p { background: url("a.png") } @import "a.css";', "text/css"),
        seen("/a.png", PICTURE, "image/png"),
        seen("/b", "b"),
    )
    page, missing = single(tmp_path, f"{SITE}/")
    assert f'<img src="{data("image/png", PICTURE)}">' in page
    assert f'<a href="{SITE}/b">' in page
    assert '<a href="#x">' in page
    assert 'href="data:text/css;base64,' in page
    assert missing == {f"{SITE}/no.png"}


def test_what_its_scripts_ask_for_is_in_it_or_told(tmp_path: Path) -> None:
    archived(
        tmp_path / "archive",
        seen("/", "<script type=module src=/a.js></script><script>fetch('part.html')</script>"),
        seen("/a.js", "import './b.js'; fetch('/here.json'); fetch('/gone.json'); fetch('/sent', {method: 'POST'})",
             "text/javascript", via=f"{SITE}/"),
        seen("/b.js", "1", "text/javascript", via=f"{SITE}/a.js"),
        seen("/here.json", "[1]", "application/json", via=f"{SITE}/a.js"),
        seen("/part.html", "<p>part", via=f"{SITE}/"),
        seen("/next.html", "<html>next", via=f"{SITE}/"),
    )  # fmt: skip
    page, missing = single(tmp_path, f"{SITE}/")
    held = re.search(r"webkeep_embedded\$\((.*?)\)</script>", page)
    assert held is not None
    assert set(json.loads(held[1])) >= {f"{SITE}/here.json", f"{SITE}/part.html"}
    assert f"{SITE}/next.html" not in json.loads(held[1])
    assert missing == {f"{SITE}/gone.json"}


def test_only_pages_that_are_there_and_files_that_are_not(tmp_path: Path) -> None:
    archived(tmp_path / "archive", seen("/", "x"), seen("/a.png", PICTURE, "image/png"))
    for url in (f"{SITE}/a.png", f"{SITE}/gone"):
        with pytest.raises(UsageError, match="has no page"):
            single(tmp_path, url)
    (tmp_path / "precious").write_text("x")
    with pytest.raises(UsageError, match="already"):
        single(tmp_path, f"{SITE}/", "precious")
    assert (tmp_path / "precious").read_text() == "x"
