"""Recordings that last as long as a file is touched, as those of patches do."""

import asyncio
import os
from pathlib import Path

import pytest

from webkeep.api.recording.recording_run import wait_until_left
from webkeep.cli.main import main
from webkeep.service.browsing.recording_way import RecordingOutput


def test_a_file_that_is_gone_or_was_left_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "viewer"

    async def follow() -> None:
        assert await wait_until_left(path, 0.01, 60), "it is not there"
        path.touch()
        assert await wait_until_left(path, 0.01, 0.05), "nobody touches it"
        lasting = asyncio.create_task(wait_until_left(path, 0.01, 60))
        for second in range(5):
            os.utime(path, (second, second))  # the clock may be anything
            await asyncio.sleep(0)
        assert not lasting.done()
        path.unlink()
        assert await lasting

    asyncio.run(follow())


def test_a_recording_ends_with_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["record", "--into", str(tmp_path / "kept"), "--port", "0", "--authority", str(tmp_path / "authority")]
    assert main([*words, "--while", str(tmp_path / "none"), "--json"]) == 0
    (tmp_path / "output").write_text(capsys.readouterr().out)
    output = RecordingOutput(tmp_path / "output")
    output.look()
    assert output.address.startswith("127.0.0.1:")
    assert output.describe() == "recorded 0 responses"


@pytest.mark.parametrize("host", ["", "example.org", "example.org:", "example.org:x", "example.org:99999", "a b:80"])
def test_a_private_host_has_a_port(tmp_path: Path, host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "--into", str(tmp_path / "kept"), f"--private-host={host}"]) == 2
    assert "write --private-host intranet.example:443" in capsys.readouterr().err


def test_what_a_recording_says_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "output"
    output = RecordingOutput(path)
    output.look()
    assert (output.address, output.describe()) == ("", "recorded 0 responses")
    first = '{"event": "recording", "proxy": "http://127.0.0.1:8123"}\n{"event": "stored", "bytes": 2048}\n{"ev'
    path.write_text(first)
    output.look()
    assert output.address == "127.0.0.1:8123"
    assert output.describe().startswith("recorded 1 response, 2")
    path.write_text(f'{first}ent": "failed", "bytes": null}}\nno json\n[1]\n{{"event": "duplicate", "bytes": 1}}\n')
    output.look()
    assert output.describe().startswith("recorded 2 responses") and output.describe().endswith("1 failed")
