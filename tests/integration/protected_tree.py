"""A small static site and what runs it, for tests of the vault: written, protected, served and captured."""

import random
from pathlib import Path
from typing import Any

from capture_calls import capture
from small_site import Page, SmallSite
from warc_material import webkeep

DIRECTORIES, PAGES_EACH = 5, 8


def write_tree(tree: Path) -> Path:
    """Forty pages in five directories, and a start page that leads to all but one of them."""
    for group in range(DIRECTORIES):
        (tree / f"d{group}").mkdir(parents=True)
        for number in range(PAGES_EACH):
            text = f"<!doctype html><title>{group} {number}</title><body><p>{'word ' * (50 + number)}</p></body>"
            (tree / f"d{group}" / f"{number}.html").write_text(text)
    names = [f"d{group}/{number}.html" for group in range(DIRECTORIES) for number in range(PAGES_EACH)]
    links = "".join(f'<a href="/{name}">x</a>' for name in names if name != "d4/7.html")
    (tree / "index.html").write_text(f"<!doctype html><title>Start</title><body>{links}</body>")
    return tree


def write_components(folder: Path, mark: str = "") -> Path:
    """An application and its data, of which most cannot be compressed."""
    (folder / "app").mkdir(parents=True, exist_ok=True)
    (folder / "app" / "app.py").write_text(f"MARK = {mark!r}\n")
    (folder / "app" / "data.bin").write_bytes(random.Random(1).randbytes(30_000))
    return folder / "app"


def pages_of(tree: Path) -> dict[str, Page]:
    """A tree as a site answers with it."""
    pages = {"/" + file.relative_to(tree).as_posix(): Page(file.read_bytes()) for file in tree.rglob("*.html")}
    return {**pages, "/": pages["/index.html"]}


def protect(vault: Path, tree: Path, into: Path, *words: object) -> dict[str, Any]:
    """Protect a tree into a copy, without encryption."""
    done = webkeep("vault", "protect", vault, "--tree", tree, "--into", into, "--unencrypted", *words)
    assert done.code == 0, done.err
    return done.summary


def capture_pages(archive: Path, site: SmallSite, paths: list[str]) -> None:
    """Capture just these pages."""
    done = capture(archive, *(site.url(path) for path in paths), "--scope", "page", "--delay", "0")
    assert done.code == 0, done.err
