"""What `webkeep recover` leaves behind: where summary and report are written, which versions go into the copy, its last
word with the JSON keys, and when the exit code says that something is missing.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from webkeep.cli.options.recover_paths import find_original, open_original
from webkeep.cli.output.console import Output
from webkeep.cli.progress.copy_meter import CopyProgressMeter
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.mirror import mirror
from webkeep.mirror.selection import CopySelection
from webkeep.presentation import format_elapsed, format_moment, format_share, format_size
from webkeep.process import atomic_file
from webkeep.recover import RecoveryPlan
from webkeep.recover.report import (
    RecoveryCounts,
    RecoveryFindings,
    SiteComparison,
    compare_with_original,
    describe_completeness,
    read_outcomes,
    rehost,
    render_json_line,
    render_report,
    render_text_line,
    report_headline,
)
from webkeep.recover.run import RecoveryResult, build_alias_redirects
from webkeep.recover.state import RecoveryStore
from webkeep.store.archive import Archive
from webkeep.store.folder import write_error
from webkeep.store.views import ObservationOutline
from webkeep.vault.recovery import find_vaults

_MAX_FLAWS_LISTED = 20
"""So many are told one by one; a screen holds them, and the archive has them all."""


def report_recovery(
    args: argparse.Namespace, plan: RecoveryPlan, recovered: RecoveryResult, flaws: int, out: Output
) -> int:
    """Write all that is wanted, and say what it came to, so many flaws of files aside; gives the exit code."""
    with Archive(args.into) as archive, RecoveryStore(recovered.store_path) as recovery_store:
        counts, written = _write_summary(args, plan, recovered, archive, recovery_store)
        comparison = _compare_with_original(args.compare, plan, archive, recovery_store, out)
        written |= _write_report(
            args.report, archive, recovery_store, _report_findings(plan, recovered, counts, comparison)
        )
        made = _write_exports(args, plan, archive, recovery_store, out)
        vaults = find_vaults(archive)
    for words in recovered.choices:
        out.note(f"not chosen: {words}")
    facts = {
        "archive": str(args.into),
        **_recovery_facts(recovered, counts),
        **_comparison_facts(comparison),
        **written,
        **made,
    }
    facts["vaults"] = vaults
    facts["findings"] = flaws
    out.summary(facts, _recovery_words(recovered, counts, comparison, facts))
    if vaults:
        out.note(
            "its pages carry server components: "
            f"webkeep vault recover {args.into} --into DIR brings back what enough blocks were found of"
        )
    if not recovered.is_finished:
        return UNFINISHED
    is_whole = counts.recovered > counts.redirects and not (
        counts.missing
        or counts.truncated
        or recovered.choices
        or flaws
        or any(d.trouble for d in recovered.repositories)
    )
    return DONE if is_whole else FINDINGS


def _compare_with_original(
    named: str | None, plan: RecoveryPlan, archive: Archive, recovery_store: RecoveryStore, out: Output
) -> SiteComparison | None:
    if named is None:
        return None
    with open_original(find_original(named)) as original:
        comparison = compare_with_original(archive, read_outcomes(recovery_store), original, plan.identity.key)
    if comparison.difference.lost:
        return comparison
    out.note(f"{named} has nothing to compare with: no page of the original came through")
    return None


def _write_summary(
    args: argparse.Namespace,
    plan: RecoveryPlan,
    recovered: RecoveryResult,
    archive: Archive,
    recovery_store: RecoveryStore,
) -> tuple[RecoveryCounts, dict[str, object]]:
    """Write the summary in both forms, and count what stands in it."""
    counts = RecoveryCounts()
    text = args.summary or archive.layout.reports / "recoveries" / f"{recovered.capture}.tsv"
    events, now = text.with_suffix(".jsonl"), archive.clock.now()
    try:
        text.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(text) as for_people, atomic_file(events) as for_programs:
            for line in read_outcomes(recovery_store):
                counts.add(line, plan.at)
                for_programs.write(render_json_line(line).encode("utf-8", "replace"))
                if not line.is_skipped:
                    for_people.write(render_text_line(line, now).encode("utf-8", "replace"))
    except OSError as error:
        raise write_error(text, error) from error
    return counts, {"summary": str(text), "summary_json": str(events)}


def _report_findings(
    plan: RecoveryPlan, recovered: RecoveryResult, counts: RecoveryCounts, comparison: SiteComparison | None
) -> RecoveryFindings:
    at = "" if plan.at is None else f"{format_moment(plan.at)} UTC"
    statuses = tuple(recovered.repositories)
    return RecoveryFindings(plan.seeds, recovered.capture, counts, statuses, recovered.fit_counts, at, comparison)


def _write_report(
    chosen: Path | None, archive: Archive, recovery_store: RecoveryStore, findings: RecoveryFindings
) -> dict[str, object]:
    """Write the report where it is wanted, or else into the archive."""
    report = chosen or archive.layout.reports / "recoveries" / f"{findings.capture}.html"
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(report) as file:
            file.writelines(render_report(findings, lambda: read_outcomes(recovery_store)))
    except OSError as error:
        raise write_error(report, error) from error
    return {"report": str(report)}


def _write_exports(
    args: argparse.Namespace, plan: RecoveryPlan, archive: Archive, recovery_store: RecoveryStore, out: Output
) -> dict[str, object]:
    made: dict[str, object] = {}
    if args.copy is not None:
        with CopyProgressMeter(out) as meter:
            copied = mirror(archive, _chosen_versions(plan, archive, recovery_store), args.copy, None, meter.add_files)
        built = copied.built
        made["copy"] = {"out": str(args.copy), "files": built.files, "missing": len(built.links.missing)}
        _report_flaws(out, args.copy, built.damaged)
    if args.rehost is not None:
        done = rehost(archive, read_outcomes(recovery_store), args.rehost, args.windows_names)
        made["rehost"] = {"out": str(args.rehost), "files": done.files, "redirects": done.redirects}
        _report_flaws(out, args.rehost, done.cut)
    return made


def _report_flaws(out: Output, place: Path, flaws: Mapping[str, str]) -> None:
    """Say what is not whole in an export."""
    for url, flaw in sorted(flaws.items())[:_MAX_FLAWS_LISTED]:
        out.note(f"{place}: {url} is not whole: {flaw}")
    if len(flaws) > _MAX_FLAWS_LISTED:
        out.note(f"{place}: {len(flaws) - _MAX_FLAWS_LISTED:,} more are not whole")


def _chosen_versions(plan: RecoveryPlan, archive: Archive, recovery_store: RecoveryStore) -> CopySelection:
    """The chosen version of every URL, and the redirects between spellings."""
    moments = {
        line.chosen.url: line.chosen.moment.micros for line in read_outcomes(recovery_store) if line.chosen is not None
    }
    moments |= {each.url: each.moment.micros for each in build_alias_redirects(recovery_store)}

    def is_chosen(seen: ObservationOutline) -> bool:
        return moments.get(seen.url) == seen.micros

    return CopySelection(plan.at or archive.clock.now(), accepts=is_chosen)


def _recovery_facts(recovered: RecoveryResult, counts: RecoveryCounts) -> dict[str, object]:
    found = counts.completeness
    fit_counts = recovered.fit_counts
    return {
        "capture": recovered.capture,
        "finished": recovered.is_finished,
        "resumed": recovered.is_resumed,
        "recovered": counts.recovered,
        "current": counts.current,
        "missing": counts.missing,
        "skipped": counts.skipped,
        "further_versions": counts.further,
        "truncated": counts.truncated,
        "redirects": counts.redirects,
        "bytes": counts.bytes,
        "seconds": round(recovered.seconds, 3),
        "unreached": list(recovered.unreachable),
        "requests": {status.name: status.requests for status in recovered.repositories},
        "repositories": dict(counts.by_repository),
        "held": dict(counts.overlap.held_counts),
        "refused": dict(counts.refused),
        "reasons": dict(counts.reasons),
        "years": dict(sorted(counts.by_year.items())),
        "completeness": {"share": found.share, "size": found.size, "by": found.by},
        "spread_days": round(counts.spread_days, 3),
        "staleness_days": round(counts.staleness_days, 3),
        "parts": {
            "pages": fit_counts.pages,
            "parts": fit_counts.parts,
            "missing": fit_counts.missing,
            "violative": fit_counts.violative,
            "doubtful": round(fit_counts.doubtful, 3),
            "spread_days": round(fit_counts.spread_days / fit_counts.pages, 3) if fit_counts.pages else 0.0,
        },
        "efficiency": round(counts.recovered / recovered.requests, 4) if recovered.requests else None,
    }


def _comparison_facts(comparison: SiteComparison | None) -> dict[str, object]:
    if comparison is None:
        return {}
    vector, losses = comparison.vector, comparison.losses
    return {
        "difference": {"changed": vector.changed, "missing": vector.missing, "added": vector.added},
        "losses": {name: getattr(losses, name) for name in ("s1", "s2", "s3", "s4", "s5")},
        "expected": comparison.score,
    }


def _recovery_words(
    recovered: RecoveryResult, counts: RecoveryCounts, comparison: SiteComparison | None, facts: dict[str, object]
) -> str:
    if recovered.unreachable and len(recovered.unreachable) == len(recovered.repositories):
        whom = ", ".join(recovered.unreachable)
        return f"nothing could be asked for: nobody answers at {whom}; check --from; the same command goes on"
    told = [f"{report_headline(counts)} ({format_size(counts.bytes)} in {format_elapsed(recovered.seconds)})"]
    if counts.recovered:
        told.append(f"how complete: {describe_completeness(counts)}")
    if comparison is not None:
        vector = comparison.vector
        told.append(
            f"against the original {format_share(vector.changed)} changed, {format_share(vector.missing)} missing, "
            f"{format_share(vector.added)} added"
        )
    if facts["findings"]:
        told.append("not all could be read that lies on this machine, as told above")
    if recovered.unreachable:
        told.append(f"nobody answered at {', '.join(recovered.unreachable)}")
    told.append(f"see {facts['report']}")
    if not recovered.is_finished:
        told.append("stopped before the end: the same command goes on")
    return "; ".join(told)
