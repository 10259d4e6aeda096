import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.store.writing.growing_file import GrowingFile, WarcRotation


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Let writes beyond a size fail, as they do on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def failing_pieces() -> Iterator[bytes]:
    yield b"x" * (3 << 20)  # more than is gathered: some of it is in the file when it fails
    raise ValueError("no more")


def test_places_of_what_was_appended(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "a")
    assert file.append([b"one", b"two"]) == (0, 6)
    assert file.append([]) == (6, 0)
    assert file.append([b"three"]) == (6, 5)
    file.sync()
    assert (tmp_path / "a").read_bytes() == b"onetwothree"
    file.close()
    again = GrowingFile(tmp_path / "a")
    assert again.append([b"!"]) == (11, 1)
    again.sync()
    again.close()
    assert (tmp_path / "a").read_bytes() == b"onetwothree!"


def test_pieces_that_fail_are_taken_back_alone(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "a")
    file.append([b"kept"])
    with pytest.raises(ValueError, match="no more"):
        file.append(failing_pieces())
    assert file.append([b" too"]) == (4, 4)
    file.sync()
    file.close()
    assert (tmp_path / "a").read_bytes() == b"kept too"


def test_what_is_not_synced_can_be_taken_back(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "a")
    file.append([b"kept"])
    start, _ = file.append([b"x" * (2 << 20)])
    file.append([b"y"])
    file.undo_append(start)
    assert file.append([b"!"]) == (4, 1)
    file.sync()
    file.close()
    assert (tmp_path / "a").read_bytes() == b"kept!"


def test_a_failed_write_leaves_what_was_synced(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "a")
    file.append([b"synced"])
    file.sync()
    with files_limited_to(1000), pytest.raises(StorageError, match=r"cannot write .*: nothing kept is lost") as failure:
        file.append([b"x" * 500])
        file.append([b"y" * 5000])
        file.sync()
    assert "\n" not in str(failure.value)
    assert (tmp_path / "a").read_bytes() == b"synced"
    assert file.append([b" on"]) == (6, 3)
    file.sync()
    file.close()
    assert (tmp_path / "a").read_bytes() == b"synced on"


def test_a_place_that_is_no_place(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot write"):
        GrowingFile(tmp_path / "missing" / "a")


def test_rotation_announces_before_it_begins(tmp_path: Path) -> None:
    announced: list[tuple[str, int, bool]] = []
    (tmp_path / "f2").write_bytes(b"someone else's")
    rotation = WarcRotation(
        tmp_path,
        10,
        lambda serial: f"f{serial}",
        lambda name, sure: announced.append((name, sure, (tmp_path / name).exists())),
    )
    assert rotation.file_with_room is None
    rotation.begin().append([b"123"])
    assert rotation.file_with_room is not None
    assert rotation.file_with_room.append([b"4567890"]) == (3, 7)
    assert rotation.file_with_room is None
    assert rotation.file_to_sync is not None
    assert rotation.begin().path.name == "f3"
    rotation.close()
    rotation.close()
    assert announced == [("f1", 0, False), ("f1", 10, True), ("f3", 0, False), ("f3", 0, True)]
    assert (tmp_path / "f1").read_bytes() == b"1234567890"
    assert (tmp_path / "f2").read_bytes() == b"someone else's"


@pytest.mark.parametrize(("name", "goes_on"), [("short", True), ("long", False), ("missing", False), ("", False)])
def test_only_a_file_with_room_is_gone_on_with(tmp_path: Path, name: str, goes_on: bool) -> None:
    (tmp_path / "short").write_bytes(b"123")
    (tmp_path / "long").write_bytes(b"1234567890")
    rotation = WarcRotation(tmp_path, 10, str, lambda *_: None)
    rotation.resume(name)
    assert (rotation.file_with_room is not None) is goes_on
    rotation.close()


def test_what_is_written_to_a_deleted_file_is_not_kept(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "a")
    file.append([b"kept"])
    file.sync()
    (tmp_path / "a").unlink()
    file.append([b"lost"])
    with pytest.raises(StorageError, match="was deleted while it was written to"):
        file.sync()
    file.close()
