"""The programs that work beside the one that was called: what they run, what reaches them, when they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from webkeep.process import start_worker
from webkeep.store.archive import WritableArchive

HIRING = """
import os, signal, sys
from pathlib import Path
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive.writable_archive import WritableArchive

signal.signal(signal.SIGINT, lambda *_: None)
archive = WritableArchive.create(Path(sys.argv[1]))
archive.writer.expect_many_records()
archive.append(Exchange("http://example.org/", Moment(0), b"HTTP/1.1 200 OK\\r\\n\\r\\n", BytesBody(b"page")))
assistant = archive.writer._preparation._worker
"""
"""Has a prepare worker that was started a moment ago."""

INTERRUPTED = f"""{HIRING}
os.killpg(0, signal.SIGINT)
print(assistant.ready.wait(60), assistant.lost)
archive.close()
"""

KILLED = f"""{HIRING}
assistant.ready.wait(60)
print(assistant.lost, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("module", ["webkeep.store.writing.prepare_worker", "webkeep.store.opening.warc_indexer"])
def test_nothing_in_the_current_directory_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive:
        paths = [str(archive.layout.index), str(archive.layout.catalog)]
    monkeypatch.chdir(tmp_path)
    for name in ("pickle", "queue", "subprocess", "webkeep"):
        (tmp_path / f"{name}.py").write_text("open('was-run', 'w').close()\n")
    process = start_worker(module, paths)
    process.communicate(b"", timeout=60)
    assert process.returncode == 0
    assert not (tmp_path / "was-run").exists()


def ran(program: str, path: Path) -> tuple[str, str]:
    """What a program says, and what it and all that it started complain of; waits for the last of them to end."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120, start_new_session=True
    )
    return done.stdout.strip(), done.stderr


def test_an_interrupt_does_not_reach_them(tmp_path: Path) -> None:
    assert ran(INTERRUPTED, tmp_path / "archive") == ("True False", "")


def test_they_end_with_the_one_who_started_them(tmp_path: Path) -> None:
    assert ran(KILLED, tmp_path / "archive") == ("False", "")
