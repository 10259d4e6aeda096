"""What recording may take of the machine, and the budgets that hold it to that: the defaults for waiting answers,
memory, disk and remembered URLs, and for how long it waits, retries and closes.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from webkeep.errors import UsageError


@dataclass(frozen=True, slots=True)
class RecorderLimits:
    """How much may wait, lie about and be remembered; what does not fit is dropped and counted."""

    waiting: int = 1024
    """Answers on their way to the archive."""
    memory: int = 64 << 20
    """Bytes of answers held in memory."""
    disk: int = 1 << 30
    """Bytes of long answers in temporary files while they are served."""
    remembered: int = 65_536
    """URLs whose last answer is known without asking the archive."""
    patience: float = 1.0
    """Seconds that a record may wait for others to be written with, which costs less than one at a time."""
    retry: float = 30.0
    """Seconds after which an archive that failed, or was refused, is tried again."""

    closing: float = 30.0
    """Seconds that the end of the server waits for what is still to be written."""

    def __post_init__(self) -> None:
        if min(self.waiting, self.memory, self.remembered) < 1 or any(
            each < 0 for each in (self.disk, self.patience, self.retry, self.closing)
        ):
            raise UsageError(f"limits of a recorder must be positive: {self}; leave out those you do not need")


class ByteBudget:
    """So many bytes that any thread may take of and give back to."""

    __slots__ = ("_left", "_lock")

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Take some; False, and nothing taken, where there is not enough."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give(self, size: int) -> None:
        """Give back what was taken."""
        with self._lock:
            self._left += size

    @property
    def left(self) -> int:
        """How much may still be taken."""
        return self._left
