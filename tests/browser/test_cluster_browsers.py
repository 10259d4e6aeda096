"""Captures on many machines whose pages are run in browsers go to workers that have one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from speaking_site import Speaker, serving

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from cluster_calls import ClusterRun, cluster_run, summary_of
from host_web import HostWeb

PAGE = b"<!doctype html><title>Tides</title><link rel=icon href=data:,><script src=/tides.js></script>"
SCRIPT = b"fetch(['', 'api', 'tides'].join('/'))"


@contextmanager
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(Speaker):
        def answer(self) -> None:
            asked.append(self.path)
            if self.path == "/tides.js":
                self.say(SCRIPT, kind="text/javascript")
            elif self.path == "/api/tides":
                self.say(b"high at noon", kind="text/plain")
            elif self.path == "/robots.txt":
                self.say(b"", status=404)
            else:
                self.say(PAGE)

    with serving(Handler) as home:
        yield home, asked


def start_worker(run: ClusterRun, number: int, chromium: str | None) -> subprocess.Popen[str]:
    env = {**os.environ, **({} if chromium is None else {"WEBKEEP_CHROMIUM": chromium})}
    words = ("worker", "--join", run.address, "--into", run.folder / f"worker-{number}", "--wait")
    return run.start(*words, env=env)


def test_a_site_waits_for_a_worker_that_has_a_browser(tmp_path: Path) -> None:
    with site() as (home, asked), cluster_run(tmp_path, HostWeb(0, 0)) as run:
        looking_after = run.start("capture", f"{home}/", "--into", run.main, "--on", run.address)
        without = start_worker(run, 0, "no-such-browser")
        assert looking_after.stderr is not None
        told = next(line for line in looking_after.stderr if "has a browser" in line)
        assert "install Chromium there, or begin --new with --browser off" in told
        assert not asked
        with_one = start_worker(run, 1, None)
        done = summary_of(looking_after)
        assert done["finished"]
        assert done["browser"]["pages"] == 1
        assert asked.count("/api/tides") == 1
        assert sum(summary_of(with_one)["fates"].values()) >= 3
        assert not sum(summary_of(without)["fates"].values())
        assert f"{home}/api/tides" in {fate.url for fate in run.fates()}
