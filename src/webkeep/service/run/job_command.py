"""Which command a job is: the words that `webkeep` is called with, by the kind of the job.

They are made anew at every attempt and are always the same, so that the command goes on where it was stopped. A kind
is a function that makes words out of the job and its place; nothing else of the service knows what commands take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webkeep.errors import UsageError
from webkeep.service.jobs import Job, JobKind
from webkeep.service.run.capture_workers import CaptureWorkers

_LATER_OPTIONS = {
    "scope": "--scope",
    "policy": "--policy",
    "at": "--at",
    "since": "--from-date",
    "until": "--to-date",
    "max_resources": "--max-resources",
}
"""What the plan of a recovery may say with a value, and the option that it is."""
_RECOVERY_NAMES = _LATER_OPTIONS.keys() | {"seeds", "repositories", "exports", "windows_names"}

PACKAGE_NAME = "package"
"""What a job of evidence makes."""
COPY_NAME, FILES_NAME = "copy", "files"
"""Of what a recovery makes beside its archive, if its plan says `exports`: what opens in any browser, and the files
under their old paths.
"""


@dataclass(frozen=True, slots=True)
class JobPlace:
    """Where a job does its work."""

    plan: Path
    """The plan as a file."""
    archive: Path
    """What it writes to."""
    host_leases: Path | str
    """By which all jobs take turns at hosts: a file, or the address of a database where there are further machines."""
    ledger: Path
    """By which all jobs share what repositories allow."""
    authority: Path
    """The certificate authority that browsers trust which the service shows."""
    viewer: Path
    """A file that is touched for as long as somebody is shown the browser that is recorded."""
    results: Path
    """Where it puts what is made beside the archive."""
    uploads: Path = Path("uploads")
    """Where files lie that people brought, each in a folder of its own."""
    held: tuple[Path, ...] = ()
    """Archives of other collections, whose pages it leaves out."""
    workers: CaptureWorkers | None = None
    """Who carries captures out that are for many machines."""
    workers_folder: Path = Path("workers")
    """Where their archives lie meanwhile."""


def build_job_words(job: Job, place: JobPlace) -> list[str]:
    """The words of a job, the name of the command first."""
    return [*_BUILDERS[job.order.kind](job, place), "--json"]


def _build_capture(job: Job, place: JobPlace) -> list[str]:
    if job.order.wants_workers:
        return _build_workers_capture(job, place)
    words = ["capture", "--plan", str(place.plan), "--into", str(place.archive), "--job", job.id]
    words += [f"--held-in={each}" for each in place.held]
    return [*words, "--share-hosts", str(place.host_leases)]


def _build_workers_capture(job: Job, place: JobPlace) -> list[str]:
    """The database has one capture at a time, whose turn it is: what else it may have is over for the service."""
    workers = place.workers
    if workers is None:
        raise UsageError("it is for many machines, and the service has no workers; give it some with --workers")
    if place.held:
        raise UsageError("its collection leaves out what others hold, which workers do not see; have it leave out none")
    words = ["cluster", "capture", "--plan", str(place.plan), "--into", str(place.workers_folder), "--job", job.id]
    words += ["--on", workers.address, "--share-hosts", workers.address, "--workers", workers.count, "--replace"]
    words += ["--ray", workers.ray] if workers.ray else []
    return [*words, "--whole", str(place.archive)]


def _build_recovery(job: Job, place: JobPlace) -> list[str]:
    """`webkeep recover` has no file of a plan; each value is one word with its option, whatever it begins with."""
    plan = {name: value for name, value in job.order.plan.items() if value is not None}
    unknown = sorted(plan.keys() - _RECOVERY_NAMES)
    if unknown:
        raise UsageError(f"job {job.id}: a recovery has no {unknown[0]}; ask for it without")
    words = ["recover", f"--into={place.archive}", f"--ledger={place.ledger}"]
    words += [f"--from={each}" for each in _list_values(plan, "repositories")]
    words += [f"{option}={plan[name]}" for name, option in _LATER_OPTIONS.items() if plan.get(name) not in (None, "")]
    if plan.get("exports"):
        words += [f"--copy={place.results / COPY_NAME}", f"--rehost={place.results / FILES_NAME}"]
        words += ["--windows-names"] if plan.get("windows_names") else []
    return [*words, *_list_values(plan, "seeds")]


def _build_patch(job: Job, place: JobPlace) -> list[str]:
    words = ["record", "--into", str(place.archive), "--port", "0", "--authority", str(place.authority)]
    words += [f"--private-host={each}" for each in _list_values(job.order.plan, "private_hosts")]
    return [*words, "--while", str(place.viewer)]


def _build_evidence(_job: Job, place: JobPlace) -> list[str]:
    words = ["evidence", "--plan", str(place.plan), "--into", str(place.results / PACKAGE_NAME)]
    return [*words, "--share-hosts", str(place.host_leases)]


def _build_import(job: Job, place: JobPlace) -> list[str]:
    upload = str(job.order.plan.get("upload", ""))
    if not upload.isalnum():
        raise UsageError(f"job {job.id} has no file to import; send it again")
    return ["import", str(place.uploads / upload), "--into", str(place.archive)]


def _list_values(plan: Mapping[str, Any], name: str) -> list[str]:
    """One or several values; none that would be read as an option."""
    value = plan.get(name, [])
    values = [value] if isinstance(value, str) else [str(each) for each in value]
    if name == "seeds" and any(each.startswith("-") for each in values):
        raise UsageError(f"a seed cannot begin with a hyphen: {values[0][:200]!r}")
    return values


_BUILDERS: dict[JobKind, Callable[[Job, JobPlace], list[str]]] = {
    JobKind.CAPTURE: _build_capture,
    JobKind.RECOVER: _build_recovery,
    JobKind.PATCH: _build_patch,
    JobKind.EVIDENCE: _build_evidence,
    JobKind.IMPORT: _build_import,
}
"""Every kind has its words here."""
