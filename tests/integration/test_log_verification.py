"""Whatever is done to an archive behind its log's back is found; whatever webkeep does itself is not."""

import shutil
from pathlib import Path

import pytest
from log_tampering import (
    Tampering,
    edit_file,
    forge_mending,
    forge_takedown,
    log_tamperings,
    record_tamperings,
    remove_caches,
    remove_log,
    warc_files,
)
from logged_archives import SIGNER, Signer, exchange, logged_entries, members, plain_hash, plain_root, store

from webkeep.formats.transparency import Checkpoint, parse_checkpoint
from webkeep.model import Finding
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.log import KeptCheckpoint, LogVerification, make_checkpoint
from webkeep.store.maintenance import rebuild_caches, take_down, verify_archive
from webkeep.store.maintenance.verification import VerificationResult


def kept_of(note: bytes, *keys: Signer) -> KeptCheckpoint:
    checkpoint, signed = parse_checkpoint(note)
    return KeptCheckpoint(checkpoint, signed, tuple(key.raw for key in keys))


def check(path: Path, kept: KeptCheckpoint | None = None) -> tuple[list[str], LogVerification | None]:
    """The codes of what is found about the log, and what is said of it."""
    findings: list[Finding] = []
    with Archive(path) as archive:
        result: VerificationResult = verify_archive(archive, findings.append, kept=kept)
    return [each.code for each in findings if each.code.startswith("log-")], result.log


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """An archive of several files with three captures, and the checkpoint of the second."""
    path = tmp_path_factory.mktemp("log") / "a"
    store(path, "one", "two", rotate_at=3000)
    note = store(path, "three", "four", "two", rotate_at=3000)
    store(path, "five", rotate_at=3000)
    assert len(warc_files(path)) > 1
    return path, note


def tampered(sound: Path, target: Path, tamper: Tampering) -> Path:
    shutil.copytree(sound, target)
    tamper(target)
    return target


def test_a_sound_archive_has_no_findings(sound: tuple[Path, bytes]) -> None:
    path, note = sound
    codes, log = check(path, kept_of(note, SIGNER))
    assert (codes, log is not None) == ([], True)
    assert log is not None
    assert (log.checkpoints, log.taken_down, log.size) == (3, 0, len(logged_entries(path)))
    assert log.records == log.size
    assert log.kept_size is not None
    assert log.since_kept == log.size - log.kept_size > 0
    assert check(path)[0] == check(path, kept_of(note))[0] == []


def test_every_change_of_a_record_is_found_also_when_everything_else_is_made_anew(
    sound: tuple[Path, bytes], tmp_path: Path
) -> None:
    path, note = sound
    log = check(path, kept_of(note))[1]
    assert log is not None
    accepted, number, since = [], 0, log.since_kept
    for number, (name, tamper) in enumerate(record_tamperings(path, parse_checkpoint(note)[0].size)):
        copy = tampered(path, tmp_path / str(number), tamper)
        if number % 3:
            remove_caches(copy)
        if number % 3 == 2:
            remove_log(copy)
        codes, log = check(copy, kept_of(note))
        # What is put in at the end of a file, with a log made anew, stands behind the checkpoint, and is counted there.
        if not codes and (log is None or log.since_kept == since):
            accepted.append(name)
        shutil.rmtree(copy)
    assert number > 60
    assert "; ".join(accepted) == ""


def test_every_change_of_the_log_is_found(sound: tuple[Path, bytes], tmp_path: Path) -> None:
    path, note = sound
    copy = tampered(path, tmp_path / "copy", lambda _: None)
    accepted, number = [], 0
    for number, (name, tamper) in enumerate(log_tamperings(path)):  # noqa: B007
        tamper(copy)
        if not check(copy, kept_of(note))[0]:
            accepted.append(name)
    assert number > 60
    assert "; ".join(accepted) == ""


def rewrite_past(path: Path, tamper: Tampering) -> None:
    """Tamper with the records and have a log that knows nothing else, with checkpoints of its own."""
    tamper(path)
    for file in warc_files(path):
        kept = [each for each in members(file) if b"urn:webkeep:log:" not in each]
        edit_file(warc_files(path).index(file), lambda _, kept=kept: kept)(path)
    remove_log(path)
    remove_caches(path)
    with WritableArchive(path) as archive:
        make_checkpoint(archive, Signer(2))


def test_a_past_that_is_written_anew_as_a_whole_is_another_log(sound: tuple[Path, bytes], tmp_path: Path) -> None:
    path, note = sound
    copy = tampered(path, tmp_path / "copy", lambda _: None)
    rewrite_past(copy, edit_file(0, lambda all_: [*all_[:2], *all_[3:]]))
    assert check(copy)[0] == []  # nothing within it is wrong: that is why checkpoints are kept elsewhere
    assert check(copy, kept_of(note))[0] == ["log-forked"]


def test_a_log_that_is_rolled_back_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a"
    store(path, "one")
    shutil.copytree(path, tmp_path / "before")
    note = store(path, "two")
    assert check(tmp_path / "before")[0] == []
    assert check(tmp_path / "before", kept_of(note))[0] == ["log-rolled-back"]


def test_a_log_that_forks_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a"
    store(path, "one")
    shutil.copytree(path, tmp_path / "b")
    note = store(path, "two")
    store(tmp_path / "b", "three", "four")
    assert check(path, kept_of(note))[0] == []
    assert check(tmp_path / "b", kept_of(note))[0] == ["log-forked"]


def test_a_checkpoint_of_another_log_of_another_key_or_without_a_log_is_told(tmp_path: Path) -> None:
    note = store(tmp_path / "a", "one")
    store(tmp_path / "b", "one")
    assert check(tmp_path / "b", kept_of(note))[0] == ["log-absent"]
    assert check(tmp_path / "a", kept_of(note, Signer(2)))[0] == ["log-signature-wrong"]
    with WritableArchive.create(tmp_path / "c") as archive:
        archive.append(exchange("one"))
    assert check(tmp_path / "c", kept_of(note))[0] == ["log-absent"]


def test_a_key_that_signed_nothing_here_vouches_for_nothing(sound: tuple[Path, bytes], tmp_path: Path) -> None:
    path, _ = sound
    codes, log = check(path, KeptCheckpoint(keys=(SIGNER.raw,)))
    assert codes == []
    assert log is not None
    assert 0 < log.signed_size < log.size
    copy = tampered(path, tmp_path / "copy", lambda _: None)
    rewrite_past(copy, edit_file(0, lambda all_: [*all_[:2], *all_[3:]]))
    assert check(copy, KeptCheckpoint(keys=(SIGNER.raw,)))[0] == ["log-signature-wrong"]


def test_a_checkpoint_that_was_forged_is_not_believed(tmp_path: Path) -> None:
    note = store(tmp_path / "a", "one")
    found, signed = parse_checkpoint(note)
    entries = logged_entries(tmp_path / "a")
    forged = Checkpoint(found.origin, found.size + 1, plain_root(entries[: found.size + 1]))
    moved = type(signed)(forged.text, signed.signatures)
    assert check(tmp_path / "a", KeptCheckpoint(forged, moved, (SIGNER.raw,)))[0] == ["log-signature-wrong"] * 2


# Takedowns


def remove(path: Path, name: str, signer: Signer | None = SIGNER) -> None:
    with WritableArchive(path) as archive:
        take_down(archive, Selection(url=f"http://example.org/{name}"), "a court said so", lambda _: None)
    if signer is not None:
        with WritableArchive(path) as archive:
            make_checkpoint(archive, signer)


def test_takedowns_are_entries_of_the_log_and_no_findings(tmp_path: Path) -> None:
    path = tmp_path / "a"
    note = store(path, "one", "two", "three", rotate_at=3000)
    with WritableArchive(path) as archive, archive.begin("test") as capture:
        capture.submit(exchange("revisit", b"one" * 50))
    before = logged_entries(path)
    remove(path, "one")
    entries = logged_entries(path)
    assert entries[: len(before)] == before
    codes, log = check(path, kept_of(note))
    assert codes == []
    assert log is not None
    assert (log.taken_down, log.mended) == (2, 1)
    for lost in (remove_log, remove_caches):
        lost(path)
        assert check(path, kept_of(note, SIGNER))[0] == []
    listed = make_listed(path)
    assert set(entries) <= set(listed)
    remove(path, "revisit")
    codes, log = check(path, kept_of(note))
    assert codes == []
    assert log is not None
    assert (log.taken_down, log.mended) == (4, 0)


def make_listed(path: Path) -> list[bytes]:
    with WritableArchive(path) as archive:
        make_checkpoint(archive, SIGNER)
    return logged_entries(path)


def test_a_takedown_that_was_cut_short_is_carried_out_in_the_log_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    note = store(path, "one", "two")

    def crash(_: object, __: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("webkeep.store.maintenance.takedown._update_caches", crash)
        with pytest.raises(KeyboardInterrupt):
            remove(path, "one", None)
    make_listed(path)
    codes, log = check(path, kept_of(note))
    assert codes == []
    assert log is not None
    assert log.taken_down == 2


def test_a_takedown_without_the_key_is_told_until_it_is_signed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    note = store(path, "one", "two")
    remove(path, "one", None)
    assert check(path, kept_of(note))[0] == ["log-takedown-unsigned", "log-record-missing", "log-record-missing"]
    make_listed(path)
    assert check(path, kept_of(note))[0] == []


def test_forged_takedowns_are_found(sound: tuple[Path, bytes], tmp_path: Path) -> None:
    path, note = sound
    origin = parse_checkpoint(note)[0].origin
    records = members(warc_files(path)[0])
    for at, record in enumerate(records):
        entry = plain_hash(record)
        for number, tamper in enumerate(
            [forge_takedown(origin, entry, 0, at), forge_mending(origin, entry, 0, at, plain_hash)]
        ):
            copy = tampered(path, tmp_path / f"{at}-{number}", tamper)
            assert "log-takedown-unsigned" in check(copy, kept_of(note))[0]
            with WritableArchive(copy) as archive:
                make_checkpoint(archive, Signer(2))
            assert "log-takedown-unsigned" in check(copy, kept_of(note))[0]
            assert "log-takedown-unsigned" in check(copy, kept_of(note, SIGNER))[0]


def test_a_takedown_that_is_not_in_the_log_is_none(sound: tuple[Path, bytes], tmp_path: Path) -> None:
    path, note = sound
    origin = parse_checkpoint(note)[0].origin
    entry = plain_hash(members(warc_files(path)[0])[3])
    copy = tampered(path, tmp_path / "copy", forge_takedown(origin, entry, 0, 3))
    state = (path / "log/state.json").read_bytes()
    rebuild_caches(copy)
    (copy / "log/state.json").write_bytes(state)
    codes, _ = check(copy, kept_of(note))
    assert codes
