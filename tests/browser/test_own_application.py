"""A page of one's own application run in Chromium: its scripts come from the disk, what they ask for from the
application, under the public name and without the network.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from warc_material import webkeep

from webkeep.store.archive import Archive

SHOP = Path(__file__).parent.parent / "sites" / "shop"
SITE = "https://shop.example.org/"


@pytest.mark.parametrize("name", ["application", "asgi_application"])
def test_what_scripts_load_is_had_of_the_application(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_DATABASE", str(tmp_path / "shop.db"))
    monkeypatch.syspath_prepend(str(SHOP))
    from shop import make_database

    make_database(str(tmp_path / "shop.db"))
    words = ("--app", f"shop:{name}", "--app-dir", SHOP, "--files", f"{SHOP}/static={SITE}static/")
    done = webkeep("capture", SITE, "--into", tmp_path / "archive", *words)
    assert done.code == 0, done.err
    assert done.summary["browser"]["pages"] == 1
    with Archive(tmp_path / "archive") as archive:
        seen = {each.url: each for each in archive.observations()}
        assert archive.read(seen[f"{SITE}stock.json"]).read() == b'{"stock": 15}'
        assert seen[f"{SITE}static/shop.js"].record_type == "resource"
