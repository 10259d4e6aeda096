"""Archives as commands open them to read: what opening brought in order is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.cli.findings import finding_line
from webkeep.cli.output import Output
from webkeep.errors import UsageError
from webkeep.store.archive import Archive


@contextmanager
def opened(path: Path, out: Output) -> Iterator[Archive]:
    """The archive at a path, open for reading."""
    if path.is_file():
        advice = f"webkeep import {path} --into ARCHIVE makes one of it"
        raise UsageError(f"{path} is a file, and an archive is a directory; {advice}")
    with Archive(path) as archive:
        for finding in archive.recovered:
            out.note(f"brought in order: {finding_line(finding)}")
            out.event("recovered", code=finding.code, source=finding.source, offset=finding.offset)
        yield archive
