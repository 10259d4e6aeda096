"""Captures on a database of their own, with workers in processes of their own that can be killed and frozen."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host_web import HostWeb
from postgres_cluster import cluster_folder, create_database, running_cluster, start_server, stop_server

from webkeep.model import Fate, UrlOutcome
from webkeep.store.archive import Archive

KEPT = (UrlOutcome.STORED, UrlOutcome.DUPLICATE)


@dataclass
class ClusterRun:
    """A database, a web, and whoever takes part."""

    folder: Path
    address: str
    data: Path
    web: HostWeb
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def main(self) -> Path:
        """The archive of the capture."""
        return self.folder / "main"

    def worker_archives(self) -> list[Path]:
        """The archives of its workers."""
        return sorted(self.folder.glob("worker-*"))

    def start(self, *words: object, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Have a command begin."""
        command = [sys.executable, "-m", "webkeep", *map(str, words), "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        self.processes.append(process)
        return process

    def write_seeds(self) -> Path:
        """A file with the roots of the whole web."""
        seeds = self.folder / "seeds"
        seeds.write_text("\n".join(self.web.root(number) for number in range(self.web.hosts)))
        return seeds

    def capture(self, *words: object, into: Path | None = None) -> subprocess.Popen[str]:
        """Look after the capture of the whole web."""
        archive = into or self.main
        seeds = self.write_seeds()
        return self.start(
            "capture", "--seeds-from", seeds, "--into", archive, "--on", self.address, "--browser", "off", *words
        )

    def worker(self, number: int, *words: object) -> subprocess.Popen[str]:
        """Take part in it."""
        archive = self.folder / f"worker-{number}"
        return self.start("worker", "--join", self.address, "--into", archive, "--wait", *words)

    def stop_database(self) -> None:
        """Have the server end as if its machine had."""
        stop_server(self.data)

    def start_database(self) -> None:
        """Have the server run again."""
        start_server(self.data)

    def keep_database(self) -> None:
        """Keep what a server that has ended knew."""
        subprocess.run(["cp", "-a", self.data, f"{self.data}-kept"], check=True)

    def bring_back_database(self) -> None:
        """Have it know no more than it did then."""
        shutil.rmtree(self.data)
        Path(f"{self.data}-kept").rename(self.data)

    def fates(self) -> list[Fate]:
        """What became of every URL, by the archive of the capture."""
        with Archive(self.main) as archive:
            (capture,) = archive.captures()
            assert capture.finished is not None
            return [fate for _, fate in archive.catalog.log.fates(capture.id)]

    def stored(self) -> set[str]:
        """The URLs of which a worker has a record."""
        found: set[str] = set()
        for path in self.worker_archives():
            with Archive(path) as archive:
                for capture in archive.captures():
                    found |= {each.url for each in archive.observations(capture.id, resolve=False)}
        return found


def summary_of(process: subprocess.Popen[str], code: int = 0) -> dict[str, Any]:
    """The summary of a command that comes to its end."""
    out, err = process.communicate(timeout=180)
    assert process.returncode == code, err + out
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


@contextmanager
def cluster_run(folder: Path, web: HostWeb) -> Iterator[ClusterRun]:
    """A database for one capture, and an end to all that still runs."""
    with cluster_folder() as fresh, running_cluster(fresh, "cluster") as address:
        create_database(address)
        run = ClusterRun(folder, address, fresh / "cluster", web)
        try:
            yield run
        finally:
            for process in run.processes:
                if process.poll() is None:
                    process.kill()
                process.communicate()
