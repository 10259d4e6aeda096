"""`webkeep stamp` and `webkeep verify FILE`, as people call them."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench.evidence_package import Sealer, build_package
from bench.time_authority import Lie, serve_authority

from webkeep.cli.main import main
from webkeep.evidence.sealing import write_sums
from webkeep.model import Moment


@pytest.fixture(scope="module")
def sealer(tmp_path_factory: pytest.TempPathFactory) -> Sealer:
    return Sealer.create(tmp_path_factory.mktemp("sealer"))


@pytest.fixture(scope="module")
def signed(sealer: Sealer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = build_package(tmp_path_factory.mktemp("signed") / "evidence.wacz", sealer)
    sealer.sign(path)
    return path


@pytest.fixture
def package(signed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(signed, tmp_path / "evidence.wacz"))


def call(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any], str]:
    """The exit code, the summary as JSON, and all that was said."""
    capsys.readouterr()
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    lines = [line for line in said.out.splitlines() if line.startswith("{")]
    return code, json.loads(lines[-1]) if lines else {}, said.out + said.err


def test_a_package_is_stamped_and_verified(
    sealer: Sealer, package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "key.pem").write_text(sealer.key.public.pem)
    words = ("verify", package, "--key", tmp_path / "key.pem", "--tsa-ca", sealer.authority.root_path)
    code, told, said = call(capsys, *words)
    assert (code, told) == (0, {})
    lines = said.splitlines()
    assert lines[0].startswith("Whole: every byte is as it was signed")
    assert any(line.startswith("Since when it is there is not proven; whoever made it says") for line in lines)
    assert lines[-1] == "no check failed"
    assert call(capsys, *words, "--stamped")[0] == 1
    with serve_authority(sealer.authority) as first, serve_authority(sealer.authority) as second:
        code, told, _ = call(capsys, "stamp", tmp_path, "--tsa", first, "--tsa", second, "--tsa-ca",
                             sealer.authority.root_path, "--json")  # fmt: skip
    assert code == 0
    assert [each["authority"] for each in told["stamps"]] == ["stamps.test", "stamps.test"]
    assert told["gap_seconds"] >= 0
    code, told, _ = call(capsys, *words, "--stamped", "--json")
    assert code == 0
    assert (told["sound"], told["signature"]["expected"], len(told["stamps"])) == (True, True, 2)
    first = min(told["stamps"], key=lambda each: str(each["moment"]))
    assert first["accuracy_seconds"] == 1
    assert told["since"] == Moment.parse(first["moment"]).plus(1).iso(), "the clock of the authority may be off"
    code, _, said = call(capsys, "verify", tmp_path, "--key", sealer.key.public.fingerprint)
    assert code == 1
    assert "its authority is not known here; give its certificates by --tsa-ca FILE [stamp-authority]" in said


def test_copies_beside_a_package_follow_it_and_are_held_against_it(
    sealer: Sealer, package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cover.html").write_bytes(b"<h1>What was seen</h1>")
    write_sums(tmp_path)
    trusted = ("--tsa-ca", sealer.authority.root_path)
    with serve_authority(sealer.authority) as address:
        assert call(capsys, "stamp", tmp_path, "--tsa", address, *trusted)[0] == 0
    assert (tmp_path / "stamps" / "001-127-0-0-1.tsr").is_file()
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count(": OK")) == (0, 5)
    assert call(capsys, "verify", tmp_path, *trusted)[0] == 0
    chain = tmp_path / "CHAIN.pem"
    chain.write_bytes(sealer.authority.root_path.read_bytes())
    assert call(capsys, "verify", tmp_path, "--tsa-ca", chain)[0] == 0, "it lies where the cover sheet wants it"
    assert call(capsys, "verify", tmp_path, *trusted)[0] == 1, "of somebody else, for all that is known"
    chain.unlink()
    (tmp_path / "cover.html").write_bytes(b"<h1>What was not</h1>!")
    (tmp_path / "more.html").write_bytes(b"more")
    code, told, _ = call(capsys, "verify", tmp_path, *trusted, "--json")
    assert code == 1
    assert [(each["code"], each["source"]) for each in told["failed"]] == [
        ("folder-copy", "cover.html"),
        ("folder-stray", "more.html"),
        ("folder-copy", "SHA256SUMS"),
    ]
    assert call(capsys, "verify", package, *trusted)[0] == 0


def test_authorities_that_give_nothing_are_told(
    sealer: Sealer, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = package.read_bytes()
    with serve_authority(sealer.authority, Lie.EXPIRED) as lying, serve_authority(sealer.authority) as honest:
        asked = ("stamp", package, "--tsa-ca", sealer.authority.root_path, "--tsa", lying)
        code, _, said = call(capsys, *asked)
        assert code == 3
        assert "gave no time stamp: the authority's certificate does not hold: certificate has expired" in said
        assert "nobody gave a time stamp; the package is as it was" in said
        assert package.read_bytes() == before
        assert call(capsys, *asked, "--tsa", honest)[0] == 1
    assert call(capsys, "stamp", package, "--tsa", "http://127.0.0.1:9/", "--json")[1]["failed"][0]["code"] == (
        "stamp-unreachable"
    )


def test_wrong_calls_are_told_in_a_line(
    sealer: Sealer, package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "no.pem").write_text("no key")
    (tmp_path / "no.txt").write_text("no package")
    for words, expected in (
        (("stamp", package), "no time-stamping authority was named"),
        (("stamp", package, "--tsa", "freetsa"), "is no address of a time-stamping authority"),
        (("stamp", tmp_path / "nowhere", "--tsa", "http://a/"), "there is no package"),
        (("verify", package, "--key", tmp_path / "no.pem"), "holds no public key"),
        (("verify", package, "--key", tmp_path / "nowhere"), "name a file with a public key, or a fingerprint"),
        (("verify", package, "--tsa-ca", tmp_path / "no.pem"), "holds no certificates in PEM"),
        (("verify", tmp_path / "no.txt"), "is no package"),
    ):
        code, _, said = call(capsys, *words)
        assert code == 2, said
        assert expected in said
        assert "Traceback" not in said


def test_an_unsigned_wacz_fails_unless_that_will_do(
    sealer: Sealer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = build_package(tmp_path / "plain.wacz", sealer)
    code, told, _ = call(capsys, "verify", path, "--json")
    assert (code, [each["code"] for each in told["failed"]]) == (1, ["signature-missing"])
    assert call(capsys, "stamp", path, "--tsa", "http://127.0.0.1:9/")[0] == 2
    code, told, _ = call(capsys, "verify", path, "--unsigned", "--json")
    assert (code, told["sound"], told["signature"]) == (0, True, None)
