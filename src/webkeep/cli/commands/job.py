"""`webkeep job`: what a service does and is to do; which verbs there are, as subcommands, each a module of
`webkeep.cli.jobs`.
"""

from __future__ import annotations

import argparse

from webkeep.cli.output.console import Output
from webkeep.cli.verbs import add_verbs, run_verb

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
_MODULES = dict.fromkeys(("pause", "resume", "cancel", "retry"), "steering")
"""The module of verbs that have one together."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_verbs(parser, VERBS, "webkeep.cli.jobs", _MODULES)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says, in a folder or by the API of a service that is elsewhere."""
    if isinstance(args.folder, str):
        from webkeep.cli.jobs.remote.remote_verbs import run_remote_verb

        return run_remote_verb(args, out)
    return run_verb(args, out)
