"""Bodies that unpack to far more than they are: a copy of them stays small, and says so."""

import gzip
from pathlib import Path

import brotli
import pytest
import zstandard
from mirror_material import SITE, archived, copied, seen

from webkeep.formats.codings import ExpansionLimit
from webkeep.formats.codings.expansion_limit import CODED_BODY_LIMIT
from webkeep.mirror import CopyOptions, write_single_page
from webkeep.mirror.copy_builder import BuildTask, CopyBuilder
from webkeep.mirror.names.file_system_profile import PORTABLE
from webkeep.mirror.output.copy_folder import CopyFolder
from webkeep.mirror.selection import CopySelection
from webkeep.mirror.selection.copy_contents import choose_contents
from webkeep.store.archive import Archive

ZEROS = bytes(96 << 20)
PACKERS = {
    "br": lambda data: brotli.compress(data, quality=1),
    "gzip": lambda data: gzip.compress(data, 9),
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("media_type", ["image/png", "text/html"])
def test_a_bomb_leaves_little_on_the_disk_and_is_told(tmp_path: Path, name: str, media_type: str) -> None:
    bomb = seen("/bomb", PACKERS[name](ZEROS), media_type, Content_Encoding=name)
    archive = archived(tmp_path / "archive", seen("/", "<img src=bomb>"), bomb)
    made = copied(archive, tmp_path / "copy")
    assert made.built.bytes <= CODED_BODY_LIMIT.floor + (1 << 20)
    assert list(made.built.damaged) == [f"{SITE}/bomb"]
    assert made.built.damaged[f"{SITE}/bomb"].endswith("[coding-bomb]")


def test_a_second_version_is_held_against_the_first_in_little_memory(tmp_path: Path) -> None:
    bomb = seen("/bomb", PACKERS["br"](ZEROS), "image/png", Content_Encoding="br")
    archive = archived(tmp_path / "archive", seen("/", "<img src=bomb>"), bomb)
    for _ in range(2):
        made = copied(archive, tmp_path / "copy", form=CopyOptions(is_versioned=True))
        assert made.built.bytes <= CODED_BODY_LIMIT.floor + (1 << 20)


def test_many_small_bombs_have_one_bound(tmp_path: Path) -> None:
    packed = PACKERS["br"](bytes(1 << 20))
    bombs = [seen(f"/{number}", packed, "image/png", Content_Encoding="br") for number in range(40)]
    archive = archived(tmp_path / "archive", *bombs)
    (tmp_path / "copy").mkdir()
    with Archive(archive) as opened:
        contents = choose_contents(opened, CopySelection(opened.clock.now()), PORTABLE)
        tree, limit = CopyFolder(tmp_path / "copy"), ExpansionLimit(8 << 20, 10, 1 << 40)
        builder = CopyBuilder(lambda: opened, BuildTask(contents, tree, limit=limit))
        builder.build(list(contents))
        built = builder.finish()
    assert built.bytes <= 8 << 20
    assert len(built.damaged) == 32
    assert set(built.damaged.values()) == {
        "the copy has far more bytes already than the archive it is made of; the rest is left out [copy-bomb]"
    }


def test_one_page_as_one_file_holds_no_bomb(tmp_path: Path) -> None:
    bomb = seen("/bomb", PACKERS["br"](ZEROS), "image/png", Content_Encoding="br")
    archive = archived(tmp_path / "archive", seen("/", "<img src=bomb>"), bomb)
    with Archive(archive) as opened:
        made = write_single_page(opened, CopySelection(opened.clock.now()), f"{SITE}/", tmp_path / "page.html")
    assert len(made.page) < 2 * CODED_BODY_LIMIT.floor


def test_what_scripts_may_ask_for_holds_no_bomb(tmp_path: Path) -> None:
    bomb = seen("/bomb", PACKERS["br"](ZEROS), "application/json", Content_Encoding="br")
    archive = archived(tmp_path / "archive", seen("/", "<script>fetch('/bomb')</script>"), bomb)
    made = copied(archive, tmp_path / "copy")
    assert list(made.built.damaged) == [f"{SITE}/bomb"]
    assert sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file()) <= CODED_BODY_LIMIT.floor + (
        1 << 20
    )
