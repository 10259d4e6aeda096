"""The words that `webkeep` is called with for each kind of job."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.jobs import MANY_MACHINES_OPTION, Job, JobKind, JobOrder, JobState
from webkeep.service.run.capture_workers import CaptureWorkers
from webkeep.service.run.job_command import JobPlace, build_job_words
from webkeep.service.run.job_workspace import JobWorkspace

NOW = Moment.parse("2026-05-01")
PLACE = JobPlace(Path("/s/jobs/1/plan.toml"), Path("/s/collections/a/b"), Path("/s/hosts"), Path("/s/ledger.sqlite"),
                 Path("/s/authority"), Path("/s/jobs/1/viewer"), Path("/s/jobs/1/results"))  # fmt: skip


def words_of(kind: JobKind, plan: dict[str, object]) -> list[str]:
    return build_job_words(Job("1", JobOrder("a", "b", plan, kind), JobState.QUEUED, NOW, NOW), PLACE)


def test_a_capture_is_called_by_its_plan() -> None:
    assert words_of(JobKind.CAPTURE, {"seeds": ["http://a.example/"]}) == [
        "capture", "--plan", "/s/jobs/1/plan.toml", "--into", "/s/collections/a/b", "--job", "1",
        "--share-hosts", "/s/hosts", "--json",
    ]  # fmt: skip
    place = replace(PLACE, held=(Path("/s/collections/c/d"),))
    job = Job("1", JobOrder("a", "b", {"seeds": ["http://a.example/"]}, JobKind.CAPTURE), JobState.QUEUED, NOW, NOW)
    assert "--held-in=/s/collections/c/d" in build_job_words(job, place)


def test_a_patch_is_a_recording_that_lasts_while_somebody_looks() -> None:
    assert words_of(JobKind.PATCH, {"seeds": ["http://a.example/"], "private_hosts": ["a.example:80"]}) == [
        "record", "--into", "/s/collections/a/b", "--port", "0", "--authority", "/s/authority",
        "--private-host=a.example:80", "--while", "/s/jobs/1/viewer", "--json",
    ]  # fmt: skip


def test_a_recovery_is_called_by_its_values_each_with_its_option() -> None:
    plan = {
        "seeds": ["http://lost.example/"],
        "repositories": ["cdx=http://127.0.0.1:1/cdx limit=2/minute", "--proxy=http://evil.example/"],
        "scope": "page",
        "since": "2004-01-01",
        "until": "",
        "policy": None,
        "exports": True,
        "windows_names": True,
    }
    assert words_of(JobKind.RECOVER, plan) == [
        "recover", "--into=/s/collections/a/b", "--ledger=/s/ledger.sqlite",
        "--from=cdx=http://127.0.0.1:1/cdx limit=2/minute", "--from=--proxy=http://evil.example/",
        "--scope=page", "--from-date=2004-01-01", "--copy=/s/jobs/1/results/copy", "--rehost=/s/jobs/1/results/files",
        "--windows-names", "http://lost.example/", "--json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"seeds": ["http://a.example/"], "proxy": "http://x.example/"}, "a recovery has no proxy"),
        ({"seeds": ["--proxy=http://x.example/"]}, "cannot begin with a hyphen"),
    ],
)
def test_what_no_recovery_takes_is_refused_in_one_line(plan: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        words_of(JobKind.RECOVER, plan)


def test_every_kind_of_job_has_its_words() -> None:
    plans: dict[JobKind, dict[str, object]] = {JobKind.IMPORT: {"upload": "0123456789abcdef"}}
    usual: dict[str, object] = {"seeds": ["http://a.example/"]}
    named = {words_of(kind, plans.get(kind, usual))[0] for kind in JobKind}
    assert named == {"capture", "recover", "evidence", "import", "record"}


def test_a_capture_for_many_machines_is_carried_out_by_the_workers_of_the_service() -> None:
    plan = {"seeds": ["http://a.example/"], MANY_MACHINES_OPTION: True}
    job = Job("1", JobOrder("a", "b", plan, JobKind.CAPTURE), JobState.QUEUED, NOW, NOW)
    address = "postgresql://webkeep@db.example/webkeep"
    place = replace(PLACE, workers=CaptureWorkers(address, "1-4", "10.0.0.1:6379"), workers_folder=Path("/s/jobs/1/w"))
    assert build_job_words(job, place) == [
        "cluster", "capture", "--plan", "/s/jobs/1/plan.toml", "--into", "/s/jobs/1/w", "--job", "1",
        "--on", address, "--share-hosts", address, "--workers", "1-4", "--replace", "--ray", "10.0.0.1:6379",
        "--whole", "/s/collections/a/b", "--json",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="--workers"):
        build_job_words(job, PLACE)
    with pytest.raises(UsageError, match="leaves out"):
        build_job_words(job, replace(place, held=(Path("/s/collections/c/d"),)))


def test_the_plan_that_workers_read_says_nothing_of_the_service(tmp_path: Path) -> None:
    plan = {"seeds": ["http://a.example/"], MANY_MACHINES_OPTION: True, "browser": "off"}
    job = Job("1", JobOrder("a", "b", plan, JobKind.CAPTURE), JobState.QUEUED, NOW, NOW)
    workspace = JobWorkspace(tmp_path / "1")
    workspace.prepare(job, ["capture"])
    assert tomllib.loads(workspace.plan_path.read_text()) == {"seeds": ["http://a.example/"], "browser": "off"}
