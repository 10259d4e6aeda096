"""`webkeep job`: what a service does and is to do; which verbs there are, as subcommands, each a module of
`webkeep.cli.jobs`.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from webkeep.cli.output.console import Output

VERBS = {
    "collection": "Begin a collection, change what is said of it, or show it; without a name, list all.",
    "seeds": "Take seeds into a collection: a table (CSV), an outline (OPML), a sitemap, a feed, a list, an archive.",
    "submit": "Have seeds captured: some, or all of a collection.",
    "list": "List jobs, the newest first.",
    "show": "Show a job: its plan, what happened to it, and what came of it.",
    "pause": "Stop a job in good order, to go on later.",
    "resume": "Go on with a job that was paused.",
    "cancel": "End a job for good; what it captured stays.",
    "retry": "Have a job that failed done again.",
    "schedule": "Have seeds captured again and again; without times, list schedules.",
    "watch": "Have captured what is new in a feed, a sitemap or an OAI-PMH set; without any, list what is watched.",
}
"""Each verb with its help, in the order the help shows them."""
_MODULES = {"pause": "steering", "resume": "steering", "cancel": "steering", "retry": "steering", "list": "listing"}
"""The module of a verb, where it is called otherwise."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, help_text in VERBS.items():
        module = import_module(f"webkeep.cli.jobs.{_MODULES.get(name, name)}")
        child = verbs.add_parser(name, help=help_text, description=help_text)
        # The command's own --json comes before the verb; here it must not be forgotten again.
        child.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="events and a summary as JSON lines"
        )
        module.arguments(child)
        child.set_defaults(job_verb=name, run_verb=module.run)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    code: int = args.run_verb(args, out)
    return code
