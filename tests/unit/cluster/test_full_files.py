"""Full files of a worker move to a shared folder, and its archive reads on."""

from pathlib import Path

import pytest

from webkeep.cluster.full_files import FolderStorage, FullFileMover
from webkeep.errors import StorageError
from webkeep.process import name_of_unfinished


def make_files(tmp_path: Path) -> tuple[Path, Path]:
    warcs, shared = tmp_path / "warcs", tmp_path / "shared"
    for folder in (warcs, shared):
        folder.mkdir()
    for name in ("one.warc.gz", "two.warc.gz", "three.warc.gz.unfinished"):
        (warcs / name).write_bytes(name.encode() * 1000)
    return warcs, shared


def test_a_file_that_does_not_grow_moves_and_a_link_takes_its_place(tmp_path: Path) -> None:
    warcs, shared = make_files(tmp_path)
    notes: list[str] = []
    mover = FullFileMover(warcs, FolderStorage(shared, "vm 1/worker"), lambda: "two.warc.gz", notes.append)
    assert mover.move_all()
    kept = shared / "vm-1-worker" / "one.warc.gz"
    assert kept.read_bytes() == (warcs / "one.warc.gz").read_bytes() == b"one.warc.gz" * 1000
    assert not kept.is_symlink()
    assert [each.name for each in warcs.iterdir() if each.is_symlink()] == ["one.warc.gz"]
    assert [each.name for each in kept.parent.iterdir()] == ["one.warc.gz"]
    assert mover.move_all()
    assert notes == []


def test_what_a_killed_worker_had_copied_is_made_again(tmp_path: Path) -> None:
    warcs, shared = make_files(tmp_path)
    (shared / "w").mkdir()
    part = shared / "w" / f".one.warc.gz.{'0' * 16}.part"
    part.write_bytes(b"half")
    assert name_of_unfinished(part.name) == "one.warc.gz"
    (warcs / "one.warc.gz.link").symlink_to("nowhere")
    (shared / "w" / "two.warc.gz").write_bytes((warcs / "two.warc.gz").read_bytes())
    assert FullFileMover(warcs, FolderStorage(shared, "w"), str, print).move_all()
    assert sorted(each.name for each in (shared / "w").iterdir()) == ["one.warc.gz", "two.warc.gz"]
    assert (warcs / "one.warc.gz").read_bytes() == b"one.warc.gz" * 1000
    assert sorted(each.name for each in warcs.iterdir() if each.is_symlink()) == ["one.warc.gz", "two.warc.gz"]


def test_another_file_of_that_name_is_never_overwritten_and_told_once(tmp_path: Path) -> None:
    warcs, shared = make_files(tmp_path)
    (shared / "w").mkdir()
    (shared / "w" / "one.warc.gz").write_bytes(b"another worker's")
    notes: list[str] = []
    mover = FullFileMover(warcs, FolderStorage(shared, "w"), str, notes.append)
    assert not mover.move_all()
    assert not mover.move_all()
    assert [note.partition(" is ")[2] for note in notes] == [
        "another file of that name; give each worker a --name of its own"
    ]
    assert not (warcs / "one.warc.gz").is_symlink()


def test_a_storage_that_takes_nothing_leaves_files_where_they_are(tmp_path: Path) -> None:
    warcs, _ = make_files(tmp_path)
    with pytest.raises(StorageError, match="takes no files"):
        FolderStorage(tmp_path / "gone" / "away", "w").keep(warcs / "one.warc.gz")

    class Elsewhere:
        def keep(self, file: Path) -> None:
            """Kept where no path leads."""

    assert FullFileMover(warcs, Elsewhere(), str, print).move_all()
    assert not any(each.is_symlink() for each in warcs.iterdir())
