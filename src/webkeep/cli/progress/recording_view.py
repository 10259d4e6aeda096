"""What a person or a program sees of a recording while it runs: how to go about it, what is redacted, the pages
visited, which exchanges are told one by one, and the status line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from webkeep.api import OWN_REQUEST_REASON
from webkeep.cli.output.console import Output
from webkeep.cli.progress.progress_printer import ProgressPrinter
from webkeep.crawl.recording import RecordedExchange, RecordedPage, RecordingPlan
from webkeep.fetch import FetchFailure
from webkeep.model import UrlOutcome
from webkeep.presentation import format_size
from webkeep.redaction import RedactionRules

_REDRAW_SECONDS = 0.2
"""Seconds between two drawings of the line: a page brings hundreds of exchanges at once."""
_LISTED_OUTCOMES = frozenset({UrlOutcome.FAILED, UrlOutcome.REFUSED})
_OUTCOME_WORDS = {
    UrlOutcome.FAILED: "failed",
    UrlOutcome.REFUSED: "refused by webkeep",
    UrlOutcome.OUT_OF_SCOPE: "left out by rule",
    UrlOutcome.TAKEN_DOWN: "taken down before and not recorded",
}
_PRIVATE_ADVICE = "; --private lets clients go there"
_RULE_KIND_WORDS = {
    "header": "headers",
    "field": "fields of forms",
    "response": "values in responses",
    "frame": "values in frames",
}


class RecordingProgressView:
    """Shows what is being recorded: a line that is redrawn, pages one by one, or events."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._counts: Counter[UrlOutcome] = Counter()
        self._bytes = 0
        self._printer = ProgressPrinter(out, _REDRAW_SECONDS, begins_due=True)
        self._address = ""

    def on_started(self, capture: str, address: str) -> None:
        """The proxy listens."""
        self._address = address
        self._out.event("recording", capture=capture, proxy=f"http://{address}")

    def print_instructions(self, plan: RecordingPlan, certificate: Path, seed: str) -> None:
        """Say how to go about it."""
        self._out.note(f"recording what goes through the proxy {self._address}; Ctrl-C ends it")
        if not seed:
            self._out.note(f"browsers must trust {certificate} for https: webkeep record --trust explains how")
        redacted = "; ".join(_redaction_words(plan.redaction))
        self._out.note(f"redacted in records: {redacted}" if redacted else "nothing is redacted in records")

    def on_exchange(self, recorded: RecordedExchange) -> None:
        """An exchange came to its end."""
        self._counts[recorded.outcome] += 1
        self._bytes += recorded.bytes
        if self._out.as_json:
            self._out.event(
                recorded.outcome.value,
                url=recorded.url,
                method=recorded.method,
                status=recorded.status,
                reason=recorded.reason,
                bytes=recorded.bytes,
            )
        elif recorded.outcome in _LISTED_OUTCOMES and recorded.reason != OWN_REQUEST_REASON:
            advice = _PRIVATE_ADVICE if recorded.reason.startswith(FetchFailure.FORBIDDEN_ADDRESS) else ""
            self._out.note(f"{recorded.outcome}: {recorded.url} ({recorded.reason}{advice})")
        self._draw_status()

    def on_page(self, page: RecordedPage) -> None:
        """Someone went to a page."""
        self._out.event("page", url=page.url, moment=page.moment.iso(), title=page.title)
        if not self._out.as_json:
            self._out.note(f"page: {page.url}" + (f"  {page.title}" if page.title else ""))

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        self._printer.print_note(text)

    def _draw_status(self) -> None:
        if self._out.as_json or not self._printer.is_due():
            return
        counts = self._counts
        kept = counts[UrlOutcome.STORED] + counts[UrlOutcome.DUPLICATE]
        rest = [f"{counts[each]:,} {words}" for each, words in _OUTCOME_WORDS.items() if counts[each]]
        self._out.status(f"recording: {', '.join([f'{kept:,} exchanges', format_size(self._bytes), *rest])}")


def _redaction_words(rules: RedactionRules) -> Iterator[str]:
    """What is redacted, kind by kind, and what is not."""
    if rules.credentials:
        yield "credentials in headers, URLs, forms and frames"
    for before, texts in (("", rules.added), ("but not ", rules.kept)):
        named = [rule.partition(":") for rule in texts]
        for kind, words in _RULE_KIND_WORDS.items():
            if names := [name for each, _, name in named if each == kind]:
                yield f"{before}{words} {', '.join(names)}"
