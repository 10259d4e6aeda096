"""`webkeep log` and what captures, imports and takedowns do for the log, by the command."""

import subprocess
from pathlib import Path

import pytest
from bench.time_authority import Lie, TimeAuthority, serve_authority
from small_site import SmallSite, linking
from warc_material import webkeep

from webkeep.formats.transparency import parse_checkpoint, parse_entry_bundle, parse_note_key, parse_proof_set

SITE = "http://example.org/"


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keys of one's own are kept in a folder of the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config/webkeep/keys"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<a href=b.html>b</a>")
    (site / "b.html").write_text("<p>b")
    assert webkeep("import", site, "--base-url", SITE, "--into", tmp_path / "a", "--log").code == 0
    return tmp_path / "a"


def summary(*words: object) -> tuple[int, dict[str, object]]:
    done = webkeep(*words)
    return done.code, done.summary


def test_an_import_ends_with_a_checkpoint_signed_by_ones_own_key(archive: Path, keys: Path) -> None:
    code, shown = summary("log", "show", archive)
    assert code == 0
    checkpoint, note = parse_checkpoint(str(shown["checkpoint"]).encode())
    assert note.signers_among([parse_note_key(str(shown["key"]))])
    assert (checkpoint.size, shown["checkpoints"]) == (shown["checkpoint_size"], 1)
    assert (keys / "log.pem").stat().st_mode & 0o777 == 0o600


def test_verify_takes_a_checkpoint_and_a_key(archive: Path, tmp_path: Path) -> None:
    kept = tmp_path / "checkpoint.txt"
    assert summary("log", "checkpoint", archive, "--out", kept)[0] == 0
    _, shown = summary("log", "show", archive)
    code, said = summary("verify", archive, "--checkpoint", kept, "--log-key", shown["key"])
    assert (code, said["findings"]) == (0, 0)
    log = said["log"]
    assert isinstance(log, dict)
    assert (log["kept_size"], log["size"]) == (shown["checkpoint_size"], shown["size"])
    kept.write_bytes(kept.read_bytes().replace(b"\n4\n", b"\n3\n", 1))
    code, said = summary("verify", archive, "--checkpoint", kept, "--log-key", shown["key"])
    assert code == 1
    assert set(said["codes"]) == {"log-forked", "log-signature-wrong"}  # type: ignore[call-overload]


def test_a_takedown_is_signed_for(archive: Path, tmp_path: Path) -> None:
    kept = tmp_path / "checkpoint.txt"
    summary("log", "checkpoint", archive, "--out", kept)
    assert summary("remove", archive, "--url", f"{SITE}b.html", "--yes")[0] == 0
    code, said = summary("verify", archive, "--checkpoint", kept)
    assert code == 0
    assert said["log"]["taken_down"] == 1  # type: ignore[index]


def test_proofs_and_tiles_are_written(archive: Path, tmp_path: Path) -> None:
    code, said = summary("log", "prove", archive, f"{SITE}b.html", "--out", tmp_path / "proofs.json")
    assert (code, said["proven"]) == (0, 1)
    proofs = parse_proof_set((tmp_path / "proofs.json").read_bytes())
    assert summary("log", "publish", archive, tmp_path / "published")[1]["tiles"] == 2
    checkpoint, _ = parse_checkpoint((tmp_path / "published/checkpoint").read_bytes())
    assert proofs.list_unproven(proofs.proofs, checkpoint) == []
    entries = parse_entry_bundle((tmp_path / f"published/tile/entries/000.p/{checkpoint.size}").read_bytes())
    assert set(proofs.proofs) <= set(entries)
    assert summary("log", "publish", archive, tmp_path / "published")[1]["tiles"] == 0


def test_a_locked_key_leaves_the_checkpoint_unsigned_and_says_so(
    tmp_path: Path, archive: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (keys / "log.pem").unlink()
    monkeypatch.setenv("WEBKEEP_PASSPHRASE", "a secret")
    assert webkeep("log", "checkpoint", archive).code == 0
    monkeypatch.delenv("WEBKEEP_PASSPHRASE")
    (tmp_path / "site/c.html").write_text("<p>c")
    done = webkeep("import", tmp_path / "site", "--base-url", SITE, "--into", archive, as_json=False)
    assert done.code == 0
    assert "is not signed" in done.err
    assert webkeep("log", "checkpoint", archive, as_json=False).code == 2
    (tmp_path / "passphrase").write_text("a secret\n")
    assert webkeep("log", "checkpoint", archive, "--passphrase-file", tmp_path / "passphrase").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["log", "show"], "keeps no log"),
        (["log", "checkpoint"], "keeps no log"),
        (["verify", "--log-key", "nonsense"], "no key"),
        (["verify", "--checkpoint", "nowhere"], "cannot be read"),
        (["verify", "--checkpoint", "setup.txt"], "no checkpoint"),
        (["log", "begin", "--origin", "with blank"], "cannot name a log"),
    ],
)
def test_what_cannot_be_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("setup.txt").write_text("nothing")
    Path("site").mkdir()
    Path("site/index.html").write_text("x")
    webkeep("import", "site", "--base-url", SITE, "--into", "a")
    done = webkeep(*words, "a", as_json=False)
    assert done.code == 2
    assert told in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_log_is_begun_once_also_where_there_is_no_archive_yet(tmp_path: Path) -> None:
    code, begun = summary("log", "begin", tmp_path / "n", "--origin", "example.org/log")
    assert (code, begun["origin"], begun["size"]) == (0, "example.org/log", 0)
    assert summary("log", "begin", tmp_path / "n")[1]["origin"] == "example.org/log"
    assert webkeep("log", "begin", tmp_path / "n", "--origin", "another", as_json=False).code == 2


def test_captures_with_and_without_an_option_keep_the_log(tmp_path: Path) -> None:
    with SmallSite({"/": linking("/a", "/b"), "/a": linking(), "/b": linking()}) as site:
        words = ("capture", f"http://127.0.0.1:{site.port}/", "--into", tmp_path / "c", "--delay", "0")
        assert webkeep(*words, "--log").code == 0
        first = summary("log", "show", tmp_path / "c")[1]
        assert webkeep(*words, "--new").code == 0
    second = summary("log", "show", tmp_path / "c")[1]
    assert (first["checkpoints"], second["checkpoints"]) == (1, 2)
    assert int(str(second["size"])) > int(str(first["size"])) > 6
    assert summary("verify", tmp_path / "c")[1]["findings"] == 0


def test_a_checkpoint_is_dated_by_authorities_and_openssl_agrees(archive: Path, tmp_path: Path) -> None:
    authority = TimeAuthority(tmp_path / "tsa")
    with serve_authority(authority) as honest, serve_authority(authority, Lie.FUTURE) as lying:
        code, said = summary(
            "log", "stamp", archive, "--into", tmp_path / "dated", "--tsa", honest, "--tsa", lying,
            "--tsa-ca", authority.root_path,
        )  # fmt: skip
    assert code == 1
    ((name, _),) = said["stamps"].items()  # type: ignore[attr-defined]
    assert list(said["failed"]) == [lying]  # type: ignore[call-overload]
    dated = tmp_path / "dated"
    assert (dated / "checkpoint.txt").read_bytes() == (archive / "log/checkpoint").read_bytes()
    checked = subprocess.run(
        ["openssl", "ts", "-verify", "-data", dated / "checkpoint.txt", "-in", dated / name,
         "-CAfile", authority.root_path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Verification: OK" in checked.stdout + checked.stderr
