"""The options that name server components and which of their files are packed, and the components they make."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.process import DumpKind
from webkeep.vault.components import Component, SelectionPolicy, SelectionRules, parse_component, parse_dump

_DUMP_HELP = {
    "--postgresql": "a PostgreSQL database, by its name or address, dumped by pg_dump",
    "--mysql": "a MySQL or MariaDB database, dumped by mysqldump",
    "--sqlite": "the file of an SQLite database, copied while others may write to it",
}


def add_component_options(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    what = parser.add_argument_group("components, what a site cannot do without first")
    what.add_argument("--component", dest="components", action=_ComponentAction, default=[], metavar="[NAME=]PATH",
                      help="a directory or a file; as often as needed")  # fmt: skip
    for option, help_text in _DUMP_HELP.items():
        what.add_argument(option, dest="components", action=_ComponentAction, metavar="[NAME=]DATABASE", help=help_text)
    what.add_argument("--dump", dest="components", action=_ComponentAction, metavar="NAME=COMMAND",
                      help="what a command prints, kept as one file")  # fmt: skip
    what.add_argument("--include", action="append", default=[], metavar="RULE",
                      help="pack such files, and others only if they are included too, such as '*.conf'")  # fmt: skip
    what.add_argument("--exclude", action="append", default=[], metavar="RULE", help="leave such files out")
    what.add_argument("--selection", type=SelectionPolicy, choices=list(SelectionPolicy),
                      default=SelectionPolicy.OPTIMISTIC,
                      help="optimistic: without what archives can crawl and what can be installed again (the default); "
                      "pessimistic: everything")  # fmt: skip


class _ComponentAction(argparse.Action):
    """Keeps components of all kinds in the order in which they were given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Add one."""
        name, text = (option_string or "").lstrip("-"), str(values)
        given = [*getattr(namespace, self.dest), (name, text)]
        setattr(namespace, self.dest, given)


def components_from_arguments(args: argparse.Namespace) -> tuple[Component, ...]:
    """The components that were named, in their order."""
    if not args.components:
        raise UsageError("nothing to protect; name a component, such as --component /srv/app or --postgresql shop")
    return tuple(_parse_named(name, text) for name, text in args.components)


def _parse_named(option: str, text: str) -> Component:
    if option == "component":
        return parse_component(text)
    return parse_dump(DumpKind.COMMAND if option == "dump" else DumpKind(option), text)


def rules_from_arguments(args: argparse.Namespace, carriers: frozenset[Path]) -> SelectionRules:
    """Which files of components are packed; none that carry the vault."""
    return SelectionRules(args.selection, tuple(args.include), tuple(args.exclude), carriers)
