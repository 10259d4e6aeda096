"""`webkeep service run`, or `webkeep service FOLDER`: the service itself, its options, and the program that jobs are
started by.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.crawl.plan import parse_size
from webkeep.errors import UsageError
from webkeep.presentation import format_size

if TYPE_CHECKING:
    from webkeep.service.run import CaptureWorkers, ServiceSettings

JOB_PROGRAM = (sys.executable, "-P", "-m", "webkeep.cli.job_process")
"""What processes of jobs are started by."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where everything of the service lies; made if new")
    add_run_options(parser)
    parser.add_argument("--until-idle", action="store_true", help="end when no job is left to be done")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Declare how the service runs, be it here or by systemd."""
    from webkeep.service.run import DEFAULT_FREE_BYTES, DEFAULT_PORT, DEFAULT_RUNNING, LOCAL_HOST

    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="N", help=f"the port of its pages here ({DEFAULT_PORT})"
    )
    parser.add_argument("--host", default=LOCAL_HOST, metavar="ADDRESS",
                        help=f"the address that it listens at ({LOCAL_HOST}, this machine alone); any other one needs "
                        "an account that administers it")  # fmt: skip
    parser.add_argument("--public-url", default="", metavar="URL",
                        help="the URL by which people know it, such as that of a proxy in front of it that has the "
                        "certificate")  # fmt: skip
    parser.add_argument("--replay-url", default="", metavar="URL",
                        help="by which public collections are shown to others: a domain that nothing else uses, all of "
                        "whose names lead to --replay-port")  # fmt: skip
    parser.add_argument("--replay-port", type=int, default=0, metavar="N",
                        help="the port at which public collections are shown (any that is free)")  # fmt: skip
    parser.add_argument("--running", type=parse_whole_number, default=DEFAULT_RUNNING, metavar="N",
                        help=f"so many jobs at a time ({DEFAULT_RUNNING})")  # fmt: skip
    parser.add_argument("--keep-free", metavar="SIZE", help="stop captures before less of the disk is free "
                        f"({format_size(DEFAULT_FREE_BYTES)})")  # fmt: skip
    add_database_option(parser)
    parser.add_argument("--workers", default="", metavar="N|MIN-MAX",
                        help="let captures be carried out by so many workers, by the job store in PostgreSQL and Ray; "
                        "one capture at a time")  # fmt: skip
    parser.add_argument("--ray", default="", metavar="ADDRESS",
                        help="of the Ray cluster that these workers run on; without it they run here")  # fmt: skip
    parser.add_argument("--mail", type=Path, metavar="FILE", help="by which server mail is sent, in TOML: server, "
                        "from, address; port, security, user and password where they are needed")  # fmt: skip

    parser.add_argument("--visitors", type=Path, metavar="FILE", help="let anybody have lost sites recovered, out "
                        "of the repositories that the file names, in TOML; without it nobody may")  # fmt: skip


def add_database_option(parser: argparse.ArgumentParser) -> None:
    """Declare where the job store is."""
    parser.add_argument("--database", dest="store_address", default="", metavar="URL",
                        help="a job store in PostgreSQL in place of a file: "
                        "postgresql://USER@HOST/NAME; its password is taken from ~/.pgpass, a service file or "
                        "PGPASSWORD")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Be the service until a signal asks to end."""
    from webkeep.dashboard import build_application
    from webkeep.service.run import run_service

    run_service(build_settings(args, args.until_idle), out.note, build_application)
    out.summary({"folder": str(args.folder)}, "the service has ended; jobs that run go on")
    return DONE


def build_settings(args: argparse.Namespace, is_short: bool = False) -> ServiceSettings:
    """What the options say, refused where no service could run so."""
    from webkeep.service.notices import read_mail_settings
    from webkeep.service.recoveries import read_visitor_settings
    from webkeep.service.run import DiskBudget, JobLimits, ServicePlace, ServiceSettings

    budget = DiskBudget() if args.keep_free is None else DiskBudget(parse_size(args.keep_free))
    limits = JobLimits(args.running, budget)
    place = ServicePlace(args.host, args.public_url, args.replay_url, args.replay_port)
    mail = None if args.mail is None else read_mail_settings(args.mail)
    visitors = None if args.visitors is None else read_visitor_settings(args.visitors)
    if visitors is not None:
        from webkeep.service.run import check_visitor_repositories  # it loads all of recovery

        check_visitor_repositories(visitors)
    where = (args.folder, args.store_address, limits, args.port)
    return ServiceSettings(*where, JOB_PROGRAM, is_short, place, mail, visitors, _read_workers(args))


def _read_workers(args: argparse.Namespace) -> CaptureWorkers | None:
    """Who carries captures out that are for many machines, refused where they could not run."""
    if not args.workers:
        if args.ray:
            raise UsageError("--ray is where workers run; say with --workers how many there may be")
        return None
    from webkeep.api import check_worker_pool
    from webkeep.service.run import CaptureWorkers

    check_worker_pool(args.workers)
    return CaptureWorkers(args.store_address, args.workers, args.ray)
