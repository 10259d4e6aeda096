"""Archives as commands open them to read: what is said where a path is a file, and of what opening brought in order or
came across.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import finding_line
from webkeep.errors import UsageError
from webkeep.store.archive import Archive

_REPAIRED_CODE = "torn-tail"
"""What opening sets right; all else that it comes across is a loss or a flaw, and stays one."""


@contextmanager
def open_archive(path: Path, out: Output) -> Iterator[Archive]:
    """The archive at a path, open for reading."""
    if path.is_file():
        advice = f"webkeep import {path} --into ARCHIVE makes one of it"
        raise UsageError(f"{path} is a file, and an archive is a directory; {advice}")
    with Archive(path) as archive:
        for finding in archive.repair_findings:
            done = "brought in order" if finding.code == _REPAIRED_CODE else "found on opening"
            out.note(f"{done}: {finding_line(finding)}")
            out.event("recovered", code=finding.code, source=finding.source, offset=finding.offset)
        yield archive
