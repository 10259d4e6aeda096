from pathlib import Path

import pytest

from webkeep.errors import StorageError, UsageError
from webkeep.model import Moment
from webkeep.store.folder import ArchiveLayout, is_archive, replace_file_durably
from webkeep.store.folder.layout import create_archive, read_settings

NOW = Moment.parse("2024-03-01T12:00:00Z")


def test_settings_round_trip(tmp_path: Path) -> None:
    layout = create_archive(tmp_path / "deep" / "down" / "archive", 'a "name"\nwith \\ and é', NOW)
    settings = read_settings(layout)
    assert (settings.name, settings.created, settings.version) == ('a "name"\nwith \\ and é', NOW, 1)
    assert is_archive(layout.root)
    assert layout.warc_names() == []


@pytest.mark.parametrize(
    "left", [[], ["warcs"], ["warcs", "index", "jobs"], ["warcs", "index", "jobs", "archive.toml.new"]]
)
def test_a_creation_that_was_broken_off_can_be_begun_again(tmp_path: Path, left: list[str]) -> None:
    for name in left:
        (tmp_path / name).write_bytes(b"name = ") if "." in name else (tmp_path / name).mkdir()
    assert not is_archive(tmp_path)
    assert read_settings(create_archive(tmp_path, "again", NOW)).name == "again"


@pytest.mark.parametrize("other", ["letter.txt", "warcs/kept.warc.gz", "index/x", "jobs/1/x"])
def test_what_belongs_to_someone_else_is_left_alone(tmp_path: Path, other: str) -> None:
    (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / other).write_bytes(b"mine")
    with pytest.raises(UsageError, match="is not a webkeep archive; choose an empty or new directory"):
        create_archive(tmp_path, "", NOW)
    assert (tmp_path / other).read_bytes() == b"mine"
    assert not is_archive(tmp_path)


def test_a_file_is_no_place_for_an_archive(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError):
        create_archive(tmp_path / "file", "", NOW)


@pytest.mark.parametrize("text", ["", "name = 1", "name = [", 'name = "x"\ncreated = "never"\nversion = 1', "\xff"])
def test_settings_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    layout = create_archive(tmp_path / "archive", "", NOW)
    layout.settings.write_bytes(text.encode("latin-1"))
    with pytest.raises(StorageError, match=r"archive\.toml cannot be read .* restore it from a copy"):
        read_settings(layout)


def test_settings_of_a_later_version(tmp_path: Path) -> None:
    layout = create_archive(tmp_path / "archive", "", NOW)
    layout.settings.write_text(layout.settings.read_text().replace("version = 1", "version = 2"))
    with pytest.raises(StorageError, match="format 2, newer than this webkeep; update webkeep"):
        read_settings(layout)


def test_no_archive_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a webkeep archive \(no archive.toml\)"):
        read_settings(ArchiveLayout(tmp_path))


def test_replacing_leaves_no_half(tmp_path: Path) -> None:
    path = tmp_path / "small"
    replace_file_durably(path, b"old")
    (tmp_path / ".small.0123456789abcdef.part").write_bytes(b"left by a crash, longer than the new one")
    replace_file_durably(path, b"new")
    assert path.read_bytes() == b"new"
    assert sorted(each.name for each in tmp_path.iterdir()) == [".small.0123456789abcdef.part", "small"]


def test_only_warc_and_arc_files_count(tmp_path: Path) -> None:
    layout = create_archive(tmp_path / "archive", "", NOW)
    for name in ("b.warc.gz", "a.warc", "c.arc", "d.arc.gz", "e.warc.zst", "f.txt", "g.warc.gz.part", "h.cdx"):
        (layout.warcs / name).write_bytes(b"")
    (layout.warcs / "folder.warc.gz").mkdir()
    (layout.warcs / "nowhere.warc.gz").symlink_to(tmp_path / "missing")
    assert layout.warc_names() == ["a.warc", "b.warc.gz", "c.arc", "d.arc.gz", "e.warc.zst"]


def test_warc_files_that_are_not_there_are_no_empty_archive(tmp_path: Path) -> None:
    layout = create_archive(tmp_path / "archive", "", NOW)
    layout.warcs.rmdir()
    with pytest.raises(StorageError, match=r"cannot be read .* bring the WARC files back"):
        layout.warc_names()
