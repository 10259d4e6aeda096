"""Whoever waits for a job is told what it waits for: its archive, its turn, a quota, a machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts
from webkeep.service.jobs import Job, JobOrder, ProcessIdentity
from webkeep.service.run import JobLimits, QueueWait, Service, ServiceSettings

NOW = Moment.parse("2026-05-01T12:00:00Z")
PROCESS = ProcessIdentity("machine", "boot", 4711, 99)


class HandClock:
    def now(self) -> Moment:
        return NOW


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(ServiceSettings(tmp_path / "service", limits=JobLimits(running=2)), HandClock()) as made:
        yield made


def submit(service: Service, archive: str = "archive-1", seconds: float = 0) -> Job:
    job = service.jobs.submit(JobOrder("town", archive, {"seeds": ["https://example.org/"]}), NOW.plus(seconds))
    assert job is not None
    return job


def reason_of(service: Service, job: Job) -> str:
    wait = service.explain_wait(service.jobs.get(job.id))
    return wait.reason if wait else ""


def test_a_job_says_what_it_waits_for(service: Service) -> None:
    first = submit(service)
    assert service.explain_wait(first) is None
    service.jobs.start(first, PROCESS, NOW)
    assert service.explain_wait(service.jobs.get(first.id)) is None
    second, third, fourth = (submit(service, name, at) for at, name in enumerate(("archive-1", "archive-2", "a-3"), 1))
    assert service.explain_wait(second) == QueueWait("another job writes to its archive, one at a time does", first.id)
    service.jobs.start(third, PROCESS, NOW)
    assert reason_of(service, fourth) == "1 job goes before it; as many run as may at a time"
    service.jobs.postpone(fourth, NOW.plus(60), "it cannot be started")
    assert reason_of(service, fourth) == "it is tried again at 2026-05-01 12:01:00 UTC"


def test_locked_machines_are_said(service: Service) -> None:
    job = submit(service)
    service.machines.note("", "here", 2, NOW)
    service.machines.set_locked("", True)
    assert "locked" in reason_of(service, job)


def test_a_collection_that_is_full_says_so(service: Service) -> None:
    service.collections.create(CollectionFacts("town", "Town", quota=0), NOW)
    job = submit(service)
    service.look()
    assert "quota of town is used up" in reason_of(service, job)
