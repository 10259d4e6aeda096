"""Parts of an archive handed on signed and dated: what `webkeep verify` says of them, and what is told beforehand."""

import json
import zipfile
from pathlib import Path

import pytest
from bench.evidence_package import Parts, Sealer
from bench.time_authority import serve_authority
from logged_archives import store
from warc_material import webkeep

import webkeep as library
from webkeep.formats.transparency import parse_checkpoint

URL = "http://example.org/7"


@pytest.fixture(scope="module")
def sealer(tmp_path_factory: pytest.TempPathFactory) -> Sealer:
    return Sealer.create(tmp_path_factory.mktemp("sealer"))


@pytest.fixture
def logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    store(tmp_path / "a", *map(str, range(20)))
    return tmp_path / "a"


def test_a_part_is_signed_and_dated_and_its_records_are_in_the_log(
    logged: Path, sealer: Sealer, tmp_path: Path
) -> None:
    trusted = ("--tsa-ca", sealer.authority.root_path)
    with serve_authority(sealer.authority) as address:
        done = webkeep("export", logged, "--wacz", tmp_path / "part.wacz", "--url", URL, "--sign", "--sign-key",
                       tmp_path / "key.pem", "--tsa", address, *trusted)  # fmt: skip
    assert done.code == 0
    assert len(done.summary["stamps"]) == 1
    told = webkeep("verify", tmp_path / "part.wacz", "--key", done.summary["key"], *trusted, "--stamped")
    assert told.code == 0
    assert told.summary["signature"]["expected"] is True
    with zipfile.ZipFile(tmp_path / "part.wacz") as packed:
        checkpoint, _ = parse_checkpoint(packed.read("log/checkpoint"))
    log = told.summary["log"]
    assert (log["origin"], log["size"], log["included"], log["signed"]) == (
        checkpoint.origin, checkpoint.size, 3, True,
    )  # fmt: skip
    left = told.summary["records"] - 3
    assert any(
        said.startswith(f"{left} of its records are in no proof of that log") for said in told.summary["missing"]
    )


def test_a_whole_archive_is_signed_with_its_log(logged: Path, tmp_path: Path) -> None:
    done = library.export(logged, wacz=tmp_path / "all.wacz", sign=True)
    verdict = library.verify_package(tmp_path / "all.wacz").verdict
    assert verdict.is_sound
    assert verdict.signature is not None
    assert verdict.signature.fingerprint == done.key
    assert verdict.log is not None
    assert (verdict.log.included, verdict.log.is_signed) == (verdict.log.size, True)


def test_a_checkpoint_that_was_signed_by_nobody_who_is_known_is_told(logged: Path, tmp_path: Path) -> None:
    library.export(logged, wacz=tmp_path / "all.wacz", sign=True)
    parts = Parts.read(tmp_path / "all.wacz")
    text, _, _ = parts.files["log/checkpoint"].partition(b"\n\n")
    changed = parts.put({"log/checkpoint": text + b"\n\n"}).rehash()
    (tmp_path / "other.wacz").write_bytes(changed.build())
    told = webkeep("verify", tmp_path / "other.wacz")
    assert told.code == 1, "it was signed with the other"
    assert told.summary["log"]["signed"] is False


def test_programs_have_exports_dated_too(logged: Path, sealer: Sealer, tmp_path: Path) -> None:
    target = tmp_path / "all.wacz"
    with serve_authority(sealer.authority) as address:
        done = library.export(logged, wacz=target, sign=True, authorities=[address],
                              stamp_authorities=sealer.authority.root_path)  # fmt: skip
    verdict = library.verify_package(target, stamp_authorities=sealer.authority.root_path).verdict
    assert done.stamps == tuple(each.stamp.moment for each in verdict.stamps)
    assert verdict.since == done.stamps[0].plus(1), "as far off as the authority says that its clock may be"
    assert done.unstamped == ()


def test_a_stamp_that_does_not_come_is_told_and_the_export_is_signed(logged: Path, tmp_path: Path) -> None:
    done = webkeep("export", logged, "--wacz", tmp_path / "part.wacz", "--sign", "--tsa", "http://127.0.0.1:1/")
    assert done.code == 1
    assert done.summary["stamps"] == []
    (said,) = done.summary["unstamped"]
    assert said.startswith("http://127.0.0.1:1/ gave no time stamp")
    assert webkeep("verify", tmp_path / "part.wacz").code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--wacz", "-", "--sign"), "what is signed is a WACZ in a file"),
        (("--warc", "x.warc.gz", "--sign"), "what is signed is a WACZ in a file"),
        (("--wacz", "x.wacz", "--sign-key", "k.pem"), "nothing is to be signed; give --sign too"),
        (("--wacz", "x.wacz", "--tsa", "http://127.0.0.1:1/"), "give --sign too, or leave --tsa out"),
    ],
)
def test_wrong_calls_are_told_before_anything_is_done(
    logged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = webkeep("export", logged, *words)
    assert done.code == 2
    assert says in done.err
    assert not list(tmp_path.glob("x.*"))


def test_a_lost_passphrase_leaves_no_export(logged: Path, tmp_path: Path) -> None:
    words = ("export", logged, "--sign", "--sign-key", tmp_path / "key.pem", "--passphrase-file")
    (tmp_path / "right").write_text("correct horse\n")
    (tmp_path / "wrong").write_text("wrong horse\n")
    assert webkeep(*words, tmp_path / "right", "--wacz", tmp_path / "one.wacz").code == 0
    done = webkeep(*words, tmp_path / "wrong", "--wacz", tmp_path / "two.wacz")
    assert done.code == 2
    assert json.dumps(str(tmp_path / "key.pem"))[1:-1] in done.err
    assert not (tmp_path / "two.wacz").exists()
