"""`webkeep service join`: a further machine that runs jobs of a service, by a folder and a job store that all share."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.service.run import JOB_PROGRAM, add_database_option
from webkeep.cli.subcommand import DONE
from webkeep.crawl.plan import parse_size


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    from webkeep.service.run import DEFAULT_RUNNING

    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the service, on a file system that "
                        "both machines share, with locks")  # fmt: skip
    add_database_option(parser)
    parser.add_argument("--name", default="", metavar="NAME", help="what the machine is called (its host name)")
    parser.add_argument("--running", type=parse_whole_number, default=DEFAULT_RUNNING, metavar="N",
                        help=f"so many jobs at a time ({DEFAULT_RUNNING})")  # fmt: skip
    parser.add_argument("--keep-free", metavar="SIZE", help="begin nothing where less of the disk is free")


def run(args: argparse.Namespace, out: Output) -> int:
    """Run jobs until a signal asks to end."""
    from webkeep.service.run import (
        DiskBudget,
        JobLimits,
        JoinOrder,
        ServiceSettings,
        host_machine_name,
        join_service,
    )

    budget = DiskBudget() if args.keep_free is None else DiskBudget(parse_size(args.keep_free))
    limits = JobLimits(args.running, budget)
    settings = ServiceSettings(args.folder, args.store_address, limits, program=JOB_PROGRAM)
    order = JoinOrder(settings, args.name or host_machine_name())
    join_service(order, out.note)
    out.summary({"folder": str(args.folder), "machine": order.name}, "the machine has left; jobs that run go on")
    return DONE
