"""`recover` and `survey`: a lost website brought back out of the archives that hold pieces of it; in which order a call
is checked, and its summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import (
    StrPath,
    Texts,
    list_texts,
    read_choice,
    read_path,
    read_path_or_none,
)
from webkeep.api.arguments.capture_options import Size
from webkeep.api.logged_writing import open_to_write
from webkeep.api.recovery_files import RecoveryTargets, WrittenRecovery, write_recovery
from webkeep.api.recovery_paths import check_recovery_paths
from webkeep.api.work_listener import (
    CallbackListener,
    FindingCallback,
    FindingTally,
    NoteCallback,
    ProgressCallback,
    WorkListener,
)
from webkeep.api.work_summary import WorkSummary
from webkeep.clock import SystemClock
from webkeep.crawl.plan import parse_size
from webkeep.errors import UsageError
from webkeep.fetch import USER_AGENT, FetchSettings, parse_resolve
from webkeep.model import Finding, MomentLike, parse_period_end, read_moment
from webkeep.process import call_cleanly
from webkeep.recover import RecoveryPlan, RecoveryPolicy
from webkeep.recover.repositories import Repository, RepositoryTimeouts
from webkeep.recover.run import (
    NullRecoveryObserver,
    RecoveryObserver,
    RecoveryProgress,
    RecoveryResult,
    recover as recover_site,
    resolve_choice_repository,
)
from webkeep.recover.sources import RepositoryContext, load_declarations, open_repositories, parse_repository
from webkeep.url import parse_seed
from webkeep.url.scope import ScopeExtent

RecoveryProgressCallback: TypeAlias = Callable[[RecoveryProgress], object]


@dataclass(frozen=True, slots=True)
class RecoverySummary(WorkSummary):
    """What a recovery came to."""

    archive: Path
    result: RecoveryResult
    """The run in all detail: its repositories, and what could not be chosen as it was wanted."""
    written: WrittenRecovery
    """What was counted, compared and written at its end."""
    findings: int
    """Flaws of files that lie on this machine."""
    listed: tuple[Finding, ...] = ()
    """The first thousand of them."""

    @property
    def capture(self) -> str:
        """The identifier of the capture that it made."""
        return self.result.capture

    @property
    def finished(self) -> bool:
        """Whether it came to its end; if not, the same call goes on with it."""
        return self.result.is_finished

    @property
    def resumed(self) -> bool:
        """Whether it went on with one that was stopped."""
        return self.result.is_resumed

    @property
    def recovered(self) -> int:
        """Resources that are back."""
        return self.written.counts.recovered

    @property
    def missing(self) -> int:
        """Resources that could not be had."""
        return self.written.counts.missing

    @property
    def bytes(self) -> int:
        """How much was recovered."""
        return self.written.counts.bytes

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing that is known of."""
        counts = self.written.counts
        lacking = (counts.missing, counts.truncated, self.result.choices, self.findings)
        troubled = any(status.trouble for status in self.result.repositories)
        return counts.recovered > counts.redirects and not troubled and not any(lacking)

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        values = {"archive": str(self.archive), **_recovery_values(self.result, self.written)}
        return {**values, **self.written.to_dict(), "findings": self.findings}


@dataclass(frozen=True, slots=True)
class RecoveryNetwork:
    """The way to repositories."""

    user_agent: str = USER_AGENT
    resolve: tuple[str, ...] = ()
    proxy: str = ""
    insecure: bool = False

    def fetch_settings(self, connections: int) -> FetchSettings:
        """How requests go out, so many at a time to whichever host."""
        return FetchSettings(
            connections=connections,
            connections_per_host=connections,
            user_agent=self.user_agent,
            resolve=tuple(map(parse_resolve, self.resolve)),
            proxy=self.proxy,
            insecure=self.insecure,
        )


@dataclass(frozen=True, slots=True)
class RecoveryRequest:
    """What is to be recovered, where it goes, and how repositories are asked."""

    plan: RecoveryPlan
    into: Path | None
    targets: RecoveryTargets = field(default_factory=RecoveryTargets)
    choose: tuple[str, ...] = ()
    """`URL=MOMENT[@REPOSITORY]`: versions that are taken, whatever else is better."""
    ledger: Path | None = None
    declarations: Path | None = None
    network: RecoveryNetwork = RecoveryNetwork()
    max_size: int | None = None
    """Bytes of one version."""
    new: bool = False

    def open_repositories(
        self, report_finding: Callable[[Finding], None]
    ) -> Callable[[Path], AbstractAsyncContextManager[list[Repository]]]:
        """What opens them, given a folder for what is large while it comes."""

        def open_all(spool: Path) -> AbstractAsyncContextManager[list[Repository]]:
            context = RepositoryContext(
                spool,
                ledger=self.ledger,
                declarations=self.declarations,
                fetch_settings=self.network.fetch_settings(self.plan.connections),
                timeouts=self._timeouts(),
                report_finding=report_finding,
            )
            return open_repositories(self.plan.repositories, context)

        return open_all

    def _timeouts(self) -> RepositoryTimeouts:
        """How much of one answer is waited for and taken."""
        usual = RepositoryTimeouts()
        if self.max_size is None:
            return usual
        return replace(usual, fetch_limits=replace(usual.fetch_limits, size=max(self.max_size, 1)))


class CallbackRecoveryObserver(NullRecoveryObserver):
    """Hands on to the functions that a program gave."""

    def __init__(self, on_progress: RecoveryProgressCallback | None, on_note: NoteCallback | None) -> None:
        self._progress = on_progress
        self._note = on_note

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        if self._note is not None:
            self._note(text)

    def on_progress(self, progress: RecoveryProgress) -> None:
        """How it is doing now."""
        if self._progress is not None:
            self._progress(progress)


@check_arguments
def recover(
    *seeds: str,
    repositories: Texts,
    into: StrPath,
    scope: ScopeExtent | str | None = None,
    include: Texts = (),
    exclude: Texts = (),
    requisites: bool = True,
    policy: RecoveryPolicy | str | None = None,
    linked_only: bool = False,
    at: MomentLike | None = None,
    since: MomentLike | None = None,
    until: MomentLike | None = None,
    any_form: bool = False,
    ignore_case: bool = False,
    lost_slashes: bool = False,
    trust_all: bool = False,
    reach: float | None = None,
    max_resources: int | None = None,
    choose: Texts = (),
    copy: StrPath | None = None,
    rehost: StrPath | None = None,
    windows_names: bool = False,
    summary: StrPath | None = None,
    report: StrPath | None = None,
    compare: StrPath | None = None,
    new: bool = False,
    max_size: Size | None = None,
    connections: int | None = None,
    stop_file: StrPath | None = None,
    proxy: str = "",
    resolve: Texts = (),
    user_agent: str = USER_AGENT,
    insecure: bool = False,
    ledger: StrPath | None = None,
    declarations: StrPath | None = None,
    on_progress: RecoveryProgressCallback | None = None,
    on_copy_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
    on_finding: FindingCallback | None = None,
) -> RecoverySummary:
    """Bring a lost website back out of the world's web archives, or go on with that where it was stopped.

    `repositories` are those of `--from`: a known name, `memento=URL`, `cdx=URL`, `warc=PATH`, `archive=PATH`, a path,
    or live. `since` and `until` are `--from-date` and `--to-date`, `declarations` is `--repositories`.
    """
    now = SystemClock().now()
    options: dict[str, Any] = {
        "rules": (
            *(f"+{each}" for each in list_texts(include, "include")),
            *(f"-{each}" for each in list_texts(exclude, "exclude")),
        ),
        "requisites": requisites,
        "linked_only": linked_only,
        "at": read_moment(at, now),
        "since": read_moment(since, now),
        "until": read_moment(until, now, parse_period_end),
        "any_form": any_form,
        "ignore_case": ignore_case,
        "lost_slashes": lost_slashes,
        "suspicious": not trust_all,
        "most": max_resources,
        "until_file": "" if stop_file is None else str(read_path(stop_file)),
    }
    given = {
        "scope": None if scope is None else read_choice(ScopeExtent, scope, "--scope"),
        "policy": None if policy is None else read_choice(RecoveryPolicy, policy, "--policy"),
        "reach": reach,
        "connections": connections,
    }
    options |= {name: value for name, value in given.items() if value is not None}
    plan = build_recovery_plan(seeds, list_texts(repositories, "repositories"), options)
    targets = RecoveryTargets(
        read_path_or_none(copy),
        read_path_or_none(rehost),
        windows_names,
        read_path_or_none(summary),
        read_path_or_none(report),
        None if compare is None else str(read_path(compare)),
    )
    request = RecoveryRequest(
        plan,
        read_path(into),
        targets,
        list_texts(choose, "choose"),
        read_path_or_none(ledger),
        read_path_or_none(declarations),
        RecoveryNetwork(user_agent, list_texts(resolve, "resolve"), proxy, insecure),
        None if max_size is None else parse_size(max_size),
        new,
    )
    observer = CallbackRecoveryObserver(on_progress, on_note)
    listener = CallbackListener(on_copy_progress, on_note, on_finding)
    return call_cleanly(lambda: run_recovery(request, observer, listener))


def build_recovery_plan(seeds: Iterable[str], repositories: Iterable[str], options: Mapping[str, Any]) -> RecoveryPlan:
    """The plan that seeds, repositories and further values make."""
    named, asked = tuple(parse_seed(each) for each in seeds), tuple(repositories)
    if not named:
        raise UsageError("nothing to recover; name the lost site, such as http://lost-site.example/")
    if not asked:
        raise UsageError(
            "nobody to ask; name who may hold it with --from, such as --from wayback or --from FILE.warc.gz"
        )
    plan = RecoveryPlan(named, asked, **options)
    return plan if plan.connections >= 1 else replace(plan, connections=1)


def check_repositories(request: RecoveryRequest) -> None:
    """Raise UsageError for a repository that nobody knows."""
    declarations = load_declarations(request.declarations)
    for text in request.plan.repositories:
        parse_repository(text, declarations)


def run_recovery(request: RecoveryRequest, observer: RecoveryObserver, listener: WorkListener) -> RecoverySummary:
    """Recover, or go on with that, and write all that is wanted of it."""
    check_repositories(request)
    targets, declarations = request.targets, load_declarations(request.declarations)
    into = check_recovery_paths(
        request.into, targets.copy, targets.rehost, (targets.summary, targets.report), targets.compare
    )
    choices = [resolve_choice_repository(each, declarations) for each in request.choose]
    tally = FindingTally(listener)
    with open_to_write(into, listener.on_note) as archive:
        for finding in archive.repair_findings:
            listener.on_finding(finding)
        opening = request.open_repositories(tally.add)
        result = recover_site(request.plan, archive, opening, observer, choices, request.new)
    written = write_recovery(request.plan, result, into, targets, listener)
    return RecoverySummary(into, result, written, tally.count, tuple(tally.listed))


def _recovery_values(result: RecoveryResult, written: WrittenRecovery) -> dict[str, object]:
    counts, fits = written.counts, result.fit_counts
    found = counts.completeness
    return {
        "capture": result.capture,
        "finished": result.is_finished,
        "resumed": result.is_resumed,
        "recovered": counts.recovered,
        "current": counts.current,
        "missing": counts.missing,
        "skipped": counts.skipped,
        "further_versions": counts.further,
        "truncated": counts.truncated,
        "redirects": counts.redirects,
        "bytes": counts.bytes,
        "seconds": round(result.seconds, 3),
        "unreached": list(result.unreachable),
        "requests": {status.name: status.requests for status in result.repositories},
        "repositories": dict(counts.by_repository),
        "held": dict(counts.overlap.held_counts),
        "refused": dict(counts.refused),
        "reasons": dict(counts.reasons),
        "years": dict(sorted(counts.by_year.items())),
        "completeness": {"share": found.share, "size": found.size, "by": found.by},
        "spread_days": round(counts.spread_days, 3),
        "staleness_days": round(counts.staleness_days, 3),
        "parts": {
            "pages": fits.pages,
            "parts": fits.parts,
            "missing": fits.missing,
            "violative": fits.violative,
            "doubtful": round(fits.doubtful, 3),
            "spread_days": round(fits.spread_days / fits.pages, 3) if fits.pages else 0.0,
        },
        "efficiency": round(counts.recovered / result.requests, 4) if result.requests else None,
    }
