"""Commands that consist of verbs, such as `webkeep vault plan`: each verb is a module, with its arguments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module

from webkeep.cli.output.console import Output

IMPLIED_VERB = "implied_verb"
"""The default of a parser that has the verb which is meant where none is said, as in `webkeep service FOLDER`."""


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


def imply_verb(parser: argparse.ArgumentParser, verb: str) -> None:
    """Have calls that begin with no verb mean this one; what is called like a verb is then written `./NAME`."""
    parser.set_defaults(**{IMPLIED_VERB: verb})


def spell_out_verb(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """The words of a call with the verb that they imply."""
    implied = parser.get_default(IMPLIED_VERB)
    first = next((word for word in words if word != "--json"), "")
    actions = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if implied is None or first in ("", "-h", "--help") or any(first in each.choices for each in actions):
        return list(words)
    return [implied, *words]


def run_verb(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    code: int = args.verb(args, out)
    return code
