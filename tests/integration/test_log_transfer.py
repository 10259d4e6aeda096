"""Exports and imports carry the log along: all of it with all records, proofs with a few of them."""

import zipfile
from pathlib import Path

import pytest
from log_tampering import edit_file, warc_files
from logged_archives import SIGNER, record_hashes, store
from warc_material import webkeep

from webkeep.formats.transparency import parse_checkpoint
from webkeep.model import Finding
from webkeep.store.archive import Archive
from webkeep.store.log import KeptCheckpoint, LogVerification
from webkeep.store.maintenance import verify_archive


def check(path: Path, note: bytes | None = None) -> tuple[list[str], list[LogVerification]]:
    findings: list[Finding] = []
    kept = KeptCheckpoint(*parse_checkpoint(note), (SIGNER.raw,)) if note else None
    with Archive(path) as archive:
        result = verify_archive(archive, findings.append, kept=kept)
    return [each.code for each in findings], result.carried_logs


@pytest.fixture
def logged(tmp_path: Path) -> tuple[Path, bytes]:
    store(tmp_path / "a", *map(str, range(20)), rotate_at=6000)
    return tmp_path / "a", store(tmp_path / "a", "later", rotate_at=6000)


@pytest.mark.parametrize("form", ["wacz", "warc"])
@pytest.mark.parametrize("own", [True, False])
def test_a_whole_export_brings_the_log_to_another_archive(
    logged: tuple[Path, bytes], tmp_path: Path, form: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path, note = logged
    target = tmp_path / ("all.wacz" if form == "wacz" else "all.warc.gz")
    assert webkeep("export", path, f"--{form}", target).code == 0
    assert webkeep("import", target, "--into", tmp_path / "b", *(["--log"] if own else [])).code == 0
    codes, carried = check(tmp_path / "b", note)
    assert codes == []
    (log,) = carried
    size = parse_checkpoint(note)[0].size
    assert (log.size, log.records, log.missing, log.checkpoints) == (size, size, 0, 2)
    edit_file(0, lambda all_: all_[:3] + all_[4:])(tmp_path / "b")
    assert "log-record-missing" in check(tmp_path / "b", note)[0]


@pytest.mark.parametrize("form", ["wacz", "warc"])
def test_a_part_goes_with_proofs(logged: tuple[Path, bytes], tmp_path: Path, form: str) -> None:
    path, note = logged
    target = tmp_path / ("part.wacz" if form == "wacz" else "part.warc.gz")
    assert webkeep("export", path, f"--{form}", target, "--url", "http://example.org/7").code == 0
    assert webkeep("import", target, "--into", tmp_path / "b").code == 0
    codes, carried = check(tmp_path / "b", note)
    assert codes == []
    (log,) = carried
    assert (log.size, log.proven) == (0, 3)  # response, request, and what says that the capture ended
    assert len(set(record_hashes(path)) & set(record_hashes(tmp_path / "b"))) >= 2
    if form == "wacz":
        assert zipfile.ZipFile(target).read("log/checkpoint") == note


def test_proofs_that_were_changed_are_told(logged: tuple[Path, bytes], tmp_path: Path) -> None:
    path, note = logged
    target = tmp_path / "part.warc.gz"
    webkeep("export", path, "--warc", target, "--url", "http://example.org/7")
    webkeep("import", target, "--into", tmp_path / "b")

    def change(records: list[bytes]) -> list[bytes]:
        return [each.replace(b'\\"index\\": 1', b'\\"index\\": 2') for each in records]

    edit_file(0, change)(tmp_path / "b")
    codes, _ = check(tmp_path / "b", note)
    assert "log-proof-wrong" in codes


def test_a_checkpoint_of_a_log_that_came_along_in_part_is_not_held_against_it(
    logged: tuple[Path, bytes], tmp_path: Path
) -> None:
    path, _ = logged
    webkeep("export", path, "--warc", tmp_path / "part.warc.gz", "--url", "http://example.org/7")
    webkeep("import", tmp_path / "part.warc.gz", "--into", tmp_path / "b")
    later = store(path, "much later")
    assert len(warc_files(tmp_path / "b")) == 1
    codes, carried = check(tmp_path / "b", later)
    assert codes == ["log-incomplete"]
    assert carried[0].proven == 0
