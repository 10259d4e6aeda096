"""What `webkeep recover` leaves behind: summary, report, copy, re-host export, and its last word."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.mirror_progress import Telling
from webkeep.cli.output import Output
from webkeep.cli.recover_original import opened_original, original_at
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.mirror.contents import Wanted
from webkeep.mirror.mirroring import mirror
from webkeep.process.new_file import new_file
from webkeep.recover.account import Account
from webkeep.recover.book import Book
from webkeep.recover.comparison import Comparison, compare
from webkeep.recover.outcome import lines
from webkeep.recover.plan import Plan
from webkeep.recover.recovering import Recovered
from webkeep.recover.rehosting import rehost
from webkeep.recover.report import Findings, completeness_words, headline, report_page
from webkeep.recover.spellings import redirects
from webkeep.recover.summary import json_line, text_line
from webkeep.store.archive import Archive
from webkeep.store.layout import write_failure
from webkeep.store.outlines import Outline

_MOST_FLAWS = 20
"""So many are told one by one."""


def tell_outcome(args: argparse.Namespace, plan: Plan, recovered: Recovered, flaws: int, out: Output) -> int:
    """Write all that is wanted, and say what it came to, so many flaws of files aside; gives the exit code."""
    with Archive(args.into) as archive, Book(recovered.book) as book:
        account, written = _accounted(args, plan, recovered, archive, book)
        comparison = _comparison(args.compare, plan, archive, book, out)
        written |= _reported(args, plan, recovered, archive, book, account, comparison)
        made = _exports(args, plan, archive, book, out)
    for words in recovered.choices:
        out.note(f"not chosen: {words}")
    facts = {"archive": str(args.into), **_facts(recovered, account), **_compared(comparison), **written, **made}
    facts["findings"] = flaws
    out.summary(facts, _words(recovered, account, comparison, facts))
    if not recovered.finished:
        return UNFINISHED
    is_whole = account.recovered > account.redirects and not (
        account.missing or account.truncated or recovered.choices or flaws or any(d.trouble for d in recovered.desks)
    )
    return DONE if is_whole else FINDINGS


def _comparison(named: str | None, plan: Plan, archive: Archive, book: Book, out: Output) -> Comparison | None:
    if named is None:
        return None
    with opened_original(original_at(named)) as original:
        comparison = compare(archive, lines(book), original, plan.identity.key)
    if comparison.difference.lost:
        return comparison
    out.note(f"{named} has nothing to compare with: no page of the original came through")
    return None


def _accounted(
    args: argparse.Namespace, plan: Plan, recovered: Recovered, archive: Archive, book: Book
) -> tuple[Account, dict[str, object]]:
    """Write the summary in both forms, and count what stands in it."""
    account = Account()
    text = args.summary or archive.layout.reports / "recoveries" / f"{recovered.capture}.tsv"
    events, now = text.with_suffix(".jsonl"), archive.clock.now()
    try:
        text.parent.mkdir(parents=True, exist_ok=True)
        with new_file(text) as for_people, new_file(events) as for_programs:
            for line in lines(book):
                account.add(line, plan.at)
                for_programs.write(json_line(line).encode("utf-8", "replace"))
                if not line.is_skipped:
                    for_people.write(text_line(line, now).encode("utf-8", "replace"))
    except OSError as error:
        raise write_failure(text, error) from error
    return account, {"summary": str(text), "summary_json": str(events)}


def _reported(
    args: argparse.Namespace,
    plan: Plan,
    recovered: Recovered,
    archive: Archive,
    book: Book,
    account: Account,
    comparison: Comparison | None,
) -> dict[str, object]:
    report = args.report or archive.layout.reports / "recoveries" / f"{recovered.capture}.html"
    at = "" if plan.at is None else plan.at.iso()
    desks = tuple(recovered.desks)
    findings = Findings(plan.seeds, recovered.capture, account, desks, recovered.tally, at, comparison)
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
        with new_file(report) as file:
            file.writelines(report_page(findings, lambda: lines(book)))
    except OSError as error:
        raise write_failure(report, error) from error
    return {"report": str(report)}


def _exports(args: argparse.Namespace, plan: Plan, archive: Archive, book: Book, out: Output) -> dict[str, object]:
    made: dict[str, object] = {}
    if args.copy is not None:
        with Telling(out) as telling:
            copied = mirror(archive, _chosen(plan, archive, book), args.copy, None, telling.told)
        built = copied.built
        made["copy"] = {"out": str(args.copy), "files": built.files, "missing": len(built.links.missing)}
        _tell_flaws(out, args.copy, built.damaged)
    if args.rehost is not None:
        done = rehost(archive, lines(book), args.rehost, args.windows_names)
        made["rehost"] = {"out": str(args.rehost), "files": done.files, "redirects": done.redirects}
        _tell_flaws(out, args.rehost, done.cut)
    return made


def _tell_flaws(out: Output, place: Path, flaws: Mapping[str, str]) -> None:
    """Say what is not whole in an export."""
    for url, flaw in sorted(flaws.items())[:_MOST_FLAWS]:
        out.note(f"{place}: {url} is not whole: {flaw}")
    if len(flaws) > _MOST_FLAWS:
        out.note(f"{place}: {len(flaws) - _MOST_FLAWS:,} more are not whole")


def _chosen(plan: Plan, archive: Archive, book: Book) -> Wanted:
    """The chosen version of every URL, and the redirects between spellings."""
    moments = {line.chosen.url: line.chosen.moment.micros for line in lines(book) if line.chosen is not None}
    moments |= {each.url: each.moment.micros for each in redirects(book)}

    def is_chosen(seen: Outline) -> bool:
        return moments.get(seen.url) == seen.micros

    return Wanted(plan.at or archive.clock.now(), accepts=is_chosen)


def _facts(recovered: Recovered, account: Account) -> dict[str, object]:
    found = account.completeness
    tally = recovered.tally
    return {
        "capture": recovered.capture,
        "finished": recovered.finished,
        "resumed": recovered.resumed,
        "recovered": account.recovered,
        "current": account.current,
        "missing": account.missing,
        "skipped": account.skipped,
        "further_versions": account.further,
        "truncated": account.truncated,
        "redirects": account.redirects,
        "bytes": account.bytes,
        "seconds": round(recovered.seconds, 3),
        "unreached": list(recovered.unreached),
        "requests": {desk.name: desk.requests for desk in recovered.desks},
        "repositories": dict(account.by_repository),
        "held": dict(account.overlap.holdings),
        "refused": dict(account.refused),
        "reasons": dict(account.reasons),
        "years": dict(sorted(account.by_year.items())),
        "completeness": {"share": found.share, "size": found.size, "by": found.by},
        "spread_days": round(account.spread_days, 3),
        "staleness_days": round(account.staleness_days, 3),
        "parts": {
            "pages": tally.pages,
            "parts": tally.parts,
            "missing": tally.missing,
            "violative": tally.violative,
            "doubtful": round(tally.doubtful, 3),
            "spread_days": round(tally.spread_days / tally.pages, 3) if tally.pages else 0.0,
        },
        "efficiency": round(account.recovered / recovered.requests, 4) if recovered.requests else None,
    }


def _compared(comparison: Comparison | None) -> dict[str, object]:
    if comparison is None:
        return {}
    vector, losses = comparison.vector, comparison.losses
    return {
        "difference": {"changed": vector.changed, "missing": vector.missing, "added": vector.added},
        "losses": {name: getattr(losses, name) for name in ("s1", "s2", "s3", "s4", "s5")},
        "expected": comparison.score,
    }


def _words(recovered: Recovered, account: Account, comparison: Comparison | None, facts: dict[str, object]) -> str:
    if recovered.unreached and len(recovered.unreached) == len(recovered.desks):
        whom = ", ".join(recovered.unreached)
        return f"nothing could be asked for: nobody answers at {whom}; check --from; the same command goes on"
    told = [f"{headline(account)} ({measure.size(account.bytes)} in {measure.elapsed(recovered.seconds)})"]
    if account.recovered:
        told.append(f"how complete: {completeness_words(account)}")
    if comparison is not None:
        vector = comparison.vector
        told.append(
            f"against the original {vector.changed:.1%} changed, {vector.missing:.1%} missing, {vector.added:.1%} added"
        )
    if facts["findings"]:
        told.append("not all could be read that lies on this machine, as told above")
    if recovered.unreached:
        told.append(f"nobody answered at {', '.join(recovered.unreached)}")
    told.append(f"see {facts['report']}")
    if not recovered.finished:
        told.append("stopped before the end: the same command goes on")
    return "; ".join(told)
