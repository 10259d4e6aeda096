"""`webkeep vault`: server components into pages and back; which verbs there are, as subcommands, each a module of
`webkeep.cli.vault`.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from webkeep.cli.output.console import Output

VERBS = {
    "plan": "Propose how server components are spread over pages, and say how likely they come back.",
    "protect": "Seal server components and spread them over the pages of their site.",
    "health": "Say which blocks archives hold today, and whether everything could be recovered now.",
    "recover": "Bring server components back out of whatever holds pages of their site.",
}
"""Each verb with its help, in the order the help shows them; its module is of the same name."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, help_text in VERBS.items():
        module = import_module(f"webkeep.cli.vault.{name}")
        child = verbs.add_parser(name, help=help_text, description=help_text)
        # The command's own --json comes before the verb; here it must not be forgotten again.
        child.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="events and a summary as JSON lines"
        )
        module.arguments(child)
        child.set_defaults(vault_verb=module.run)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    code: int = args.vault_verb(args, out)
    return code
