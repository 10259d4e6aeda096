"""`webkeep mirror`: a copy of a site that opens in any browser from a disk, or one page as a single file; how rules and
HTTrack filters decide which URLs are in and which come along as parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.options.mirror_options import (
    add_content_arguments,
    add_form_arguments,
    check_single_file,
    form_from_arguments,
    report_copy,
    write_single_file,
)
from webkeep.cli.output.console import Output
from webkeep.cli.progress.copy_meter import CopyProgressMeter
from webkeep.mirror import mirror
from webkeep.mirror.selection import CopySelection
from webkeep.model import parse_moment
from webkeep.url.scope import BOUNDS_RULE, Scope, exclude_rule, include_rule, rules_from_filters


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
    check_single_file(args)
    with open_archive(args.archive, out) as archive:
        now = archive.clock.now()
        capture = archive.capture(args.capture).id if args.capture else ""
        at = parse_moment(args.at, now) if args.at else now
        wanted = CopySelection(
            at, args.strictly, capture, *_build_url_filters(args.rules or []), with_gone=args.with_gone
        )
        form = form_from_arguments(args, archive, at if args.at else None)
        if args.single_file is not None:
            return write_single_file(args, out, archive, wanted, form)
        with CopyProgressMeter(out) as meter:
            made = mirror(archive, wanted, args.out, form, meter.add_files)
        return report_copy(args, out, made, {})


def _build_url_filters(rules: list[str]) -> tuple[Callable[[str], bool], Callable[[str], bool] | None]:
    """Which URLs the rules take in, without any all; and which, left open by them, come along where embedded."""
    if not rules:
        return lambda _: True, None
    read = [include_rule(text[1:]) if text.startswith("+") else exclude_rule(text[1:]) for text in rules]
    scope = Scope([], read, requisites=False)
    if rules[0].startswith("-"):
        return lambda url: (decision := scope.judge(url)).is_allowed or decision.rule == BOUNDS_RULE, None
    return lambda url: scope.judge(url).is_allowed, lambda url: scope.judge(url).rule == BOUNDS_RULE
