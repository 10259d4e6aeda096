"""Work that was handed over and is looked at later, in order, by the thread that handed it over."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from webkeep.errors import StorageError, WebkeepError
from webkeep.store.acknowledgement import Acknowledgement

About = TypeVar("About")


class Awaiting(Generic[About]):
    """Acknowledgements and what they are about; one that is not kept is told, unless the archive itself failed."""

    def __init__(self, failed: Callable[[About, Exception], None]) -> None:
        self._failed = failed
        self._pending: deque[tuple[Acknowledgement, About]] = deque()

    def add(self, acknowledgement: Acknowledgement, about: About) -> None:
        """Await one more; those that came in meanwhile are looked at."""
        self._pending.append((acknowledgement, about))
        while self._pending and self._pending[0][0].done:
            self._look()

    def wait(self) -> None:
        """Wait for all; raises StorageError where the archive failed."""
        while self._pending:
            self._look()

    def _look(self) -> None:
        acknowledgement, about = self._pending.popleft()
        try:
            acknowledgement.result()
        except StorageError:
            raise
        except (WebkeepError, OSError) as error:
            self._failed(about, error)
