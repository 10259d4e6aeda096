"""All subcommands, in the order the help shows them."""

from webkeep.cli.subcommand import Subcommand

ALL: tuple[Subcommand, ...] = ()
