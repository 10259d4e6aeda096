"""Where a copy is put, and what is never touched."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from mirror_material import archived, copied, seen, texts

from webkeep.errors import StorageError, UsageError
from webkeep.mirror import CopyOptions
from webkeep.mirror.output.atomic_placement import is_webkeep_folder, replace_folder


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return archived(tmp_path / "archive", seen("/", "<a href=/b.html>b</a>"), seen("/b.html", "b"))


def leftovers(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if "building" in each.name]


def test_a_new_and_an_empty_folder_are_taken(tmp_path: Path, archive: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        copied(archive, tmp_path / name)
        assert is_webkeep_folder(tmp_path / name)
        assert texts(tmp_path / name)["example.org/b.html"] == b"b"
    assert leftovers(tmp_path) == []


def test_a_copy_is_refreshed_as_a_whole(tmp_path: Path, archive: Path) -> None:
    copied(archive, tmp_path / "out")
    (tmp_path / "out/example.org/stray.html").write_text("somebody put this here")
    archived(archive, seen("/c.html", "c", seconds=9))
    copied(archive, tmp_path / "out")
    assert sorted(texts(tmp_path / "out")) == ["example.org/b.html", "example.org/c.html", "example.org/index.html"]
    assert leftovers(tmp_path) == []


def test_what_is_not_ours_is_refused_and_stays(tmp_path: Path, archive: Path) -> None:
    for name in ("full", "forged"):
        (tmp_path / name / "_webkeep").mkdir(parents=True)
    (tmp_path / "full/precious").write_text("x")
    (tmp_path / "forged/_webkeep/copy.json").write_text("no")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    for name in ("full", "forged", "file", "link", "dangling"):
        with pytest.raises(UsageError):
            copied(archive, tmp_path / name)
    assert (tmp_path / "full/precious").read_text() == "x"
    assert not (tmp_path / "nothing").exists()
    with pytest.raises(UsageError, match="no folder"):
        copied(archive, tmp_path / "not/there")


def test_links_that_lead_out_of_a_copy_are_not_written_through(tmp_path: Path, archive: Path) -> None:
    copied(archive, tmp_path / "out")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.html").write_text("precious")
    (tmp_path / "out/example.org/b.html").unlink()
    (tmp_path / "out/example.org/b.html").symlink_to(outside / "b.html")
    (tmp_path / "out/more").symlink_to(outside)
    copied(archive, tmp_path / "out")
    assert (outside / "b.html").read_text() == "precious"
    assert not (tmp_path / "out/example.org/b.html").is_symlink()


def test_a_failed_run_changes_nothing(tmp_path: Path, archive: Path) -> None:
    copied(archive, tmp_path / "out")
    before = texts(tmp_path / "out")
    with pytest.raises(StorageError), replace_folder(tmp_path / "out") as folder:
        (folder / "half").write_text("half")
        raise OSError(28, "No space left on device")
    with pytest.raises(KeyError), replace_folder(tmp_path / "out"):
        raise KeyError
    assert texts(tmp_path / "out") == before
    assert leftovers(tmp_path) == []


def test_a_zip_file_that_cannot_be_is_refused_before_anything_is_written(tmp_path: Path, archive: Path) -> None:
    copied(archive, tmp_path / "out")
    before = texts(tmp_path / "out")
    archived(archive, seen("/c.html", "c", seconds=9))
    (tmp_path / "there.zip").write_text("precious")
    (tmp_path / "link.zip").symlink_to(tmp_path / "elsewhere")
    for name in ("no/folder/a.zip", "archive", "there.zip", "link.zip"):
        for out in ("out", "new"):
            with pytest.raises(UsageError):
                copied(archive, tmp_path / out, form=CopyOptions(zip_file=tmp_path / name, replace=name != "there.zip"))
    with pytest.raises(UsageError, match="takes the place of"):
        copied(archive, tmp_path / "out", form=CopyOptions(zip_file=tmp_path / "out/a.zip"))
    assert texts(tmp_path / "out") == before
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "there.zip").read_text() == "precious"
    copied(archive, tmp_path / "out", form=CopyOptions(zip_file=tmp_path / "there.zip", replace=True))
    assert zipfile.is_zipfile(tmp_path / "there.zip")


def test_what_a_run_left_that_was_killed_is_removed_by_the_next(tmp_path: Path, archive: Path) -> None:
    script = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from webkeep.mirror.output.atomic_placement import replace_folder\n"
        "with replace_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').write_text('half')\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path / "out"], check=False, timeout=60)
    assert len(leftovers(tmp_path)) == 1
    with replace_folder(tmp_path / "out") as folder:
        # One that is being built has not been left.
        assert leftovers(tmp_path) == [folder.name]
        copied(archive, tmp_path / "other")
        assert folder.is_dir()
    assert leftovers(tmp_path) == []


def test_the_sign_says_what_a_copy_is(tmp_path: Path, archive: Path) -> None:
    copied(archive, tmp_path / "out")
    sign = json.loads((tmp_path / "out/_webkeep/copy.json").read_text())
    assert sign["made by"] == "webkeep"
    assert sign["files"] == "2"
