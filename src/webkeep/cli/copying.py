"""`webkeep copy`: from the web to a copy on a disk in one step; the archive is kept beside it."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.capture_board import Board
from webkeep.cli.capture_options import add_options, plan_from
from webkeep.cli.captured import captured_facts, carry_out, outcome_words, tell_afterwards
from webkeep.cli.findings import FindingLines
from webkeep.cli.mirror_options import FORM, finished, form_arguments, form_of, look_of
from webkeep.cli.mirror_progress import Telling
from webkeep.cli.output import Output
from webkeep.cli.subcommand import UNFINISHED
from webkeep.errors import UsageError
from webkeep.mirror.contents import Wanted
from webkeep.mirror.freezing import check_addresses
from webkeep.mirror.mirroring import check_targets, mirror
from webkeep.store.archive import Archive
from webkeep.store.writable import WritableArchive
from webkeep.url.httrack_filter import httrack_rules

_ENDING = ".archive"
_OWN = frozenset({"out", "filters", *FORM})


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs=1, metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new folder, or a copy that webkeep made")
    parser.add_argument("--into", type=Path, metavar="ARCHIVE", help=f"where the archive is kept (OUT{_ENDING})")
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    parser.add_argument("--filters", metavar="FILTERS", help="rules as HTTrack has them: '+*.gif -*/cgi/*'")
    form_arguments(parser)
    add_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, then write the copy of what was captured."""
    check_targets(args.out, look_of(args))
    check_addresses(args.freeze)
    into = args.into or args.out.with_name(f"{args.out.name}{_ENDING}")
    if not into.absolute().parent.is_dir():
        raise UsageError(f"there is no directory {into.absolute().parent} to make the archive {into.name} in")
    plan = plan_from(_for_the_plan(args), out.note)
    with WritableArchive.open_or_create(into) as archive:
        FindingLines(out).tell_all(archive.recovered)
        board = Board(out, plan.retries > 0)
        captured, _ = carry_out(plan, archive, board, args.new)
        out.status("")
    code = tell_afterwards(plan, captured, board, out)
    facts = {"archive": str(into), **captured_facts(captured)}
    if code == UNFINISHED:
        out.summary({**facts, "out": str(args.out)}, outcome_words(captured))
        return code
    out.note(outcome_words(captured))
    with Archive(into) as archive, Telling(out) as telling:
        wanted = Wanted(archive.clock.now(), capture=captured.capture)
        made = mirror(archive, wanted, args.out, form_of(args, archive), telling.told)
    return max(code, finished(args, out, made, facts))


def _for_the_plan(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments without those that are about the copy."""
    values = {name: value for name, value in vars(args).items() if name not in _OWN}
    if args.filters:
        values["rules"] = [*(values.get("rules") or []), *httrack_rules(args.filters)]
    return argparse.Namespace(**values)
