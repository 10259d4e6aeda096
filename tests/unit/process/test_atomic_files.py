"""Files that appear whole, under way by names that nobody can foretell."""

import os
from pathlib import Path

import pytest

from webkeep.process import atomic_file, write_atomically


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_is_in_place_once_it_is_whole(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "out") as stream:
        stream.write(b"whole")
        assert "out" not in names(tmp_path)
        (unfinished,) = names(tmp_path)
    assert unfinished.startswith(".out.")
    assert names(tmp_path) == {"out"}
    assert (tmp_path / "out").read_bytes() == b"whole"


def test_no_two_unfinished_files_have_one_name(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "out"), atomic_file(tmp_path / "out"):
        assert len(names(tmp_path)) == 2


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, OSError])
def test_nothing_is_left_of_what_was_not_finished(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "out").write_bytes(b"before")
    with pytest.raises(error), atomic_file(tmp_path / "out") as stream:
        stream.write(b"half")
        raise error
    assert names(tmp_path) == {"out"}
    assert (tmp_path / "out").read_bytes() == b"before"


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_what_a_link_leads_to_stays_as_it_is(tmp_path: Path, link: object) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    assert callable(link)
    link(victim, tmp_path / "out")
    write_atomically(tmp_path / "out", b"new")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / "out").read_bytes() == b"new"


@pytest.mark.parametrize("is_link", [True, False])
def test_what_is_there_is_not_replaced_unless_that_is_wanted(tmp_path: Path, is_link: bool) -> None:
    if is_link:
        (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    else:
        (tmp_path / "out").write_bytes(b"before")
    with pytest.raises(FileExistsError), atomic_file(tmp_path / "out", replace=False) as stream:
        stream.write(b"new")
    assert names(tmp_path) == {"out"}
    assert not (tmp_path / "nowhere").exists()


def test_a_file_of_one_person_stays_so_in_place_of_one_of_all(tmp_path: Path) -> None:
    (tmp_path / "cookies").write_bytes(b"")
    (tmp_path / "cookies").chmod(0o644)
    write_atomically(tmp_path / "cookies", b"secret", 0o600)
    assert (tmp_path / "cookies").stat().st_mode & 0o777 == 0o600


def test_a_name_as_long_as_can_be_and_of_any_bytes(tmp_path: Path) -> None:
    for name in ("x" * 255, os.fsdecode(b"\xff\xfe" * 60), "ü" * 127):
        write_atomically(tmp_path / name, b"here")
        assert (tmp_path / name).read_bytes() == b"here"
