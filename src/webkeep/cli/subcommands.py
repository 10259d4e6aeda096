"""All subcommands, in the order the help shows them."""

from webkeep.cli import demo, exporting, importing, rebuilding, removing, verifying
from webkeep.cli.subcommand import Subcommand

ALL: tuple[Subcommand, ...] = (importing, exporting, verifying, rebuilding, removing, demo)
