"""Jobs of a service that is elsewhere: submitted, listed, shown and steered."""

from __future__ import annotations

import argparse
from typing import Any

from webkeep.api import read_plan_file
from webkeep.cli.jobs.remote.service_client import MissingError, ServiceClient, quote_name
from webkeep.cli.jobs.service_opening import DEFAULT_COLLECTION
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns, print_facts
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.presentation import format_count, format_moment, format_size
from webkeep.service.jobs import JobState

_ID_CHARS = 16
"""Of a whole id: eight bytes in hexadecimal."""
_LOOKED_THROUGH = 1000
"""Jobs among which the beginning of an id is looked for: the newest ones."""
_RENAMED = {"id": "job", "exit_code": "exit"}
"""What the API calls otherwise than the command does."""
_LEFT_OUT = ("can", "seed", "schedule", "losses", "queued")


def submit_jobs(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Have seeds captured; a collection that is not there is made for new ones."""
    settings = read_plan_file(args.plan) if args.plan else {}
    if "seeds" in settings:
        raise UsageError(f"{args.plan} names seeds; here they are named behind the address")
    order = {"seeds": args.seeds, "plan": settings, "priority": args.priority}
    path = f"/collections/{quote_name(args.collection)}/jobs"
    try:
        answer = client.send("POST", path, order)
    except MissingError:
        if not args.seeds:
            raise
        client.send("POST", "/collections", {"name": args.collection, "title": args.collection})
        answer = client.send("POST", path, order)
    for job in answer["jobs"]:
        out.event("job", **job_values(job))
        out.line(f"job {job['id']}: {_seed_of(job)}")
    waiting = answer["waiting"]
    if waiting:
        out.note(f"{format_count(waiting, 'job')} waited already to do the same")
    count = len(answer["jobs"]) - waiting
    facts = {"collection": args.collection, "jobs": count, "waiting": waiting}
    out.summary(facts, f"{format_count(count, 'job')} submitted")
    return DONE


def list_jobs(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Print the list."""
    query: dict[str, object] = {"collection": args.collection, "state": args.state}
    if args.seed:
        query["collection"] = args.collection or DEFAULT_COLLECTION
        query["seed"] = find_seed(client, str(query["collection"]), args.seed)["id"]
    table = PrintedTable(build_columns("job", "state", "collection", "submitted (UTC)", "seed", "came to"), out.line)
    listed = 0
    for job in client.list_pieces("/jobs", "jobs", query, args.limit):
        listed += 1
        state = f"{job['state']} ({job['wish']})" if job["wish"] else job["state"]
        table.add_row(job["id"], state, job["collection"], _moment(job["created"]), _seed_of(job), _result_of(job))
        out.event("job", **job_values(job))
    table.finish()
    counts = client.get("/service")["jobs"]
    all_of = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
    out.summary({"listed": listed, "counts": counts}, f"{format_count(listed, 'job')} listed; in all {all_of or 0}")
    return DONE


def show_job(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Print what is known of a job."""
    job = _find_job(client, args.job)
    progress = client.get(f"/jobs/{job['id']}/progress")
    plan = " ".join(f"{name}={value}" for name, value in job["plan"].items())
    summary = " ".join(f"{key}={value}" for key, value in job["summary"].items() if not isinstance(value, dict))
    counts = " ".join(f"{name}={count}" for name, count in progress["counts"].items() if count)
    waits = progress["waits_for"]
    rows = [("job", job["id"]), ("state", describe_state(job)), ("plan", plan), ("archive", job["archive"])]
    rows += [("waits for", waits), ("so far", counts), ("came to", summary)]
    print_facts([row for row in rows if row[1]], out.line)
    for line in client.get(f"/jobs/{job['id']}/journal")["journal"]:
        said = f" ({line['message']})" if line["message"] else ""
        out.line(f"{_moment(line['at'])}  {line['event']}: {line['state']}{said}")
        out.event("journal", at=line["at"], what=line["event"], state=line["state"], message=line["message"])
    out.summary({**job_values(job), "waits_for": waits, "counts": progress["counts"]})
    return DONE


def steer_jobs(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Have it happen, at once or as soon as the process of the job has done it."""
    found = [_find_job(client, each)["id"] for each in args.jobs]
    for job_id in found:
        changed = client.send("POST", f"/jobs/{job_id}/steering", {"event": args.verb_name})
        out.event("job", **job_values(changed))
        out.line(f"job {job_id} is {describe_state(changed)}")
    out.summary({"event": args.verb_name, "jobs": found})
    return DONE


def find_seed(client: ServiceClient, collection: str, url: str) -> Any:
    """The seed of a collection that a person names."""
    found = client.get(f"/collections/{quote_name(collection)}/seeds", {"url": url})["seeds"]
    if not found:
        raise UsageError(f"{url[:200]} is no seed of {collection}; take it in with webkeep job submit or seeds")
    return found[0]


def job_values(job: Any) -> dict[str, object]:
    """What programs are told of a job, as of one of a folder."""
    return {_RENAMED.get(name, name): value for name, value in job.items() if name not in _LEFT_OUT}


def describe_state(job: Any) -> str:
    """The state of a job, what was asked of it, and why it is so."""
    wish = f", asked to {job['wish']}" if job["wish"] else ""
    why = f": {job['message']}" if job["message"] else ""
    return f"{job['state']}{wish}{why}"


def _find_job(client: ServiceClient, text: str) -> Any:
    """A job by its id, or by how that begins where it is among the newest."""
    if not text.isalnum() or len(text) > _ID_CHARS:
        raise UsageError(f"not the id of a job: {text[:40]!r}; list them with webkeep job list")
    if len(text) == _ID_CHARS:
        return client.get(f"/jobs/{text}")
    newest = client.list_pieces("/jobs", "jobs", {}, _LOOKED_THROUGH)
    found = [job for job in newest if job["id"].startswith(text)]
    if len(found) != 1:
        what = "several of the newest jobs begin" if found else "none of the newest jobs begins"
        raise UsageError(f"{what} with {text!r}; list them with webkeep job list")
    return found[0]


def _seed_of(job: Any) -> str:
    seeds = job["plan"].get("seeds") or [""]
    return str(seeds if isinstance(seeds, str) else seeds[0])


def _result_of(job: Any) -> str:
    summary = job["summary"]
    if job["state"] != JobState.DONE.value or "stored" not in summary:
        return str(job["message"])
    held = summary["stored"] + summary.get("duplicates", 0)
    found = " with findings" if job["exit_code"] else ""
    return f"{format_count(held, 'URL')}, {format_size(summary.get('bytes', 0))}{found}"


def _moment(text: str | None) -> str:
    return format_moment(Moment.parse(text)) if text else ""
