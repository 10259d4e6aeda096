"""Keys of one's own: made once, for their owner alone; what is wrong with one is told apart."""

import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from webkeep.errors import StorageError, UsageError
from webkeep.signing import KeyPurpose, open_own_key, own_key_path, read_passphrase

MESSAGE = b"sha256:" + b"0" * 64


@pytest.mark.parametrize("purpose", KeyPurpose)
def test_a_key_is_made_on_first_use_and_found_again(purpose: KeyPurpose, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "key.pem"
    made, found = open_own_key(purpose, path), open_own_key(purpose, path)
    assert made.public == found.public
    assert made.public.has_signed(MESSAGE, found.sign(MESSAGE))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_usual_place_is_the_folder_for_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert own_key_path(KeyPurpose.LOG) == tmp_path / "webkeep" / "keys" / "log.pem"
    open_own_key(KeyPurpose.LOG)
    assert len(open_own_key(KeyPurpose.LOG).public.raw) == 32


def test_all_that_begin_at_once_have_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: open_own_key(path=tmp_path / "key.pem").public.der, range(8)))
    assert len(set(keys)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620, 0o602])
def test_a_key_that_others_may_read_or_change_is_refused(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    open_own_key(path=path)
    path.chmod(mode)
    with pytest.raises(UsageError, match=f"mode {mode:o}.*chmod 600"):
        open_own_key(path=path)


def test_a_wrong_passphrase_is_told_apart_from_damage(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    public = open_own_key(path=path, passphrase="right").public
    assert open_own_key(path=path, passphrase="right").public == public
    with pytest.raises(UsageError, match=r"passphrase of the key .* is wrong; the key itself is whole"):
        open_own_key(path=path, passphrase="wrong")
    with pytest.raises(UsageError, match=re.escape("is encrypted; give its passphrase by --passphrase-file")):
        open_own_key(path=path)
    whole = path.read_bytes()
    for place in (whole.index(b"-----BEGIN") + 60, len(whole) - 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(StorageError, match="is damaged"):
            open_own_key(path=path, passphrase="right")
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StorageError, match="is damaged"):
        open_own_key(path=path, passphrase="right")


def test_a_key_that_needs_no_passphrase_takes_any(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    assert open_own_key(path=path).public == open_own_key(path=path, passphrase="not needed").public


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_is_told_in_a_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StorageError, match="holds no key"):
        open_own_key(path=path)


def test_keys_that_sign_nothing_here_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    key = dsa.generate_private_key(2048)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    with pytest.raises(UsageError, match="of a kind that signs nothing here"):
        open_own_key(path=path)


def test_the_form_of_browsers_is_as_long_as_two_numbers(tmp_path: Path) -> None:
    key = open_own_key(path=tmp_path / "key.pem")
    for _ in range(50):
        signature = key.public.usual_signature(key.sign(MESSAGE), is_side_by_side=True)
        assert len(signature) == 96
        assert int.from_bytes(signature[48:], "big") <= ec.SECP384R1().group_order // 2, "the smaller of the two"
        assert key.public.usual_signature(signature, is_side_by_side=True) == signature
        assert key.public.has_signed(MESSAGE, signature)
        assert not key.public.has_signed(MESSAGE + b"1", signature)


def test_a_passphrase_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBKEEP_PASSPHRASE", raising=False)
    assert read_passphrase(None) is None
    monkeypatch.setenv("WEBKEEP_PASSPHRASE", "in the air")
    assert read_passphrase(None) == "in the air"
    path = tmp_path / "passphrase"
    path.write_text("first line\r\nsecond\n")
    assert read_passphrase(path) == "first line"
    for content in (b"\n", b"", b"\xff\xfe\n"):
        path.write_bytes(content)
        with pytest.raises(UsageError, match="first line is the passphrase"):
            read_passphrase(path)
    with pytest.raises(UsageError, match="check its name"):
        read_passphrase(tmp_path / "nowhere")
