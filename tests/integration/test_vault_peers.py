"""What the vault writes is read by other programs, and what they write by the vault; and the guide does as it says."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from webkeep.vault.container import SealingKey, UnsealingKeys, decrypt, parse_recipient, read_identities, seal
from webkeep.vault.container.age_keys import new_identity

GUIDE = Path(__file__).parents[2] / "docs/guide/vault.md"


@pytest.fixture
def identity(tmp_path: Path) -> tuple[Path, str]:
    secret, public = new_identity()
    (tmp_path / "identity").write_text(f"# public key: {public}\n{secret}\n")
    return tmp_path / "identity", public


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 200_000])
def test_age_opens_what_is_sealed(tmp_path: Path, identity: tuple[Path, str], size: int) -> None:
    path, public = identity
    data = random.Random(size).randbytes(size)
    key = SealingKey.for_recipients([parse_recipient(public)])
    (tmp_path / "sealed.age").write_bytes(b"".join(key.encrypt([data])))
    opened = subprocess.run(["age", "-d", "-i", path, tmp_path / "sealed.age"], capture_output=True, check=True).stdout
    assert opened == data


def test_what_age_sealed_is_opened(identity: tuple[Path, str]) -> None:
    path, public = identity
    data = random.Random(1).randbytes(100_000)
    sealed = subprocess.run(["age", "-r", public], input=data, capture_output=True, check=True).stdout
    assert b"".join(decrypt([sealed], UnsealingKeys(None, tuple(read_identities(path))))) == data


def test_a_key_that_age_made_is_taken(tmp_path: Path) -> None:
    said = subprocess.run(["age-keygen", "-o", tmp_path / "key"], capture_output=True, check=True, text=True).stderr
    public = said.rpartition(" ")[2].strip()
    key = SealingKey.for_recipients([parse_recipient(public)])
    with (tmp_path / "sealed").open("w+b") as target:
        seal([b"text"], target, key)
    sealed = (tmp_path / "sealed").read_bytes()
    assert b"".join(decrypt([sealed], UnsealingKeys(None, tuple(read_identities(tmp_path / "key")))))


def test_the_example_of_the_guide_can_be_followed(tmp_path: Path) -> None:
    script = "\n".join(re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.DOTALL))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-euc", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("print('hello')\n")
    assert "everything is back" in done.stderr
