"""Whoever is told what work comes across and how far it is: nobody, the functions a program gave, or the command.

All of them are called in the thread that works, between two records, so that an exception they raise ends the work as
an error of its own would.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeAlias

from webkeep.model import Finding
from webkeep.process import current_stop_switch

_PROGRESS_SECONDS = 0.25
"""Between two words on how far it is: often enough for a line that is redrawn."""
_MAX_FINDINGS_LISTED = 1000
"""Findings that a summary lists; a damaged archive has millions, and `on_finding` gets them all."""


@dataclass(frozen=True, slots=True)
class WorkProgress:
    """How far work is."""

    doing: str
    """What is done, in a word: verifying, exporting."""
    counts: Mapping[str, int]
    """What was counted so far: `records`, `files`, `bytes`."""
    seconds: float


NoteCallback: TypeAlias = Callable[[str], object]
FindingCallback: TypeAlias = Callable[[Finding], object]
ProgressCallback: TypeAlias = Callable[[WorkProgress], object]


class WorkListener:
    """Is told, and looks away."""

    def on_repair(self, finding: Finding) -> None:
        """Opening the archive brought something in order, or came across it."""

    def on_finding(self, finding: Finding) -> None:
        """Something is not as it should be."""

    def on_note(self, text: str) -> None:
        """Something that a person should know."""

    def on_progress(self, progress: WorkProgress) -> None:
        """How far it is."""


class CallbackListener(WorkListener):
    """Hands on to the functions that a program gave."""

    def __init__(
        self,
        on_progress: ProgressCallback | None = None,
        on_note: NoteCallback | None = None,
        on_finding: FindingCallback | None = None,
    ) -> None:
        self._progress = on_progress
        self._note = on_note
        self._finding = on_finding

    def on_repair(self, finding: Finding) -> None:
        """What opening came across is a note: it is no finding of the work."""
        self.on_note(str(finding))

    def on_finding(self, finding: Finding) -> None:
        """Something is not as it should be."""
        if self._finding is not None:
            self._finding(finding)

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        if self._note is not None:
            self._note(text)

    def on_progress(self, progress: WorkProgress) -> None:
        """How far it is."""
        if self._progress is not None:
            self._progress(progress)


@dataclass(slots=True)
class FindingTally:
    """Hands findings on, counts them and lists the first."""

    listener: WorkListener
    count: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    listed: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """Take one more."""
        self.count += 1
        self.codes[finding.code] = self.codes.get(finding.code, 0) + 1
        if len(self.listed) < _MAX_FINDINGS_LISTED:
            self.listed.append(finding)
        self.listener.on_finding(finding)


class WorkWatch:
    """Called between two things: tells how far the work is, now and then, and stops it where that was asked for."""

    def __init__(self, listener: WorkListener, doing: str, counts: Callable[[], Mapping[str, int]]) -> None:
        self._listener = listener
        self._doing = doing
        self._counts = counts
        self._switch = current_stop_switch()
        self._began = time.monotonic()
        self._due = self._began + _PROGRESS_SECONDS

    def tick(self) -> None:
        """One more is done."""
        self._switch.check()
        now = time.monotonic()
        if now >= self._due:
            self._due = now + _PROGRESS_SECONDS
            self._tell(now)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._tell(time.monotonic())

    def _tell(self, now: float) -> None:
        self._listener.on_progress(WorkProgress(self._doing, dict(self._counts()), now - self._began))
