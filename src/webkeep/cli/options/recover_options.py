"""The options of `webkeep recover` with their help texts, and the plan they make. Names of an older tool (Warrick) are
understood too; here stands what each means now, or what is advised instead.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from webkeep.api import RecoveryNetwork, RecoveryRequest, RecoveryTargets, build_recovery_plan
from webkeep.cli.options.capture_options import SignedRuleAction
from webkeep.cli.options.plan_defaults import default_of, describe_default_scope
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.crawl.plan import parse_size
from webkeep.errors import UsageError
from webkeep.fetch import USER_AGENT
from webkeep.model import Moment, parse_moment, parse_period_end
from webkeep.presentation import write_size
from webkeep.recover import RecoveryPlan, RecoveryPolicy
from webkeep.recover.repositories import RepositoryTimeouts
from webkeep.url.scope import ScopeExtent

_HIDDEN = argparse.SUPPRESS
_POLICY_HELP = {
    "naive": "links only, everyone is asked",
    "knowledgeable": "links only, of those who have it by their lists",
    "exhaustive": "all that is on a list, of everyone who has it",
    "sparing": "all that is on a list, in as few requests as can be",
}


_NAIVE_OPTIONS = ("-nl", "--no-lister-queries", "--no-list-queries")
_EXHAUSTIVE_OPTIONS = ("-c", "--complete-recovery", "--complete")
_IGNORED_OPTIONS = (
    ("-r", "--recursive"), ("-k", "--convert-links"), ("-vl", "--view-local"), ("-nc", "--no-clobber"),
    ("-v", "--verbose"), ("-nv", "--no-verbose"), ("-d", "--debug"), ("-ga", "--google-api"),
)  # fmt: skip


def _parse_days(text: str) -> float:
    """Read a number of days that is not negative."""
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not days >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be; give a number of days, 0 or more")
    return days


class _DateRangeAction(argparse.Action):
    """Reads `2004-02-01:2005-08-31`, or a year."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Keep both ends, which belong to it."""
        begin, colon, end = str(values).partition(":")
        namespace.from_date, namespace.to_date = begin or None, (end if colon else begin) or None


def add_recover_options(parser: argparse.ArgumentParser) -> None:
    """Declare everything."""
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="the lost site, such as http://lost-site.example/")
    parser.add_argument("--from", dest="repositories", action="append", default=[], metavar="REPOSITORY",
                        help="who may hold it: a known name, memento=URL, cdx=URL, warc=PATH, archive=PATH, a path, "
                        "live; as often as needed")  # fmt: skip
    parser.add_argument(
        "--into", type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there"
    )
    _add_scope_options(parser)
    _add_version_options(parser)
    _add_output_options(parser)
    _add_connection_options(parser)
    _add_legacy_options(parser)


def _add_scope_options(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to recover")
    what.add_argument(
        "--scope", choices=list(ScopeExtent), help=f"how far around each seed ({describe_default_scope(RecoveryPlan)})"
    )
    what.add_argument(
        "--include", dest="rules", action=SignedRuleAction, metavar="RULE", help="take in, such as '*.pdf'"
    )
    what.add_argument(
        "--exclude", dest="rules", action=SignedRuleAction, metavar="RULE", help="leave out; the last rule decides"
    )
    what.add_argument("--no-requisites", action="store_true", help="leave out page requisites beyond the scope")
    what.add_argument("--policy", choices=list(RecoveryPolicy), metavar="NAME",
                      default=default_of(RecoveryPlan, "policy"),
                      help="; ".join(f"{name}: {words}" for name, words in _POLICY_HELP.items()))  # fmt: skip
    what.add_argument("--linked-only", action="store_true", help="the site as it was last, without older parts")
    what.add_argument("--max-resources", type=parse_whole_number, metavar="N", help="end after so many resources")
    what.add_argument("--ignore-case", action="store_true", help="the server did not tell /A from /a")
    what.add_argument("--lost-slashes", action="store_true", help="archives dropped the trailing slash of directories")


def _add_version_options(parser: argparse.ArgumentParser) -> None:
    when = parser.add_argument_group("which versions")
    reach = default_of(RecoveryPlan, "reach")
    when.add_argument("--at", metavar="MOMENT", help="as it was then (default: the newest)")
    when.add_argument("--from-date", metavar="MOMENT", help="nothing that is older")
    when.add_argument("--to-date", metavar="MOMENT", help="nothing that is younger; a day, month or year is whole")
    when.add_argument("--any-form", action="store_true", help="newer converted copies before older originals")
    when.add_argument("--reach", type=_parse_days, default=reach, metavar="DAYS",
                      help=f"how much further away a page may be if its parts fit it better ({reach:g})")  # fmt: skip
    when.add_argument("--choose", action="append", default=[], metavar="URL=MOMENT[@REPOSITORY]",
                      help="take this version, whatever else is better")  # fmt: skip
    when.add_argument("--choices", type=Path, metavar="FILE", help="the same, one to a line")
    when.add_argument("--trust-all", action="store_true", help="refuse nothing that looks like an error or a login")


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    got = parser.add_argument_group("what you get")
    got.add_argument(
        "--dry-run", action="store_true", help="only say who holds what, from when, and what it would cost"
    )
    got.add_argument("--copy", type=Path, metavar="OUT", help="also a copy that opens in any browser")
    got.add_argument(
        "--rehost", type=Path, metavar="OUT", help="also the files under their old paths, for a web server"
    )
    got.add_argument("--windows-names", action="store_true", help="names that Windows can have, with --rehost")
    got.add_argument("--summary", type=Path, metavar="FILE", help="where the summary goes")
    got.add_argument("--report", type=Path, metavar="FILE", help="where the report goes (ARCHIVE/reports)")
    got.add_argument("--compare", metavar="ORIGINAL",
                     help="compare it with a capture of the original: an archive, WARC or WACZ files")  # fmt: skip
    got.add_argument("--new", action="store_true", help="begin anew, whatever was recovered before")


def _add_connection_options(parser: argparse.ArgumentParser) -> None:
    way = parser.add_argument_group("network")
    usual_size = write_size(RepositoryTimeouts().fetch_limits.size)
    way.add_argument("--max-size", metavar="SIZE", help=f"truncate longer versions ({usual_size})")
    usual = default_of(RecoveryPlan, "connections")
    way.add_argument(
        "--connections",
        type=parse_whole_number,
        default=usual,
        metavar="N",
        help=f"requests under way at a time ({usual})",
    )
    way.add_argument("--stop-file", default="", metavar="FILE", help="end as soon as there is a file of this name")
    way.add_argument("--proxy", default="", metavar="URL", help="http://, https://, socks5:// or socks5h://")
    way.add_argument(
        "--resolve",
        action="append",
        default=[],
        metavar="HOST:PORT:ADDRESS",
        help="HOST:PORT is at ADDRESS, as in curl",
    )
    way.add_argument("--user-agent", default=USER_AGENT, metavar="TEXT", help="who we say we are")
    way.add_argument("--insecure", action="store_true", help="accept invalid certificates")
    way.add_argument(
        "--ledger", type=Path, metavar="FILE", help="the ledger of requests to repositories (one for all your runs)"
    )
    way.add_argument(
        "--repositories", dest="declarations", type=Path, metavar="FILE", help="declares further archives, by name"
    )


def _add_legacy_options(parser: argparse.ArgumentParser) -> None:
    """What people may know from the tool that did this first."""
    old = parser.add_argument
    for policy, names in ((RecoveryPolicy.NAIVE, _NAIVE_OPTIONS), (RecoveryPolicy.EXHAUSTIVE, _EXHAUSTIVE_OPTIONS)):
        old(*names, dest="policy", action="store_const", const=policy, default=_HIDDEN, help=_HIDDEN)
    old("-n", "--number-download", dest="max_resources", type=parse_whole_number, default=_HIDDEN, help=_HIDDEN)
    old("-dr", "--date-range", action=_DateRangeAction, dest="from_date", default=_HIDDEN, help=_HIDDEN)
    old("-m", "--most-recent", dest="any_form", action="store_true", default=_HIDDEN, help=_HIDDEN)
    old("-wr", "--web-repo", dest="repositories", action="append", default=_HIDDEN, help=_HIDDEN)
    old("-ic", dest="ignore_case", action="store_true", default=_HIDDEN, help=_HIDDEN)
    old("-t", "--terminate-file", dest="stop_file", default=_HIDDEN, help=_HIDDEN)
    old("-s", "--summary-file", dest="summary", type=Path, default=_HIDDEN, help=_HIDDEN)
    old("-Y", dest="proxy", default=_HIDDEN, help=_HIDDEN)
    old("-D", "--target-directory", dest="copy", type=Path, default=_HIDDEN, help=_HIDDEN)
    old("-o", "--output-file", dest="log", default="", help=_HIDDEN)
    old("-w", "--wait", dest="wait", default="", help=_HIDDEN)
    old("-ql", "--query-limits", dest="query_limits", default="", help=_HIDDEN)
    old("-I", "--initial-used-queries", dest="used_queries", default="", help=_HIDDEN)
    old("-gk", "--google-key", dest="key", default="", help=_HIDDEN)
    for short, long in _IGNORED_OPTIONS:
        old(short, long, dest=f"old_{long[2:].replace('-', '_')}", action="store_true", help=_HIDDEN)


_LEGACY_ADVICE = {
    "log": "events go to standard output with --json; redirect that",
    "wait": "each archive is asked at the pace it wants; to slow down, give --from 'cdx=URL limit=10/minute'",
    "query_limits": "each archive has limits of its own; to set others, give --from 'cdx=URL limit=10/minute'",
    "used_queries": "all your requests are counted, whichever program sent them",
    "key": "the search engines' caches are gone",
    "old_google_api": "the search engines' caches are gone",
    "old_recursive": "whole sites are recovered unless you say --scope page",
    "old_no_clobber": "what was recovered before always stays; run the same command again",
}


def legacy_option_advice(args: argparse.Namespace) -> list[str]:
    """What is to be said of old options that mean nothing any more."""
    return [words for name, words in _LEGACY_ADVICE.items() if getattr(args, name, None)]


def recovery_request_from_arguments(args: argparse.Namespace, now: Moment) -> RecoveryRequest:
    """What the options ask for."""
    plan = build_recovery_plan(args.seeds, args.repositories, _plan_values(args, now))
    network = RecoveryNetwork(args.user_agent, tuple(args.resolve), args.proxy, args.insecure)
    targets = RecoveryTargets(args.copy, args.rehost, args.windows_names, args.summary, args.report, args.compare)
    return RecoveryRequest(
        plan,
        args.into,
        targets,
        () if args.dry_run else tuple(_read_choices(args)),
        args.ledger,
        args.declarations,
        network,
        parse_size(args.max_size) if args.max_size else None,
        args.new,
    )


def _plan_values(args: argparse.Namespace, now: Moment) -> dict[str, Any]:
    return {
        **({"scope": ScopeExtent(args.scope)} if args.scope else {}),
        "rules": tuple(args.rules or ()),
        "requisites": not args.no_requisites,
        "policy": RecoveryPolicy(args.policy),
        "linked_only": args.linked_only,
        "at": parse_moment(args.at, now) if args.at else None,
        "since": parse_moment(args.from_date, now) if args.from_date else None,
        "until": parse_period_end(args.to_date, now) if args.to_date else None,
        "any_form": args.any_form,
        "ignore_case": args.ignore_case,
        "lost_slashes": args.lost_slashes,
        "suspicious": not args.trust_all,
        "reach": args.reach,
        "connections": args.connections,
        "most": args.max_resources,
        "until_file": args.stop_file,
    }


def _read_choices(args: argparse.Namespace) -> list[str]:
    """The versions that a person chose, on the command line and in a file."""
    chosen = list(args.choose)
    if args.choices is not None:
        try:
            text = args.choices.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {args.choices} ({error}); give a file of lines URL=MOMENT") from error
        chosen += [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return chosen
