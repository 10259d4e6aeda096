"""Workers as Ray actors, on a Ray of this machine alone that is begun once for all that is shown here."""

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

from cluster_calls import KEPT, ClusterRun, cluster_run, summary_of
from host_web import serve_hosts
from warc_material import webkeep

from webkeep.store.archive import Archive

_DELAY = 0.1


def test_workers_come_with_the_work_are_replaced_and_leave(tmp_path: Path) -> None:
    with serve_hosts(12, 30) as web, cluster_run(tmp_path, web) as run:
        folder, home = tmp_path / "crawl", tmp_path / "home"
        home.mkdir()
        capture = begin_with_ray(run, folder, home)
        # Three workers have room for twelve hosts.
        web.wait_for_requests(24)
        while len(actors := find_actors(capture.pid)) < 3:
            assert capture.poll() is None
        assert listening_places(capture.pid) == {"127.0.0.1"}
        os.kill(actors[0], signal.SIGKILL)
        # Its hosts are nobody's until its lease has ended, so that there is work for who comes in its place.
        while not set(find_actors(capture.pid)) - set(actors):
            assert capture.poll() is None
        capture.send_signal(signal.SIGINT)
        out, err = capture.communicate(timeout=180)
        told = json.loads(out.splitlines()[-1])
        assert capture.returncode == 3, err
        assert not told["finished"]
        assert "its process is gone; it is started again" in err
        assert not find_processes_of_ray(capture.pid)
        assert not list(home.iterdir())
        assert not list(run.folder.glob("webkeep-ray-*"))
        # Everything is in its archives, and any other worker goes on.
        again = run.capture("--delay", _DELAY, into=folder / "main")
        assert summary_of(run.worker(9))["finished"]
        assert summary_of(again)["resumed"]
        with Archive(folder / "main") as archive:
            (begun,) = archive.captures()
            fates = [fate for _, fate in archive.catalog.log.fates(begun.id)]
        assert max(Counter(fate.url for fate in fates).values()) == 1
        assert web.urls() <= {fate.url for fate in fates if fate.outcome in KEPT}
        assert web.smallest_gap() >= _DELAY - 0.005
        archives = sorted(folder.glob("worker-*"))
        assert [path.name for path in archives] == ["worker-1", "worker-2", "worker-3"]
        for path in (folder / "main", *archives):
            assert webkeep("verify", path).code == 0


def begin_with_ray(run: ClusterRun, folder: Path, home: Path) -> subprocess.Popen[str]:
    """Begin a capture whose workers are Ray actors; what it leaves would be in these folders."""
    seeds = run.write_seeds()
    words = ("--seeds-from", seeds, "--into", folder, "--on", run.address, "--browser", "off", "--delay", _DELAY)
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(run.folder)}
    return run.start("cluster", "capture", *words, "--workers", "1-3", "--hosts", 4, env=environment)


def find_processes_of_ray(parent: int) -> list[int]:
    """The processes that a process has begun, and those that these have."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if fields[0] != "Z":
            parents[int(path.name)] = int(fields[1])
    found, children = [], [parent]
    while children:
        children = [number for number, above in parents.items() if above in children]
        found += children
    return found


def find_actors(parent: int) -> list[int]:
    """The processes of workers among those that a process has begun."""
    return [number for number in find_processes_of_ray(parent) if "WorkerActor" in name_of(number)]


def name_of(process: int) -> str:
    """By which name a process is known to the system."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:  # it has just ended
        return ""


def listening_places(parent: int) -> set[str]:
    """The addresses at which a process and those it has begun take connections."""
    sockets = {
        os.readlink(each).removeprefix("socket:[").removesuffix("]")
        for number in (parent, *find_processes_of_ray(parent))
        for each in Path(f"/proc/{number}/fd").glob("*")
        if each.is_symlink() and os.readlink(each).startswith("socket:[")
    }
    places = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                last = bytes.fromhex(fields[1].partition(":")[0])[-4:]
                places.add(".".join(str(part) for part in reversed(last)))
    return places
