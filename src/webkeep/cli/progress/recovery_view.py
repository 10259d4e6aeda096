"""What a person or a program sees of a recovery while it runs: listings, the first resource that is back, gaps one by
one up to a number, and the progress line with the time left.
"""

from __future__ import annotations

from webkeep.cli.output.console import Output
from webkeep.cli.progress.progress_printer import ProgressPrinter, RateMeter
from webkeep.presentation import format_count, format_elapsed, format_share, format_size
from webkeep.recover.report import explain_miss
from webkeep.recover.run import RecoveryProgress
from webkeep.recover.state import RecoveredResource, RepositoryStatus

_MAX_GAPS_LISTED = 20
"""Gaps told one by one; the report and the summary have them all."""
_MAX_TEXT_CHARS = 300
"""URLs and reasons come from strangers and may be of any length."""
_MAX_NOTES_REMEMBERED = 1000
"""Notes that are remembered so as not to be said twice; memory is bounded."""


class RecoveryProgressView:
    """Shows how a recovery is doing: lines that are redrawn, a line now and then, or events."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._printer, self._listings = ProgressPrinter(out), ProgressPrinter(out, begins_due=True)
        self._rate = RateMeter()
        self._missed = 0
        self._printed_notes: set[str] = set()
        self._has_first = False

    def on_started(self, capture: str, resumed: bool) -> None:
        """The recovery was begun, or is gone on with."""
        self._out.event("recovery", capture=capture, resumed=resumed)
        if resumed:
            self._out.note(f"going on with recovery {capture[:8]}")

    def on_listed(self, status: RepositoryStatus) -> None:
        """A repository has told more of what it holds."""
        if self._listings.is_due():
            self._out.event("listing", repository=status.name, versions=status.listed, requests=status.requests)
            say = self._out.status if self._out.is_watched else self._out.note
            if not self._out.as_json:
                say(f"{status.name} has listed {format_count(status.listed, 'capture')} of URLs so far")

    def on_recovered(self, resource: RecoveredResource, repository: str) -> None:
        """A resource is back."""
        if not self._has_first:
            self._has_first = True
            self._out.note(f"the first is back: {_shorten(resource.url)} from {repository}")

    def on_truncated(self, resource: RecoveredResource, repository: str) -> None:
        """A resource is back, and its end is missing."""
        self._out.event("cut-off", url=resource.url, repository=repository)
        self._report_gap(f"cut off: {_shorten(resource.url)} from {repository} (no whole version came)")

    def on_missing(self, resource: RecoveredResource, note: str) -> None:
        """A resource could not be had."""
        self._out.event("missing", url=resource.url, reason=note)
        self._report_gap(f"missing: {_shorten(resource.url)} ({_shorten(explain_miss(note))})")

    def _report_gap(self, words: str) -> None:
        self._missed += 1
        if self._missed <= _MAX_GAPS_LISTED and not self._out.as_json:
            self._out.note(words)
        elif self._missed == _MAX_GAPS_LISTED + 1 and not self._out.as_json:
            self._out.note("further gaps are counted; the report and the summary tell them all")

    def on_note(self, text: str) -> None:
        """Something that a person should know; once is enough."""
        if text in self._printed_notes:
            return
        if len(self._printed_notes) < _MAX_NOTES_REMEMBERED:
            self._printed_notes.add(text)
        self._out.event("note", text=text)
        self._out.note(_shorten(text, 2 * _MAX_TEXT_CHARS))

    def on_progress(self, progress: RecoveryProgress) -> None:
        """How it is doing now."""
        self._rate.add(progress.recovered + progress.missing)
        if self._printer.is_due():
            self._printer.print_progress(
                lambda: self._progress_facts(progress), lambda: [self._progress_line(progress)]
            )

    def _progress_line(self, progress: RecoveryProgress) -> str:
        parts = [f"{progress.recovered:,} recovered"]
        parts += [
            f"{count:,} {what}" for count, what in ((progress.missing, "missing"), (progress.queued, "queued")) if count
        ]
        parts += [
            format_size(progress.bytes),
            f"{self._rate.per_second:,.0f} a second",
        ]
        parts += (
            [f"{format_share(progress.share_done)} of what is known"] if progress.recovered + progress.missing else []
        )
        left = self._rate.seconds_for(progress.queued)
        return "recovering: " + ", ".join(parts) + (f", about {format_elapsed(left)} left" if left else "")

    def _progress_facts(self, progress: RecoveryProgress) -> dict[str, object]:
        return {
            "recovered": progress.recovered,
            "missing": progress.missing,
            "queued": progress.queued,
            "bytes": progress.bytes,
            "requests": {desk.name: desk.requests for desk in progress.repositories},
            "progress": round(progress.share_done, 4),
            "rate": round(self._rate.per_second, 1),
            "seconds": round(self._printer.seconds, 1),
        }


def _shorten(text: str, longest: int = _MAX_TEXT_CHARS) -> str:
    """A text that fits on a few lines of a terminal."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
