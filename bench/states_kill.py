"""A crawl of many pages in a browser that is killed again and again: no page is lost, and nothing is left running.

python -m bench.states_kill [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bench.measuring import ROOT, result, say
from bench.mixed_site import names
from bench.two_tier import site
from webkeep.formats.states import ROOT_STATE as FIRST
from webkeep.store.archive import Archive
from webkeep.store.views import read_state_notes

_EVERY, _QUICKLY = 20.0, 4.0


def main() -> None:
    """Crawl, kill, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="60 pages, a kill every four seconds")
    args = parser.parse_args()
    pages, every = (60, _QUICKLY) if args.quick else (500, _EVERY)
    with tempfile.TemporaryDirectory(prefix="webkeep-states-kill-") as folder, site(pages) as port:
        result(_crawl(Path(folder), port, pages, every))


def _crawl(folder: Path, port: int, pages: int, every: float) -> dict[str, object]:
    archive, home = folder / "archive", f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "webkeep", "capture", f"{home}/article/0.html", "--into", str(archive), "--json",
             "--scope", "host", "--no-sitemaps", "--browser", "always", "--states", "1"]  # fmt: skip
    # Whatever the browser leaves behind can be told by the folder that its profiles are in.
    surroundings = {**os.environ, "TMPDIR": str(folder)}
    began, kills, memory = time.monotonic(), 0, []
    with subprocess.Popen(words, cwd=ROOT, env=surroundings, stdout=subprocess.PIPE, text=True) as process:
        due = began + every * random.uniform(0.5, 1.5)
        while process.poll() is None:
            time.sleep(0.2)
            memory.append(_anonymous_mb(process.pid))
            if time.monotonic() >= due:
                kills += _kill_browser(process.pid)
                due = time.monotonic() + every * random.uniform(0.5, 1.5)
        assert process.stdout is not None
        facts = json.loads(process.stdout.read().splitlines()[-1])
    seconds = time.monotonic() - began
    time.sleep(1)
    leaked = [command for command in _commands() if str(folder) in command]
    for command in leaked:
        say(f"still running: {command[:200]}")
    verified = subprocess.run([sys.executable, "-m", "webkeep", "verify", str(archive)], cwd=ROOT, check=False)
    done = _walked(archive, home)
    lost = sorted(set(names(pages)) - done)
    say(f"{len(done):,} pages in {seconds:.0f} s, {kills} kills; lost {lost[:5]}")
    quarter = max(len(memory) // 4, 1)
    return {
        "pages": pages,
        "pages_lost": len(lost),
        "pages_failed": len(facts["browser"]["failures"]),
        "kills": kills,
        "restarts": facts["browser"]["restarts"],
        "leaked_processes": len(leaked),
        "verified": verified.returncode == 0,
        "seconds": round(seconds, 1),
        "rss_mb": max(memory),
        "rss_growth_mb": round(max(memory[-quarter:]) - max(memory[quarter : 2 * quarter] or [0.0]), 1),
    }


def _walked(archive: Path, home: str) -> set[str]:
    """The paths of the pages that were walked to their end."""
    with Archive(archive) as opened:
        notes = [
            note for note in read_state_notes(opened) if note.id == FIRST and note.comment.get("ended") != "unloaded"
        ]
    return {note.page.removeprefix(home) for note in notes}


def _kill_browser(parent: int) -> int:
    """Kill the browser that a process has started; how many there were."""
    killed = 0
    for pid in _processes():
        status = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
        if len(status) > 1 and int(status[1]) == parent and "--remote-debugging-pipe" in _command(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
    return killed


def _processes() -> Iterator[int]:
    return (int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal())


def _commands() -> Iterator[str]:
    return (_command(pid) for pid in _processes() if pid != os.getpid())


def _command(pid: int) -> str:
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")


def _anonymous_mb(pid: int) -> float:
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith("RssAnon:"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:  # it has ended meanwhile
        return ""


if __name__ == "__main__":
    main()
