"""Recoveries as jobs of a service: called with their own words, killed in the middle, gone on with, done once."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from serve_calls import archive_of, page, served

from webkeep.cli.service.run import JOB_PROGRAM
from webkeep.clock import SystemClock
from webkeep.model import CaptureKind
from webkeep.service.collections import CollectionFacts
from webkeep.service.jobs import Job, JobKind, JobOrder, JobState
from webkeep.service.run import DiskBudget, JobLimits, Service, ServiceSettings
from webkeep.store.archive import Archive

SITE = "http://lost.example/"


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[int]:
    """The port of an archive on loopback that holds a small site."""
    names = [f"p{number}" for number in range(12)]
    links = "".join(f"<a href=/{name}>{name}</a>" for name in names)
    pages = [page(SITE + name, "2010-01-01", f"<title>{name}</title><p>{name}") for name in names]
    held = archive_of(tmp_path / "held", page(SITE, "2010-01-01", f"<title>home</title>{links}"), *pages)
    with served(held) as client:
        yield client.port


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    settings = ServiceSettings(tmp_path / "service", limits=JobLimits(budget=DiskBudget(0)), program=JOB_PROGRAM)
    with Service(settings) as opened:
        opened.collections.create(CollectionFacts("town", "Town"), SystemClock().now())
        yield opened


def submit(service: Service, *repositories: str, seed: str = SITE, **plan: object) -> Job:
    said = {"seeds": [seed], "repositories": list(repositories), **plan}
    job = service.jobs.submit(JobOrder("town", "archive-1", said, JobKind.RECOVER), SystemClock().now())
    assert job is not None
    return job


def look_until(service: Service, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        service.look()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def end_of(service: Service, job: Job) -> Job:
    look_until(service, lambda: service.jobs.get(job.id).ended is not None)
    return service.jobs.get(job.id)


def test_a_recovery_that_is_killed_goes_on_and_ends_once(service: Service, holder: int) -> None:
    job = submit(service, f"cdx=http://127.0.0.1:{holder}/cdx limit=8/second")
    workspace = service.folder.workspace(job.id)

    def has_begun() -> bool:
        return workspace.log_path.exists() and b"the first is back" in workspace.log_path.read_bytes()

    look_until(service, has_begun)
    process = service.jobs.get(job.id).process
    assert process is not None
    os.kill(process.number, signal.SIGKILL)
    done = end_of(service, job)
    assert (done.state, done.attempts, done.summary["recovered"]) == (JobState.DONE, 2, 13), done.message
    with Archive(service.folder.archive("town", "archive-1")) as archive:
        assert len([each for each in archive.captures() if each.kind == CaptureKind.RECOVER]) == 1
    assert service.folder.ledger.is_file(), "what repositories allow is one for all jobs"


def test_one_page_of_a_time_and_repositories_that_nobody_knows(service: Service, holder: int) -> None:
    page_job = submit(service, f"cdx=http://127.0.0.1:{holder}/cdx", scope="page", until="2011-12-31")
    unknown = submit(service, "no-such-archive")
    refused = submit(service, "wayback", proxy="http://x.example/")
    assert end_of(service, page_job).summary["recovered"] == 1
    failed = end_of(service, unknown)
    assert failed.state is JobState.FAILED
    assert "names no repository" in failed.message
    look_until(service, lambda: bool(service.jobs.get(refused.id).message))
    assert "a recovery has no proxy" in service.jobs.get(refused.id).message
    words = json.loads(service.folder.workspace(page_job.id).call_path.read_text())
    assert words[0] == "recover"
