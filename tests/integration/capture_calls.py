"""Captures as people call them, and what became of them as the other commands tell it."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from warc_material import Done, webkeep
from warcio.archiveiterator import ArchiveIterator

KEPT = ("stored", "duplicate")


def capture(archive: Path, *words: object) -> Done:
    """Capture into an archive by the fast tier, in this process."""
    return webkeep("capture", *words, "--into", archive, "--browser", "off")


def started(archive: Path, *words: object, as_json: bool = True) -> subprocess.Popen[str]:
    """A capture by the fast tier in a process of its own."""
    command = [sys.executable, "-m", "webkeep", "capture", *map(str, words), "--into", str(archive), "--browser", "off"]
    return subprocess.Popen(
        [*command, *(["--json"] if as_json else [])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@contextmanager
def running(archive: Path, *words: object, as_json: bool = True) -> Iterator[subprocess.Popen[str]]:
    """A capture in a process of its own, that ends with the block if it has not by itself."""
    with started(archive, *words, as_json=as_json) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def wait_for_helpers(archive: Path) -> None:
    """Wait until no process that a killed capture had started is left."""
    deadline = time.monotonic() + 60
    while any(str(archive).encode() in _command_line(each) for each in Path("/proc").glob("[0-9]*")):
        assert time.monotonic() < deadline, "a helper of a killed capture does not end"
        time.sleep(0.02)


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def ask_to_stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGINT) -> None:
    """Send a signal to a capture with `--json`, and wait until it says that it stops."""
    process.send_signal(number)
    assert process.stdout is not None
    assert any('"stopping' in line for line in process.stdout), "it ended and never said that it stops"


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The summary of a capture that came to its end, with its exit code and what it said."""
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err, err
    summary = json.loads(out.splitlines()[-1]) if out else {}
    return {**summary, "code": process.returncode, "said": err}


def events(done: Done, name: str) -> list[dict[str, Any]]:
    return [each for each in map(json.loads, done.out.splitlines()) if each.get("event") == name]


def fates(archive: Path, capture_id: str = "") -> dict[str, tuple[str, str]]:
    """Outcome and reason of every URL."""
    words = ("--capture", capture_id) if capture_id else ()
    listed = events(webkeep("list", archive, "--fates", *words), "fate")
    return {each["url"]: (each["outcome"], each["reason"]) for each in listed}


def kept(archive: Path) -> set[str]:
    """The URLs with a record in the archive, by warcio and not by our own reader."""
    return {url for kind, url, _ in records(archive) if kind in ("response", "revisit", "resource")}


def records(archive: Path) -> list[tuple[str, str, str]]:
    """Type, URL and status of every record with a URL of its own."""
    found = []
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                if not url.startswith("urn:"):
                    status = record.http_headers.get_statuscode() if record.http_headers else ""
                    found.append((record.rec_type, url, status or ""))
    return [each for each in found if each[1]]


def is_sound(archive: Path) -> bool:
    return webkeep("verify", archive).code == 0


def agree(archive: Path, summary: dict[str, Any]) -> None:
    """Whether the fates sum up, say `stored` of what is stored and of nothing else, and the archive is sound."""
    told = fates(archive, summary["capture"])
    counted = {name: sum(outcome == name for outcome, _ in told.values()) for name in summary["fates"]}
    assert counted == summary["fates"]
    assert {url for url, (outcome, _) in told.items() if outcome in KEPT} <= kept(archive)
    assert is_sound(archive)
