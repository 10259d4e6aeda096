"""What a command says when not even that can be written, as on a disk that is full."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_failure_keeps_its_exit_code_where_nothing_can_be_written(tmp_path: Path, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "webkeep", "verify", str(tmp_path / "nothing"), *options]
    expected = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    with Path("/dev/full").open("w") as full:
        half = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        none = subprocess.run(command, stdout=full, stderr=full, check=False)
    assert (half.returncode, half.stderr) == (expected.returncode, expected.stderr)
    assert none.returncode == expected.returncode
