"""Telling findings as they come: a line each for people, an event each for programs; how many people see before a flood
is cut off, and which codes are told without a byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from webkeep.cli.output.console import Output
from webkeep.model import Finding

_MAX_FINDINGS_SHOWN = 20
"""A damaged file can have millions; people see the first, --json has them all."""
_FILE_CODES = frozenset(
    {"empty-file", "file-gone", "file-passed-over", "file-shrunk", "file-taken-down", "file-unreadable"}
)
"""Codes of findings about files as such, which have no byte to be shown."""

_CAPTURE_CODES = frozenset({"capture-unfinished"})
"""Codes of findings about captures, which are named by their identifiers and have no bytes."""


class FindingPrinter:
    """Prints findings and counts them; a flood is cut off for people and said so."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self.count = 0
        self.codes: Counter[str] = Counter()

    def print_finding(self, finding: Finding) -> None:
        """Tell one finding."""
        self.count += 1
        self.codes[finding.code] += 1
        self._out.event(
            "finding", code=finding.code, source=finding.source, offset=finding.offset, message=finding.message
        )
        if self._out.as_json:
            return
        if self.count <= _MAX_FINDINGS_SHOWN:
            self._out.note(finding_line(finding))
        elif self.count == _MAX_FINDINGS_SHOWN + 1:
            self._out.note(f"more than {_MAX_FINDINGS_SHOWN} findings; --json shows them all")

    def print_findings(self, findings: Iterable[Finding]) -> None:
        """Tell several."""
        for finding in findings:
            self.print_finding(finding)


def finding_line(finding: Finding) -> str:
    """A finding for people; the byte is left out where the matter is a file as a whole."""
    if finding.code in _CAPTURE_CODES:
        return f"capture {finding.source}: {finding.message} [{finding.code}]"
    if finding.code in _FILE_CODES:
        return f"{finding.source}: {finding.message} [{finding.code}]"
    return str(finding)
