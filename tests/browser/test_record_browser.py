"""Real Chromium through the recording proxy: whatever its own network log knows is in the archive, byte for byte."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from living_site import PAGES, USED
from net_log import requests_in
from record_calls import RecordRun, kept, recording, responses
from stream_server import StreamServer
from test_record_streams import TRUST, tls

from webkeep.api.recording.recording_browser import browser_command
from webkeep.clock import SystemClock
from webkeep.fetch.proxy import CertificateAuthority

PATIENCE = 60


@contextmanager
def chromium(run: RecordRun, url: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Chromium at a URL, with its network log."""
    authority = CertificateAuthority(run.authority, SystemClock())
    words = browser_command("", url, run.port, authority.key_hashes[:1], str(log.parent / "profile"), headless=True)
    words[1:1] = [f"--log-net-log={log}", "--net-log-capture-mode=Everything"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def wait_until_finished(server: StreamServer) -> str:
    """What the page said it had used, once it says so."""
    assert server.finished.wait(PATIENCE), [head.split(b"\r\n")[0] for head in server.asked]
    (head,) = [head for head in server.asked if b"finished?" in head]
    return head.split(b" ")[1].partition(b"?")[2].decode()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_everything_chromium_asked_for_is_recorded(tmp_path: Path, scheme: str) -> None:
    log = tmp_path / "net.json"
    with StreamServer(tls() if scheme == "https" else None, PAGES) as server, recording(tmp_path, *TRUST) as run:
        with chromium(run, server.url("living.html"), log):
            used = wait_until_finished(server)
        summary = run.end()
    assert used == USED
    assert [page["title"] for page in summary["pages"]] == ["A living page"]
    logged = [each for each in requests_in(log) if f":{server.port}/" in each.url]
    assert {each.url.rpartition("/")[2] for each in logged} >= {"living.html", "worker.js", "service.js", "sound.wav"}
    records = responses(run.archive)
    bodies: dict[str, list[bytes]] = {}
    whole = {each.fields["WARC-Record-ID"]: each for each in kept(run.archive)}
    for record in records:
        refers = record.fields.get("WARC-Refers-To")
        bodies.setdefault(record.url, []).append(whole[refers].body if refers in whole else record.body)
    for each in logged:
        assert each.url in bodies, f"{each.url} was asked for and is not recorded"
        if not each.is_failed:
            assert any(each.body == body or body.startswith(each.body) for body in bodies[each.url]), each.url
    assert any(each.kind == "resource" and each.url.endswith("/socket") for each in kept(run.archive))


def test_closing_the_browser_ends_the_recording(tmp_path: Path) -> None:
    with StreamServer(pages=PAGES) as server:
        url = server.url("living.html")
        with recording(tmp_path, *TRUST, "--open", url, "--headless") as run:
            wait_until_finished(server)
            browser = children(run.process.pid, "chromium")
            os.kill(browser[0], 15)
            summary = run.ended()
    assert [each["url"][:60] for each in run.events if each["event"] == "failed"] == []
    assert run.process.returncode == 0
    assert [page["url"] for page in summary["pages"]] == [url]
    assert summary["sockets"] == 1


def children(pid: int, name: str) -> list[int]:
    """The child processes that bear a name."""
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if name in line]
