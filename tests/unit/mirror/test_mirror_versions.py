"""Versions of a copy: whole trees that share what did not change."""

import os
from pathlib import Path

import pytest
from mirror_material import archived, copied, seen, texts

from webkeep.errors import StorageError, UsageError
from webkeep.mirror import CopyOptions, mirror
from webkeep.mirror.output.copy_versions import list_versions, place_version
from webkeep.mirror.selection import CopySelection
from webkeep.model import Moment
from webkeep.store.archive import Archive

VERSIONED = CopyOptions(is_versioned=True)


class Clock:
    """Goes on by a minute each time it is asked."""

    def __init__(self) -> None:
        self._moment = Moment.parse("2024-03-01T10:00:00Z")

    def now(self) -> Moment:
        self._moment = self._moment.plus(60)
        return self._moment


def made(archive: Path, out: Path, clock: Clock, form: CopyOptions = VERSIONED) -> Path:
    with Archive(archive, clock) as opened:
        return mirror(opened, CopySelection(Moment.parse("2030-01-01")), out, form).folder


def blocks(folder: Path) -> int:
    """Disk blocks, each counted once however many names it has; folders apart."""
    found = {each.lstat().st_ino: each.lstat().st_blocks for each in folder.rglob("*") if each.is_file()}
    return sum(found.values()) * 512


def test_what_did_not_change_is_one_file_with_two_names(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    archived(tmp_path / "a", seen("/", "<a href=b.png>b</a>"), seen("/b.png", b"\x89PNG b", "image/png"))
    archived(tmp_path / "a", seen("/c", "old"))
    first = made(tmp_path / "a", out, clock)
    before = texts(first)
    archived(tmp_path / "a", seen("/c", "new", seconds=60), seen("/d", "added", seconds=60))
    second = made(tmp_path / "a", out, clock)
    assert sorted(list_versions(out)) == [first.name, second.name]
    assert os.readlink(out / "latest") == second.name
    for name in ("example.org/b.png", "example.org/index.html"):
        assert (first / name).stat().st_ino == (second / name).stat().st_ino
        assert (first / name).stat().st_mode & 0o222 == 0
    assert texts(first) == before
    assert (second / "example.org/c.html").read_bytes() == b"new"
    assert (second / "example.org/d.html").read_bytes() == b"added"
    assert first.name in (out / "index.html").read_text()


def test_a_page_whose_links_lead_elsewhere_now_is_made_again(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    archived(tmp_path / "a", seen("/", '<a href="/later.html">l</a>'))
    first = made(tmp_path / "a", out, clock)
    archived(tmp_path / "a", seen("/later.html", "now it is there", seconds=9))
    second = made(tmp_path / "a", out, clock)
    assert b"https://example.org/later.html" in (first / "example.org/index.html").read_bytes()
    assert (second / "example.org/index.html").read_bytes() == b'<a href="later.html">l</a>'


@pytest.mark.parametrize("form", [CopyOptions(), VERSIONED], ids=["in place", "versioned"])
def test_names_stay_what_they_were_in_the_next_version(tmp_path: Path, form: CopyOptions) -> None:
    clock, out = Clock(), tmp_path / "out"
    archived(tmp_path / "a", seen("/index.html", "first"), seen("/a.js", "1", "text/javascript"), seen("/b?x=1", "b"))
    made(tmp_path / "a", out, clock, form)
    new = [seen("/", "second", seconds=9), seen("/a.js/deep", "d", seconds=9), seen("/b_x=1.html", "c", seconds=9)]
    archived(tmp_path / "a", *new)
    for _ in range(2):
        found = texts(made(tmp_path / "a", out, clock, form))
        assert {name.removeprefix("example.org/"): text for name, text in found.items()} == {
            "index.html": b"first", "a.js": b"1", "b_x=1.html": b"b",
            "index-2.html": b"second", "a.js-2/deep.html": b"d", "b_x=1-2.html": b"c",
        }  # fmt: skip


def test_what_is_known_of_shared_pages_stays_known(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    front = "<title>Front</title><img src=gone.png><script>new WebSocket('ws:x')</script>"
    archived(tmp_path / "a", seen("/", front), seen("/b", "<title>B</title>"))
    first = made(tmp_path / "a", out, clock)
    second = made(tmp_path / "a", out, clock)
    archived(tmp_path / "a", seen("/b", "<title>C</title>", seconds=9))
    third = made(tmp_path / "a", out, clock)
    searches = [(each / "_webkeep/search.js").read_text() for each in (first, second, third)]
    assert searches[0] == searches[1]
    assert '"Front"' in searches[2]
    assert '"C"' in searches[2]
    assert '"B"' not in searches[2]
    for each in (first, second, third):
        assert "gone.png\twanted by https://example.org/" in (each / "_webkeep/gaps.txt").read_text()
        assert "https://example.org/\tneeds a live" in (each / "_webkeep/needs-serving.txt").read_text()


def test_what_scripts_ask_for_is_shared_like_all_else(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    page = "<script>fetch('/a.json'); new Worker('/w.js')</script><script type=module src=/m.js></script>"
    script = "text/javascript"
    archived(tmp_path / "a", seen("/", page), seen("/a.json", "1", "application/json"), seen("/w.js", "1", script))
    archived(tmp_path / "a", seen("/m.js", "export default 1", script), seen("/b", "<html>b"))
    first = made(tmp_path / "a", out, clock)
    second = made(tmp_path / "a", out, clock)
    archived(tmp_path / "a", seen("/b", "<html>c", seconds=9), seen("/a.json", "2", "application/json", seconds=9))
    third = made(tmp_path / "a", out, clock)
    own = [
        {path.relative_to(each): path for path in (each / "_webkeep").glob("*/*.js")} for each in (first, second, third)
    ]
    assert len(own[0]) == 7, "answers of two pages, two scripts and the data, and two modules"
    assert set(own[0]) == set(own[1]) == set(own[2])
    assert all(path.samefile(own[1][name]) for name, path in own[0].items())
    assert sum(not path.samefile(own[2][name]) for name, path in own[0].items()) == 2, "the page and the data"
    for name in ("shim.js", "table.js"):
        assert (first / "_webkeep" / name).samefile(third / "_webkeep" / name)


def test_gaps_are_told_of_shared_pages_too(tmp_path: Path) -> None:
    archived(tmp_path / "a", seen("/", "<img src=gone.png>"))
    made(tmp_path / "a", tmp_path / "out", Clock())
    again = copied(tmp_path / "a", tmp_path / "out", form=VERSIONED)
    assert again.built.shared == 1
    assert list(again.built.links.missing) == ["https://example.org/gone.png"]


def test_with_copy_every_version_has_its_own_files(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    archived(tmp_path / "a", seen("/", "x"))
    trees = [made(tmp_path / "a", out, clock, CopyOptions(is_versioned=True, hard_links=False)) for _ in range(2)]
    inodes = {(tree / "example.org/index.html").stat().st_ino for tree in trees}
    assert len(inodes) == 2
    assert texts(trees[0]) == texts(trees[1])


def test_the_example_of_three_versions_in_disk_blocks(tmp_path: Path) -> None:
    """A site of 50, then 3 changed, then 2 changed and 2 new: 57 in all (here in units of 100 kB)."""
    clock, out, unit = Clock(), tmp_path / "out", 100 * 1024

    def picture(number: int, version: int, when: float) -> object:
        body = b"\x89PNG" + f"{number} {version}".encode() + os.urandom(unit - 64)
        return seen(f"/{number}.png", body, "image/png", seconds=when)

    archived(tmp_path / "a", *(picture(number, 1, 0) for number in range(50)))
    made(tmp_path / "a", out, clock)
    archived(tmp_path / "a", *(picture(number, 2, 100) for number in range(3)))
    made(tmp_path / "a", out, clock)
    archived(tmp_path / "a", *(picture(number, 3, 200) for number in (10, 11, 50, 51)))
    last = made(tmp_path / "a", out, clock)
    assert len(texts(last)) == 52
    sizes = sum(path.stat().st_size for path in out.rglob("*.png") if "latest" not in path.parts)
    assert sizes == pytest.approx(152 * unit, rel=0.01)
    assert blocks(out) == pytest.approx(57 * unit, rel=0.03)


def test_an_interrupted_run_leaves_the_last_version_as_it_is(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    archived(tmp_path / "a", seen("/", "x"))
    first = made(tmp_path / "a", out, clock)
    before = texts(out)
    with pytest.raises(StorageError), place_version(out, clock.now()) as (folder, last):
        assert last == first
        (folder / "half").write_text("half")
        raise OSError(28, "No space left on device")
    assert texts(out) == before
    assert list_versions(out) == [first.name]
    second = made(tmp_path / "a", out, clock)
    assert second != first


def test_copies_and_versions_are_told_apart(tmp_path: Path) -> None:
    archived(tmp_path / "a", seen("/", "x"))
    copied(tmp_path / "a", tmp_path / "copy")
    made(tmp_path / "a", tmp_path / "versions", Clock())
    with pytest.raises(UsageError):
        made(tmp_path / "a", tmp_path / "copy", Clock())
    with pytest.raises(UsageError):
        copied(tmp_path / "a", tmp_path / "versions")


def test_a_damaged_version_is_no_reason_to_fail(tmp_path: Path) -> None:
    clock, out = Clock(), tmp_path / "out"
    archived(tmp_path / "a", seen("/", "x"), seen("/b", "b"))
    first = made(tmp_path / "a", out, clock)
    (first / "example.org/index.html").unlink()
    (first / "_webkeep/gaps.txt").unlink()
    second = made(tmp_path / "a", out, clock)
    assert (second / "example.org/index.html").read_bytes() == b"x"
    (second / "_webkeep/manifest.jsonl").unlink()
    (second / "_webkeep/manifest.jsonl").write_text("no json")
    assert texts(made(tmp_path / "a", out, clock)) == texts(second)


def test_a_packed_copy_is_the_same_every_time(tmp_path: Path) -> None:
    archived(tmp_path / "a", seen("/", "x" * 5000), seen("/b.png", os.urandom(500), "image/png"))
    for name in ("one", "two"):
        file = tmp_path / f"{name}.zip"
        assert copied(tmp_path / "a", tmp_path / name, form=CopyOptions(zip_file=file)).zip_bytes == file.stat().st_size
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_version_that_cannot_be_listed_is_none(tmp_path: Path) -> None:
    archive, clock = archived(tmp_path / "a", seen("/", "one")), Clock()
    first = made(archive, tmp_path / "out", clock)
    (tmp_path / "out/index.html").unlink()
    (tmp_path / "out/index.html").mkdir()  # nothing can be put in its place
    with pytest.raises(StorageError):
        made(archive, tmp_path / "out", clock)
    assert list_versions(tmp_path / "out") == [first.name]
    assert (tmp_path / "out/latest").resolve() == first.resolve()


def test_a_first_version_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyError), place_version(tmp_path / "out", Moment.parse("2024-03-01")):
        raise KeyError
    assert not (tmp_path / "out").exists()
