"""Archives as commands open them to read: what is said of what opening brought in order or came across."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from webkeep.api import open_archive as open_listening
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.store.archive import Archive


def open_archive(path: Path, out: Output) -> AbstractContextManager[Archive]:
    """The archive at a path, open for reading."""
    return open_listening(path, WorkView(out))
