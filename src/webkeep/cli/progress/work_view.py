"""What a person or a program sees of work while it goes on: findings, notes, what opening an archive brought in order,
and how far it is.
"""

from __future__ import annotations

from webkeep.api import WorkListener, WorkProgress
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter, finding_line
from webkeep.cli.progress.meter import format_progress
from webkeep.cli.progress.progress_printer import ProgressPrinter
from webkeep.model import Finding

_REPAIRED_CODE = "torn-tail"
"""What opening sets right; all else that it comes across is a loss or a flaw, and stays one."""


class WorkView(WorkListener):
    """Prints what it is told."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._printer = ProgressPrinter(out)
        self._findings = FindingPrinter(out)

    def on_repair(self, finding: Finding) -> None:
        """Opening the archive brought something in order, or came across it."""
        done = "brought in order" if finding.code == _REPAIRED_CODE else "found on opening"
        self._out.note(f"{done}: {finding_line(finding)}")
        self._out.event("recovered", code=finding.code, source=finding.source, offset=finding.offset)

    def on_finding(self, finding: Finding) -> None:
        """Something is not as it should be."""
        self._findings.print_finding(finding)

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        self._out.note(text)

    def on_progress(self, progress: WorkProgress) -> None:
        """How far it is."""
        if self._printer.is_due():
            self._printer.print_progress(
                lambda: {"doing": progress.doing, **progress.counts, "seconds": round(progress.seconds, 1)},
                lambda: [format_progress(progress.doing, progress.counts, progress.seconds)],
            )
