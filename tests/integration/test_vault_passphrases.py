"""Passphrases typed at a terminal: by whoever opens a seal with age, and by whoever protects a vault again."""

import os
import pty
import sys
from pathlib import Path

from vault_site import write_application, write_site

from webkeep.vault.container import SealingKey, UnsealingKeys, decrypt


def type_at_terminal(command: list[str | Path], *lines: str) -> tuple[int, str]:
    """What a program at a terminal came to where each of its questions is answered by a line."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], [str(word) for word in command])
    left, said, asked = list(lines), "", ""
    while True:
        try:
            piece = os.read(terminal, 4096).decode()
        except OSError:  # which is how a terminal says that the program ended
            break
        if not piece:
            break
        said, asked = said + piece, asked + piece
        if left and asked.rstrip("\x1b[0123456789;mK").endswith((": ", ":")):
            os.write(terminal, left.pop(0).encode() + b"\n")
            asked = ""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), said


def test_age_opens_by_the_passphrase(tmp_path: Path) -> None:
    sealed, opened = tmp_path / "sealed.age", tmp_path / "opened"
    sealed.write_bytes(b"".join(SealingKey.from_passphrase("correct horse", 10).encrypt([b"text" * 50_000])))
    code, said = type_at_terminal(["age", "-d", "-o", opened, sealed], "correct horse")
    assert code == 0, said
    assert opened.read_bytes() == b"text" * 50_000


def test_what_age_sealed_by_a_passphrase_is_opened(tmp_path: Path) -> None:
    plain, sealed = tmp_path / "plain", tmp_path / "sealed.age"
    plain.write_bytes(b"text" * 50_000)
    code, said = type_at_terminal(["age", "-p", "-o", sealed, plain], "correct horse", "correct horse")
    assert code == 0, said
    assert b"".join(decrypt([sealed.read_bytes()], UnsealingKeys("correct horse"))) == b"text" * 50_000


def test_a_passphrase_that_is_mistyped_later_seals_nothing(tmp_path: Path) -> None:
    write_site(tmp_path / "site", 4)
    write_application(tmp_path / "app", 100)
    command = [
        Path(sys.executable).parent / "webkeep", "vault", "protect", tmp_path / "vault",
        "--component", tmp_path / "app", "--tree", tmp_path / "site",
    ]  # fmt: skip
    code, said = type_at_terminal(command, "correct horse", "correct horse")
    assert code == 0, said
    state = (tmp_path / "vault/vault.json").read_bytes()
    code, said = type_at_terminal(command, "correct hrose", "correct horse")
    assert code == 2, said
    assert "nothing was done" in said
    assert (tmp_path / "vault/vault.json").read_bytes() == state
    assert type_at_terminal(command, "correct horse")[0] == 0
    assert (tmp_path / "vault/vault.json").read_bytes() == state
