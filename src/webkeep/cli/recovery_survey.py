"""`webkeep recover --dry-run`: who holds what of a name, from when, and what recovering it would cost: the table, the
bars of years, the words for the cost, and the exit code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webkeep.api import RecoveryRequest, inventory_values, run_survey
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_count, format_elapsed, format_moment
from webkeep.recover.politeness import RecoveryEstimate
from webkeep.recover.sources import RepositoryInventory

_BAR_COLUMNS = 40
"""Characters of the longest bar of years, which leaves room for its number on a line of 80."""
_SURVEY_COLUMNS = build_columns("repository", "URLs>", "times seen>", "from", "to", "")


def survey_repositories(request: RecoveryRequest, out: Output) -> int:
    """Ask everybody in a few requests, and say what they hold."""
    done = run_survey(request, WorkView(out))
    out.status("")
    for each in done.inventories:
        out.event("repository", **inventory_values(each))
        if each.miss is not None:
            trouble = each.miss.detail or each.miss.reason.value
            out.note(f"{each.traits.name}: {trouble.removeprefix(f'{each.traits.name}: ')}")
    _print_survey(done.inventories, done.years, out)
    name = done.seeds[0]
    if not done.is_answered:
        out.summary(done.to_dict(), f"nobody could be asked for {name}; see above, and try again when they answer")
        return UNFINISHED
    if not done.held:
        advice = "check how it is spelled, or ask others with --from"
        out.summary(done.to_dict(), f"nobody asked holds anything of {name}; {advice}")
        return FINDINGS
    out.summary(done.to_dict(), _cost_words(done.estimate, done.estimate_doubts))
    return DONE


def _cost_words(estimate: RecoveryEstimate, doubts: Sequence[str]) -> str:
    if doubts:
        least = f"; at least {format_count(estimate.requests, 'request')}" if estimate.requests else ""
        return f"what recovering it takes cannot be told, as {'; '.join(doubts)}{least}"
    if not estimate.requests:
        return "recovering it takes no request, as all of it lies on this machine"
    pace = f", and by their limits at least {format_elapsed(estimate.seconds)}" if estimate.seconds else ""
    return f"recovering it takes about {format_count(estimate.requests, 'request')}{pace}"


def _print_survey(inventories: Sequence[RepositoryInventory], years: Mapping[int, int], out: Output) -> None:
    table = PrintedTable(_SURVEY_COLUMNS, out.line)
    for each in inventories:
        table.add_row(
            each.traits.name,
            f"{each.urls:,}" + ("" if each.is_complete else " or more"),
            f"{each.rows:,}",
            format_moment(each.first)[:10],
            format_moment(each.last)[:10],
            "this page only" if each.is_page_only else "",
        )
    table.finish()
    most = max(years.values(), default=0)
    for year, count in years.items():
        out.line(f"{year}  {'█' * round(count / most * _BAR_COLUMNS) or '▏' if count else ''} {count:,}")
