"""Files beside a package: copies of what is in it, and nothing that hides what is no copy."""

from pathlib import Path

import pytest

from webkeep.api import find_package
from webkeep.errors import UsageError
from webkeep.evidence.sealing import write_sums
from webkeep.evidence.verification import check_folder
from webkeep.formats.wacz import WaczDescription, WaczWriter
from webkeep.model import Moment

CREATED = Moment.parse("2026-03-02T14:00:00Z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package = tmp_path / "evidence.wacz"
    with package.open("wb") as stream, WaczWriter(stream, CREATED, WaczDescription(title="Evidence")) as writer:
        writer.add_file("evidence/cover.html", [b"<h1>What was seen</h1>"])
        writer.add_file("evidence/README.txt", [b"how to check it"])
    (tmp_path / "cover.html").write_bytes(b"<h1>What was seen</h1>")
    (tmp_path / "README.txt").write_bytes(b"how to check it")
    write_sums(tmp_path)
    return tmp_path


def told(folder: Path) -> list[tuple[str, str]]:
    return [(each.code, each.source) for each in check_folder(folder)]


def test_copies_are_right(folder: Path) -> None:
    assert told(folder) == []


def test_the_text_on_how_to_check_it_is_a_copy_as_well(folder: Path) -> None:
    (folder / "README.txt").write_bytes(b"open https://evil.example/ and trust it")
    write_sums(folder)
    assert told(folder) == [("folder-copy", "README.txt")]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "loop", "../outside", "absent"])
def test_no_line_of_the_list_keeps_others_from_being_told(name: str, folder: Path) -> None:
    (folder / "cover.html").write_bytes(b"<h1>Another story</h1>")
    (folder / "loop").symlink_to("loop")
    with (folder / "SHA256SUMS").open("ab") as sums:
        sums.write(f"{'0' * 64}  {name}\n".encode())
    found = told(folder)
    assert ("folder-copy", "cover.html") in found
    assert ("folder-stray", "loop") in found
    assert found.count(("folder-copy", "SHA256SUMS")) == 2, "the line about the cover, and that one"


def test_links_to_elsewhere_are_strays(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "story.html").write_bytes(b"<h1>Another story</h1>")
    (folder / "more").symlink_to(other, target_is_directory=True)
    assert told(folder) == [("folder-stray", "more")]


def test_a_list_that_is_no_text_is_told(folder: Path) -> None:
    (folder / "SHA256SUMS").write_bytes(b"\xff\xfe\0\0")
    assert told(folder) == [("folder-copy", "SHA256SUMS")]


def test_a_package_that_was_renamed_in_its_folder_is_to_be_named_itself(folder: Path) -> None:
    assert find_package(folder) == folder / "evidence.wacz"
    renamed = (folder / "evidence.wacz").rename(folder / "imprint.wacz")
    with pytest.raises(UsageError, match=r"there is no evidence\.wacz in .*; name the file itself \(.*imprint\.wacz\)"):
        find_package(folder)
    assert find_package(renamed) == renamed
    renamed.unlink()
    assert find_package(folder) is None, "maybe an archive"
