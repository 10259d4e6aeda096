"""What a person or a program sees of a capture while it runs: the progress line and the busiest hosts below it, which
failures are told one by one, and the time left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from webkeep.cli.output.console import Output
from webkeep.cli.output.outcome_words import describe_outcome_counts
from webkeep.cli.progress.progress_printer import ProgressPrinter, RateMeter
from webkeep.crawl import MAX_FAILURES_LISTED
from webkeep.crawl.requests import CUT_OFF_PREFIX
from webkeep.crawl.run import CaptureProgress, HostProgress
from webkeep.fetch import FetchFailure
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import Fate, UrlOutcome
from webkeep.presentation import describe_failure, format_count, format_elapsed, format_size

_MAX_HOSTS_SHOWN = 5
"""Lines of hosts below the progress line: the busiest, which fit a small terminal."""
_LISTED_OUTCOMES = frozenset({UrlOutcome.FAILED})
"""What is told of single URLs; everything else is counted."""
_RETRIED_REASONS = (str(FetchFailure.CONNECT), str(FetchFailure.TIMEOUT))
"""How the reasons begin of hosts that may answer in a while."""


class CaptureProgressView:
    """Shows how a capture is doing: lines that are redrawn, a line now and then, or events."""

    def __init__(self, out: Output, asks_again: bool = True, interval_seconds: float | None = None) -> None:
        """`asks_again` says whether hosts that do not answer are asked again."""
        self._out = out
        self._asks_again = asks_again
        self._printer = ProgressPrinter(out, interval_seconds)
        self._rate = RateMeter()
        self._reported_urls: set[str] = set()
        self._awaited_hosts: set[str] = set()
        """Hosts of which it was told that they do not answer yet."""
        self._is_cut_short = False

    def on_started(self, capture: str, resumed: bool) -> None:
        """The capture was begun, or is gone on with."""
        self._out.event("capture", capture=capture, resumed=resumed)
        if resumed:
            self._out.note(f"going on with capture {capture[:8]}")

    def on_settled(self, candidate: Candidate, outcome: UrlOutcome, reason: str, status: int) -> None:
        """A candidate has come to its end."""
        # A robots.txt that cannot be had is tried again, and told with what is not asked for because of it.
        if candidate.revisit:
            if outcome in _LISTED_OUTCOMES:
                self.on_note(f"{candidate.url} could not be seen again ({describe_failure(reason)})")
        elif outcome in _LISTED_OUTCOMES and candidate.role is not UrlRole.ROBOTS:
            self._report_outcome(candidate.url, outcome, reason, status)
        elif outcome in _LISTED_OUTCOMES and self._asks_again and reason.startswith(_RETRIED_REASONS):
            self._report_waiting(candidate.host, reason)
        elif reason.startswith(CUT_OFF_PREFIX):
            self.on_note(f"{candidate.url}: {reason}")

    def _report_waiting(self, host: str, reason: str) -> None:
        if host not in self._awaited_hosts:
            self._awaited_hosts.add(host)
            self.on_note(f"{host}: {describe_failure(reason)}; it is asked again a few times")

    def report_failures(self, failures: Iterable[Fate]) -> None:
        """Those that are not told yet, of hosts that were given up."""
        for fate in failures:
            if fate.url not in self._reported_urls:
                self._report_outcome(fate.url, fate.outcome, fate.reason, 0)

    def _report_outcome(self, url: str, outcome: UrlOutcome, reason: str, status: int) -> None:
        self._out.event(outcome.value, url=url, reason=reason, status=status)
        if len(self._reported_urls) < MAX_FAILURES_LISTED:
            self._reported_urls.add(url)
            self._out.note(f"{outcome}: {url} ({describe_failure(reason)})")
        elif not self._is_cut_short:
            self._is_cut_short = True
            self._out.note("further failures are counted; webkeep list ARCHIVE --fates --outcome failed tells them all")

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        self._printer.print_note(text)

    def on_progress(self, progress: CaptureProgress) -> None:
        """How it is doing now."""
        self._rate.add(_count_done(progress))
        if self._printer.is_due():
            self._printer.print_progress(lambda: self._progress_facts(progress), lambda: self._progress_lines(progress))

    def _progress_lines(self, progress: CaptureProgress) -> list[str]:
        return [self._progress_line(progress), *map(_host_line, progress.hosts[:_MAX_HOSTS_SHOWN])]

    def _progress_facts(self, progress: CaptureProgress) -> dict[str, object]:
        return {
            **{outcome.value.replace("-", "_"): count for outcome, count in progress.counts.items()},
            "bytes": progress.bytes,
            "in_flight": progress.in_flight,
            "rate": round(self._rate.per_second, 1),
            "seconds": round(self._printer.seconds, 1),
            "seconds_left": self._seconds_left(progress),
            "paused": progress.paused,
            "revisits_left": progress.revisits,
            **({} if progress.pages_run is None else {"pages_run": progress.pages_run}),
            "hosts": [asdict(host) for host in progress.hosts[:_MAX_HOSTS_SHOWN]],
        }

    def _progress_line(self, progress: CaptureProgress) -> str:
        counts = progress.counts
        parts = [f"{counts.get(UrlOutcome.STORED, 0) + counts.get(UrlOutcome.DUPLICATE, 0):,} stored"]
        parts += describe_outcome_counts(counts, _COUNTED_OUTCOMES)
        if progress.revisits:
            parts.append(f"{progress.revisits:,} to be seen again")
        if progress.pages_run:
            parts.append(f"{format_count(progress.pages_run, 'page')} run in the browser")
        parts.append(format_size(progress.bytes))
        rate = self._rate.per_second
        parts += [f"{rate:,.0f} URLs a second" if rate >= 10 else f"{rate:.1f} URLs a second"]
        left = self._seconds_left(progress)
        if left:
            parts.append(f"about {format_elapsed(left)} left for those known so far")
        return ("paused: " if progress.paused else "capturing: ") + ", ".join(parts)

    def _seconds_left(self, progress: CaptureProgress) -> int | None:
        """How long what is queued will take at the rate it went lately; None where that cannot be told."""
        queued = progress.counts.get(UrlOutcome.QUEUED, 0)
        can_be_told = queued and self._rate.per_second and not progress.paused
        return round(self._rate.seconds_for(queued)) if can_be_told else None


_COUNTED_OUTCOMES = (UrlOutcome.FAILED, UrlOutcome.REFUSED, UrlOutcome.TRAPPED, UrlOutcome.QUEUED)


def _count_done(progress: CaptureProgress) -> int:
    return sum(progress.counts.get(each, 0) for each in (UrlOutcome.STORED, UrlOutcome.DUPLICATE, UrlOutcome.FAILED))


def _host_line(host: HostProgress) -> str:
    return f"  {host.name}: {host.asked:,} asked for, {host.queued:,} still queued, {host.state}"
