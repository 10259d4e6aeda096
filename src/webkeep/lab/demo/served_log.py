"""The log of what the demo site served: the truth that crawls are later held against. Here are decided what is written
of an answer, and how many are kept where there is no log file.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from webkeep.errors import StorageError
from webkeep.model import Moment

RING_RESPONSES = 100_000
"""Answers kept in memory where there is no log file: some ten megabytes."""


@dataclass(frozen=True, slots=True)
class ServedResponse:
    """One answer: when, to which address, which version, and how."""

    moment: Moment
    host: str
    path: str
    version: int | None
    """None where the address is not part of the site."""
    status: int
    conditional: bool
    method: str = "GET"

    def facts(self) -> dict[str, object]:
        """The answer as a JSON object; the moment in microseconds too, for reckoning."""
        return {**asdict(self), "moment": self.moment.iso(), "micros": self.moment.micros}


class ServedLog(Protocol):
    """Whatever keeps the answers in their order."""

    def add(self, served: ServedResponse) -> None:
        """Keep one more."""

    def __iter__(self) -> Iterator[ServedResponse]: ...

    def close(self) -> None:
        """Keep no more."""


class ServedRing:
    """The last answers, in memory."""

    def __init__(self, most: int = RING_RESPONSES) -> None:
        self._kept: deque[ServedResponse] = deque(maxlen=most)

    def add(self, served: ServedResponse) -> None:
        """Keep one more, letting the oldest go when full."""
        self._kept.append(served)

    def __iter__(self) -> Iterator[ServedResponse]:
        return iter(tuple(self._kept))

    def close(self) -> None:
        """Nothing to close."""


class ServedLogFile:
    """Every answer, a JSON line each, at the end of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._lines = path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            raise StorageError(f"cannot write the log {path}: {error.strerror}; choose another with --log") from error

    def add(self, served: ServedResponse) -> None:
        """Write one more line."""
        self._lines.write(json.dumps(served.facts(), ensure_ascii=False) + "\n")

    def __iter__(self) -> Iterator[ServedResponse]:
        with self._path.open(encoding="utf-8") as lines:
            for line in lines:
                yield _read_served(json.loads(line))

    def close(self) -> None:
        """End the file."""
        self._lines.close()


def _read_served(facts: dict[str, Any]) -> ServedResponse:
    known = {name: facts[name] for name in ("host", "path", "version", "status", "conditional", "method")}
    return ServedResponse(Moment(facts["micros"]), **known)
