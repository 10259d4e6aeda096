"""How forgiving a reader is: each flaw of a file it meets is ignored, noted as a finding or fatal (`Strictness`), as
the caller asked.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field

from webkeep.errors import FormatError
from webkeep.model import Finding


class Strictness(enum.StrEnum):
    """What becomes of a flaw."""

    IGNORE = "ignore"
    NOTE = "note"
    FAIL = "fail"


@dataclass(slots=True)
class Flaws:
    """Takes the flaws of one reading; `findings` holds them unless a listener takes them instead."""

    strictness: Strictness = Strictness.NOTE
    listener: Callable[[Finding], None] | None = None
    findings: list[Finding] = field(default_factory=list)
    most: int | None = None
    """How many are held, where there is a bound."""

    def report(self, code: str, source: str, offset: int, message: str) -> None:
        """Deal with one flaw; raises FormatError where flaws are fatal."""
        if self.strictness is Strictness.FAIL:
            raise FormatError(f"{message} [{code}]", source, offset)
        if self.strictness is Strictness.IGNORE:
            return
        finding = Finding(code, source, offset, message)
        if self.listener is not None:
            self.listener(finding)
        elif self.most is None or len(self.findings) < self.most:
            self.findings.append(finding)

    def take_findings(self) -> list[Finding]:
        """Those met since this was last asked."""
        taken, self.findings = self.findings, []
        return taken
