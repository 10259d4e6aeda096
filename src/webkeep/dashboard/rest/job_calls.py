"""Calls about jobs: begun, listed, watched, steered, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from webkeep.dashboard.job_snapshots import read_snapshot
from webkeep.dashboard.notices import job_feed
from webkeep.dashboard.page_cursor import (
    DEFAULT_LISTED_ROWS,
    check_limit,
    cut_piece,
    read_moment_cursor,
    write_cursor,
)
from webkeep.dashboard.pages import job_files, job_results, job_steering, jobs, start, uploads
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.jobs import Job, JobSelection, JobState, possible_events


@dataclass(frozen=True, slots=True)
class CaptureOrder:
    """A capture to begin, as the start page takes it."""

    url: Annotated[str, "the address to keep; without a scheme it is taken for https"]
    preset: Annotated[str, "a choice of the start page, by its name: site, page, follow, …"] = "site"
    collection: Annotated[str, "made where it is not there; main where nothing is said"] = ""
    depth: Annotated[int | None, "links from the address; no limit where nothing is said"] = None
    max_urls: int | None = None
    delay: Annotated[float | None, "seconds between two requests to a host"] = None
    exclude: Annotated[tuple[str, ...], "rules for what is left out"] = ()
    login: Annotated[str, "the id of a login of the collection; empty for none"] = ""
    many_machines: Annotated[str, "yes to have it carried out by the workers of the service"] = ""
    repositories: Annotated[tuple[str, ...], "of the preset recover: out of which archives"] = ()
    more: Annotated[str, 'further lines of the plan in TOML, such as scope = "host"'] = ""


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """A job."""

    id: str
    collection: str
    archive: str
    kind: str
    state: JobState
    wish: Annotated[str | None, "what somebody asked for and its process has yet to do: pause or cancel"]
    can: Annotated[tuple[str, ...], "what can happen to it now"]
    priority: int
    seed: Annotated[str, "the id of the seed that it is for; empty for none"]
    schedule: Annotated[str, "the schedule that began it; empty where a person did"]
    attempts: int
    losses: int
    created: Moment
    queued: Moment
    started: Moment | None
    ended: Moment | None
    exit_code: int | None
    message: str
    plan: Mapping[str, Any]
    summary: Annotated[Mapping[str, Any], "what the command came to, in its own words"]


@dataclass(frozen=True, slots=True)
class JobQuery:
    """Which jobs are listed."""

    collection: str = ""
    state: tuple[JobState, ...] = ()
    seed: Annotated[str, "the id of one seed: its history"] = ""
    limit: Annotated[int, "from 1 to 1000"] = DEFAULT_LISTED_ROWS
    cursor: Annotated[str, "the value next of the piece before"] = ""


@dataclass(frozen=True, slots=True)
class JobPiece:
    """A piece of the list of jobs, the newest first."""

    jobs: tuple[JobAnswer, ...]
    next: Annotated[str | None, "the cursor of the next piece; null at the end"]


@dataclass(frozen=True, slots=True)
class JournalAnswer:
    """Something that happened to a job."""

    at: Moment
    event: str
    state: JobState
    message: str


@dataclass(frozen=True, slots=True)
class JournalPiece:
    """What happened to a job, in order."""

    journal: tuple[JournalAnswer, ...]


@dataclass(frozen=True, slots=True)
class ProgressAnswer:
    """How a job is doing, as of a second ago at most."""

    job: JobAnswer
    read: Moment
    counts: Annotated[Mapping[str, int], "URLs by what came of them"]
    bytes: int
    workers: Annotated[int | None, "that carry it out; null where one machine does"]
    bytes_per_second: float | None
    hosts: Annotated[tuple[Mapping[str, Any], ...], "the busiest hosts, and what each waits for"]
    types: Annotated[Mapping[str, int], "answers by media type"]
    statuses: Annotated[Mapping[str, int], "answers by status"]
    failures: Annotated[tuple[Mapping[str, Any], ...], "what was asked for in vain, the newest first"]
    pictures: Annotated[tuple[Mapping[str, Any], ...], "of pages that were run in a browser: number and url"]
    rules: Annotated[tuple[str, ...], "what is taken in and left out by now, with + or - before each"]
    waits_for: Annotated[str, "why a queued job has not begun; empty where it runs, is over or begins at once"]


@dataclass(frozen=True, slots=True)
class SteeringOrder:
    """What is to happen to a job."""

    event: Annotated[str, "pause, resume, cancel or retry"]


@dataclass(frozen=True, slots=True)
class CaptureChange:
    """What is to be otherwise in a capture that runs."""

    delay: Annotated[float | None, "seconds between two requests to a host"] = None
    exclude: Annotated[str | None, "a rule for what is left out from now on"] = None
    drop: Annotated[str | None, "a rule that is taken back, with + or - before it"] = None


@dataclass(frozen=True, slots=True)
class PriorityOrder:
    """When a job has its turn."""

    priority: Annotated[int, "higher ones go first"]


@dataclass(frozen=True, slots=True)
class RuleQuery:
    """A rule that may be applied."""

    exclude: Annotated[str, "a rule for what would be left out"]


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """What a rule would take out."""

    queued: Annotated[int, "URLs that would not be asked for"]
    stored: Annotated[int, "URLs that are stored, would have been left out, and stay"]
    undecided: Annotated[int, "URLs of which that is known only once they were asked for"]
    looked_at: int
    is_whole: Annotated[bool, "whether all that is known was looked at"]
    queued_examples: tuple[str, ...]
    stored_examples: tuple[str, ...]


def describe_job(job: Job) -> JobAnswer:
    """What programs are told of a job."""
    order = job.order
    named = (job.id, order.collection, order.archive, order.kind.value, job.state, job.wish and job.wish.value)
    can = tuple(sorted(each.value for each in possible_events(job.state)))
    counted = (order.priority, order.seed, order.schedule, job.attempts, job.losses)
    times = (job.created, job.queued, job.started, job.ended)
    return JobAnswer(*named, can, *counted, *times, job.exit_code, job.message, order.plan, job.summary)


def find_job(asked: ApiRequest) -> JobAnswer:
    """The job that a path names."""
    return describe_job(asked.page.service.jobs.get(asked.path["job"]))


def list_jobs(asked: ApiRequest) -> JobPiece:
    """A piece of the list of those that one may see."""
    query, limit = asked.query, check_limit(asked.query.limit)
    collections = asked.page.visitor.visible_collections(query.collection)
    selection = JobSelection(query.state, collections, query.seed)
    found = asked.page.service.jobs.list_page(selection, limit + 1, read_moment_cursor(query.cursor))
    piece, following = cut_piece(found, limit, lambda job: write_cursor(job.created.micros, job.id))
    seen = (job for job in piece if asked.page.visitor.may(Permission.READ, job.order.collection))
    return JobPiece(tuple(map(describe_job, seen)), following)


def list_journal(asked: ApiRequest) -> JournalPiece:
    """What happened to a job."""
    lines = asked.page.service.jobs.journal(asked.path["job"])
    return JournalPiece(tuple(JournalAnswer(line.at, line.event, line.state, line.message) for line in lines))


def read_progress(asked: ApiRequest) -> ProgressAnswer:
    """How a job is doing."""
    snapshot = read_snapshot(asked.page.service, asked.path["job"])
    counts, types, statuses = (_read_counts(snapshot.progress.get(name)) for name in ("counts", "types", "statuses"))
    failures, pictures = (tuple(snapshot.list_told(name)) for name in ("failures", "pictures"))
    return ProgressAnswer(
        describe_job(snapshot.job),
        snapshot.read,
        counts,
        snapshot.bytes,
        snapshot.workers,
        snapshot.bytes_per_second,
        tuple(snapshot.hosts),
        types,
        statuses,
        failures,
        pictures,
        tuple(snapshot.rules),
        snapshot.wait.reason if snapshot.wait else "",
    )


def _read_counts(told: object) -> dict[str, int]:
    """Counts that a capture tells of; a file of one that ended badly may say anything."""
    values = told if isinstance(told, dict) else {}
    return {str(name): count for name, count in values.items() if isinstance(count, int)}


def preview_rule(asked: ApiRequest) -> RuleAnswer:
    """What a rule would take out."""
    service = asked.page.service
    found = job_steering.find_rule_effect(service, service.jobs.get(asked.path["job"]), asked.query.exclude)
    counts = (found.queued, found.stored, found.undecided, found.looked_at, found.is_whole)
    return RuleAnswer(*counts, found.queued_examples, found.stored_examples)


_READ, _CURATE, _SIGNED_IN = Permission.READ, Permission.CURATE, Permission.SIGNED_IN

JOB_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", "/jobs", _SIGNED_IN, "Jobs, the newest first.", JobPiece, list_jobs, JobQuery,
            pages=(jobs.list_jobs,)),
    ApiCall("POST", "/jobs", _SIGNED_IN, "Begin a capture as the start page does.", JobAnswer, find_job,
            body=CaptureOrder, form=start.start_job, leads_to="/jobs/{job}"),
    ApiCall("GET", "/jobs/{job}", _READ, "One job.", JobAnswer, find_job, pages=(jobs.show_job,)),
    ApiCall("GET", "/jobs/{job}/journal", _READ, "What happened to a job.", JournalPiece, list_journal),
    ApiCall("GET", "/jobs/{job}/progress", _READ, "How a job is doing.", ProgressAnswer, read_progress,
            pages=(jobs.stream_job,)),
    ApiCall("POST", "/jobs/{job}/steering", _CURATE, "Have a job pause, go on, stop or be tried again.", JobAnswer,
            find_job, body=SteeringOrder, form=job_steering.steer_job),
    ApiCall("POST", "/jobs/{job}/changes", _CURATE, "Change the pace of a capture that runs, or leave something out.",
            JobAnswer, find_job, body=CaptureChange, form=job_steering.change_capture),
    ApiCall("GET", "/jobs/{job}/plan.toml", _READ, "The plan of a job, for webkeep capture --plan.",
            file=job_results.download_plan, media_type="application/toml"),
    ApiCall("GET", "/jobs/{job}/report", _READ, "What the capture of a job is worth, as a page.",
            file=job_files.show_report, media_type="text/html"),
    ApiCall("POST", "/uploads", _SIGNED_IN, "Import a file of records (WARC, ARC, WACZ) into a collection by a job.",
            JobAnswer, find_job, form=uploads.take_upload, leads_to="/jobs/{job}", takes_file=True,
            max_body_bytes=start.MAX_UPLOAD_BYTES),
    ApiCall("GET", "/jobs/{job}/evidence.zip", _READ, "The package of a job of evidence; 202 while it is being packed.",
            file=job_files.download_package, media_type="application/zip"),
    ApiCall("GET", "/jobs/{job}/certificate", _READ, "What of the capture of a job fits together in time, as a page.",
            file=job_files.show_certificate, media_type="text/html"),
    ApiCall("GET", "/jobs/{job}/downloads/{format}", _READ,
            "What a job captured, as one file: wacz, warc, zip, tar or page; 202 while it is being made.",
            file=job_files.download_file, media_type="application/octet-stream"),
    ApiCall("POST", "/jobs/{job}/priority", _CURATE, "Have a job go before or behind others that wait.", JobAnswer,
            find_job, body=PriorityOrder, form=job_steering.change_priority),
    ApiCall("GET", "/jobs/{job}/rule", _CURATE, "What a rule would take out of a capture that runs.", RuleAnswer,
            preview_rule, RuleQuery, pages=(job_steering.preview_rule,)),
    ApiCall("GET", "/jobs/{job}/pictures/{number}", _READ, "One of the newest pictures of pages that a capture runs.",
            file=job_steering.show_picture, media_type="image/jpeg"),
    ApiCall("GET", "/feed.atom", _SIGNED_IN, "Jobs that ended, as an Atom feed.", file=job_feed.answer_feed,
            media_type="application/atom+xml"),
    ApiCall("GET", "/collections/{collection}/feed.atom", _READ, "Jobs of a collection that ended, as an Atom feed.",
            file=job_feed.answer_feed, media_type="application/atom+xml"),
)  # fmt: skip
"""All of them."""
