"""`webkeep mirror`: a copy of a site that opens in any browser from a disk, or one page as a single file: its options,
and what is said of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from webkeep.api import VersionChoice, run_mirror, run_mirror_page
from webkeep.cli.options.mirror_options import (
    add_content_arguments,
    add_form_arguments,
    describe_copy,
    describe_single_file,
    form_from_arguments,
)
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.url.scope import rules_from_filters


class _SignedRuleAction(argparse.Action):
    """Gathers the rules of several options in the order they were given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Put one more rule behind the others."""
        sign = {"--include": "+", "--exclude": "-"}.get(option_string or "")
        new = rules_from_filters(str(values)) if sign is None else [f"{sign}{values}"]
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *new])


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new folder, or a copy that webkeep made")
    parser.add_argument("--at", metavar="MOMENT", help="the versions nearest to this moment (default: the latest)")
    parser.add_argument("--strictly", action="store_true", help="nothing that was seen after the moment")
    parser.add_argument("--capture", metavar="ID", help="only what this capture saw")
    parser.add_argument(
        "--include",
        dest="rules",
        action=_SignedRuleAction,
        metavar="RULE",
        help="take in by rule, such as '*.pdf'; the last that holds decides",
    )
    parser.add_argument("--exclude", dest="rules", action=_SignedRuleAction, metavar="RULE", help="leave out by rule")
    parser.add_argument(
        "--filters",
        dest="rules",
        action=_SignedRuleAction,
        metavar="FILTERS",
        help="both, as HTTrack has them: '+*.gif -*/cgi/*'",
    )
    add_content_arguments(parser)
    add_form_arguments(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the copy; things that are missing in it make the exit code 1."""
    choice = VersionChoice(args.at, args.strictly, args.capture, args.with_gone, tuple(args.rules or ()))
    if args.single_file is not None:
        return _write_single_file(args, choice, out)
    made = run_mirror(args.archive, args.out, choice, form_from_arguments(args), WorkView(out))
    out.summary(made.to_dict(), describe_copy(made))
    return DONE if made.is_whole else FINDINGS


def _write_single_file(args: argparse.Namespace, choice: VersionChoice, out: Output) -> int:
    page = (args.archive, args.single_file)
    single = run_mirror_page(page, args.out, choice, form_from_arguments(args), WorkView(out))
    out.summary(single.to_dict(), describe_single_file(single))
    return DONE if single.is_whole else FINDINGS
