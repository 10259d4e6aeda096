"""What a recovery leaves behind: where summary and report are written, which versions go into the copy, and how it
compares with the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webkeep.api.copies import write_copy
from webkeep.api.recovery_paths import find_original, open_original
from webkeep.api.work_listener import WorkListener
from webkeep.mirror.selection import CopySelection
from webkeep.presentation import format_moment
from webkeep.process import atomic_file
from webkeep.recover import RecoveryPlan
from webkeep.recover.report import (
    RecoveryCounts,
    RecoveryFindings,
    SiteComparison,
    compare_with_original,
    read_outcomes,
    rehost,
    render_json_line,
    render_report,
    render_text_line,
)
from webkeep.recover.run import RecoveryResult, build_alias_redirects
from webkeep.recover.state import RecoveryStore
from webkeep.store.archive import Archive
from webkeep.store.folder import write_error
from webkeep.store.views import ObservationOutline
from webkeep.vault.recovery import find_vaults

_MAX_FLAWS_LISTED = 20
"""So many are told one by one; a screen holds them, and the archive has them all."""


@dataclass(frozen=True, slots=True)
class RecoveryTargets:
    """What is wanted beside the archive."""

    copy: Path | None = None
    """A copy that opens in any browser."""
    rehost: Path | None = None
    """The files under their old paths, for a web server."""
    windows_names: bool = False
    summary: Path | None = None
    report: Path | None = None
    compare: str | None = None
    """A capture of the original."""


@dataclass(frozen=True, slots=True)
class WrittenRecovery:
    """What was counted, compared and written at the end of a recovery."""

    counts: RecoveryCounts
    comparison: SiteComparison | None
    """With the original, where one was given and a page of it came through."""
    summary: Path
    """The resources one by one, for people; and the same for programs beside it."""
    summary_json: Path
    report: Path
    exports: Mapping[str, Mapping[str, object]]
    """What the `copy` and the `rehost` export came to, where they were wanted."""
    vaults: list[str]
    """The vaults whose blocks its pages carry."""

    def to_dict(self) -> dict[str, object]:
        """What programs are told of it."""
        files = {"summary": str(self.summary), "summary_json": str(self.summary_json), "report": str(self.report)}
        return {**_comparison_values(self.comparison), **files, **self.exports, "vaults": self.vaults}


def write_recovery(
    plan: RecoveryPlan, result: RecoveryResult, into: Path, targets: RecoveryTargets, listener: WorkListener
) -> WrittenRecovery:
    """Write all that is wanted of a recovery."""
    with Archive(into) as archive, RecoveryStore(result.store_path) as store:
        text = targets.summary or archive.layout.reports / "recoveries" / f"{result.capture}.tsv"
        counts = _write_summary(plan, text, archive, store)
        comparison = _compare_with_original(targets.compare, plan, archive, store, listener)
        report = targets.report or archive.layout.reports / "recoveries" / f"{result.capture}.html"
        _write_report(report, store, _report_findings(plan, result, counts, comparison))
        exports = _write_exports(plan, archive, store, targets, listener) if counts.recovered else {}
        vaults = find_vaults(archive)
    if not counts.recovered and (targets.copy or targets.rehost):
        listener.on_note("nothing is back that could be copied")
    for words in result.choices:
        listener.on_note(f"not chosen: {words}")
    return WrittenRecovery(counts, comparison, text, text.with_suffix(".jsonl"), report, exports, vaults)


def _compare_with_original(
    named: str | None, plan: RecoveryPlan, archive: Archive, store: RecoveryStore, listener: WorkListener
) -> SiteComparison | None:
    if named is None:
        return None
    with open_original(find_original(named)) as original:
        comparison = compare_with_original(archive, read_outcomes(store), original, plan.identity.key)
    if comparison.difference.lost:
        return comparison
    listener.on_note(f"{named} has nothing to compare with: no page of the original came through")
    return None


def _write_summary(plan: RecoveryPlan, text: Path, archive: Archive, store: RecoveryStore) -> RecoveryCounts:
    """Write the summary in both forms, and count what stands in it."""
    counts, now = RecoveryCounts(), archive.clock.now()
    try:
        text.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(text) as for_people, atomic_file(text.with_suffix(".jsonl")) as for_programs:
            for line in read_outcomes(store):
                counts.add(line, plan.at)
                for_programs.write(render_json_line(line).encode("utf-8", "replace"))
                if not line.is_skipped:
                    for_people.write(render_text_line(line, now).encode("utf-8", "replace"))
    except OSError as error:
        raise write_error(text, error) from error
    return counts


def _report_findings(
    plan: RecoveryPlan, result: RecoveryResult, counts: RecoveryCounts, comparison: SiteComparison | None
) -> RecoveryFindings:
    at = "" if plan.at is None else f"{format_moment(plan.at)} UTC"
    statuses = tuple(result.repositories)
    return RecoveryFindings(plan.seeds, result.capture, counts, statuses, result.fit_counts, at, comparison)


def _write_report(report: Path, store: RecoveryStore, findings: RecoveryFindings) -> None:
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(report) as file:
            file.writelines(render_report(findings, lambda: read_outcomes(store)))
    except OSError as error:
        raise write_error(report, error) from error


def _write_exports(
    plan: RecoveryPlan, archive: Archive, store: RecoveryStore, targets: RecoveryTargets, listener: WorkListener
) -> dict[str, dict[str, object]]:
    made: dict[str, dict[str, object]] = {}
    if targets.copy is not None:
        copied = write_copy(archive, _chosen_versions(plan, archive, store), targets.copy, None, listener)
        made["copy"] = {"out": str(targets.copy), "files": copied.files, "missing": copied.missing}
    if targets.rehost is not None:
        done = rehost(archive, read_outcomes(store), targets.rehost, targets.windows_names)
        made["rehost"] = {"out": str(targets.rehost), "files": done.files, "redirects": done.redirects}
        _tell_flaws(listener, targets.rehost, done.cut)
    return made


def _tell_flaws(listener: WorkListener, place: Path, flaws: Mapping[str, str]) -> None:
    """Say what is not whole in an export."""
    for url, flaw in sorted(flaws.items())[:_MAX_FLAWS_LISTED]:
        listener.on_note(f"{place}: {url} is not whole: {flaw}")
    if len(flaws) > _MAX_FLAWS_LISTED:
        listener.on_note(f"{place}: {len(flaws) - _MAX_FLAWS_LISTED:,} more are not whole")


def _chosen_versions(plan: RecoveryPlan, archive: Archive, store: RecoveryStore) -> CopySelection:
    """The chosen version of every URL, and the redirects between spellings."""
    moments = {line.chosen.url: line.chosen.moment.micros for line in read_outcomes(store) if line.chosen is not None}
    moments |= {each.url: each.moment.micros for each in build_alias_redirects(store)}

    def is_chosen(seen: ObservationOutline) -> bool:
        return moments.get(seen.url) == seen.micros

    return CopySelection(plan.at or archive.clock.now(), accepts=is_chosen)


def _comparison_values(comparison: SiteComparison | None) -> dict[str, object]:
    if comparison is None:
        return {}
    vector, losses = comparison.vector, comparison.losses
    return {
        "difference": {"changed": vector.changed, "missing": vector.missing, "added": vector.added},
        "losses": {name: getattr(losses, name) for name in ("s1", "s2", "s3", "s4", "s5")},
        "expected": comparison.score,
    }
