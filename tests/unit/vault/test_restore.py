import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from webkeep.errors import FormatError
from webkeep.vault.recovery.restore import restore_container


def tar_of(*members: tuple[str, dict[str, object]], content: bytes = b"text") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, facts in members:
            info = tarfile.TarInfo(name)
            for key, value in facts.items():
                setattr(info, key, value)
            info.size = len(content) if info.type == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(content) if info.size else None)
    return packed.getvalue()


LINK, HARD, DEVICE, PIPE = (
    {"type": kind} for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)
)


@pytest.mark.parametrize(
    "member",
    [
        ("../outside", {}),
        ("/tmp/outside", {}),
        ("app/../../outside", {}),
        ("app//outside", {}),
        ("app/./outside", {}),
        ("n" * 300, {}),
        ("app/device", DEVICE),
        ("app/pipe", PIPE),
        ("app/hard", {**HARD, "linkname": "/etc/passwd"}),
        ("app/link", {**LINK, "linkname": "/etc/passwd"}),
        ("app/link", {**LINK, "linkname": "../../etc/passwd"}),
        ("app/link", {**LINK, "linkname": "a/../../../x"}),
        ("../link", {**LINK, "linkname": "app"}),
        ("app/link", {**LINK, "linkname": "a/" * 3000}),
    ],
    ids=lambda member: f"{member[0][:20]}-{member[1].get('linkname', '')}",
)
def test_what_leads_out_or_is_no_file_is_told_and_left(tmp_path: Path, member: tuple[str, dict[str, object]]) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    restored = restore_container([tar_of(member, ("app/good", {}))], inside, "app")
    assert [each.code for each in restored.findings] == ["vault-not-restored"]
    assert restored.files == 1
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "inside",
        "inside/app",
        "inside/app/good",
    ]


@pytest.mark.parametrize("facts", [{}, {"type": tarfile.DIRTYPE, "mode": 0o755}, {**LINK, "linkname": "x"}])
def test_a_path_longer_than_any_is_told_and_all_else_comes_back(tmp_path: Path, facts: dict[str, object]) -> None:
    restored = restore_container(
        [tar_of(("/".join(["app", *["n" * 250] * 20]), facts), ("app/good", {}))], tmp_path, "app"
    )
    assert [each.code for each in restored.findings] == ["vault-not-restored"]
    assert "File name too long" in restored.findings[0].message
    assert restored.files == 1
    assert (tmp_path / "app/good").read_bytes() == b"text"


def test_nothing_is_written_through_a_link_of_the_container(tmp_path: Path) -> None:
    target = tmp_path / "inside"
    (target / "app").mkdir(parents=True)
    real, way = ("app/real", {"type": tarfile.DIRTYPE, "mode": 0o755}), ("app/way", {**LINK, "linkname": "real"})
    container = tar_of(real, way, ("app/way/file", {}))
    restored = restore_container([container], target, "app")
    assert (target / "app/way/file").read_bytes() == b"text"
    assert not (target / "app/way").is_symlink()
    assert [each.message for each in restored.findings] == ["something is there already"]


def test_nobody_becomes_somebody_else_by_a_restored_file(tmp_path: Path) -> None:
    restore_container([tar_of(("app", {"mode": 0o6755}))], tmp_path, "app")
    assert (tmp_path / "app").stat().st_mode & 0o7777 == 0o755


def test_a_file_twice_is_restored_once(tmp_path: Path) -> None:
    restored = restore_container([tar_of(("app", {}), ("app", {}))], tmp_path, "app")
    assert (restored.files, len(restored.findings)) == (1, 1)


def test_a_time_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    container = tar_of(("app", {"pax_headers": {"mtime": "999999999999.5"}}))
    restored = restore_container([container], tmp_path, "app")
    assert restored.files == 1
    assert os.path.exists(tmp_path / "app")


def cut(container: bytes) -> bytes:
    return container[:700]


def flip(container: bytes) -> bytes:
    return b"x" + container[1:]


def claim_much(container: bytes) -> bytes:
    info = tarfile.TarInfo("app")
    info.size = 8**11 - 1
    return info.tobuf() + container


def long_head(container: bytes) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    return info.tobuf() + container


def bad_pax(container: bytes) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 512
    return info.tobuf() + b"99 nothing".ljust(512, b"\0") + container


@pytest.mark.parametrize("damage", [cut, flip, claim_much, long_head, bad_pax])
def test_a_damaged_container_is_said_to_be_one(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(FormatError, match="container"):
        restore_container([damage(tar_of(("app", {})))], tmp_path, "app")


CHAINS = {
    "a link below a link": (("app/a/b/up", "../.."), ("app/a/b/up/x", "../../..")),
    "made through a link": (("app/a/b/up", "../.."), ("app/a/b/up/x", "../../.."), ("app/a/b/up/x/made/y", "z")),
    "a target by way of a link": (("app/a/b/up", "../.."), ("app/y", "a/b/up/../..")),
}


@pytest.mark.parametrize("links", CHAINS.values(), ids=CHAINS.keys())
def test_links_do_not_lead_out_by_way_of_each_other(tmp_path: Path, links: tuple[tuple[str, str], ...]) -> None:
    inside = tmp_path / "one" / "two" / "inside"
    inside.mkdir(parents=True)
    members = [(path, {**LINK, "linkname": target}) for path, target in links]
    restored = restore_container([tar_of(*members)], inside, "app")
    assert (restored.files, len(restored.findings)) == (1, len(links) - 1)
    assert sorted(str(path.relative_to(inside)) for path in inside.rglob("*")) == [
        "app",
        "app/a",
        "app/a/b",
        "app/a/b/up",
    ]
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["two"]


def test_links_to_links_and_to_nothing_come_back(tmp_path: Path) -> None:
    links = (("app/one", "two"), ("app/two", "file"), ("app/gone", "nowhere"), ("app/round", "round"), ("app/top", "."))
    members = [(path, {**LINK, "linkname": target}) for path, target in links]
    restored = restore_container([tar_of(("app/file", {}), *members)], tmp_path, "app")
    assert (restored.files, restored.findings) == (6, ())
    assert (tmp_path / "app/one").read_bytes() == b"text"
