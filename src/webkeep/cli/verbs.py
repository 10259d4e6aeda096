"""Commands that consist of verbs, such as `webkeep vault plan`: each verb is a module, with its arguments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module

from webkeep.cli.output.console import Output


def add_verbs(
    parser: argparse.ArgumentParser, verbs: Mapping[str, str], package: str, modules: Mapping[str, str] | None = None
) -> None:
    """Declare verbs, each with its help, whose modules are of the same names in a package, or of those given."""
    added = parser.add_subparsers(metavar="VERB", required=True)
    for name, help_text in verbs.items():
        module = import_module(f"{package}.{(modules or {}).get(name, name)}")
        child = added.add_parser(name, help=help_text, description=help_text)
        # The command's own --json comes before the verb; here it must not be forgotten again.
        child.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="events and a summary as JSON lines"
        )
        module.arguments(child)
        child.set_defaults(verb=module.run, verb_name=name)


def run_verb(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    code: int = args.verb(args, out)
    return code
