"""What a shown browser would leave behind if the service were killed, noted so that the next service clears it up."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from webkeep.formats import read_json
from webkeep.process import write_atomically
from webkeep.service.jobs import ProcessIdentity
from webkeep.service.run.process_identity import identify_process, is_running

TRACE_NAME = "browser.json"
_FOLDER_PREFIX = "shown-"
_PROFILE_PREFIX = "webkeep-browser-"
"""Of folders that profiles are in; nothing else is ever removed."""


def session_folder(spool: Path, session_id: str) -> Path:
    """Where a session has what it needs while it lasts."""
    return spool / f"{_FOLDER_PREFIX}{session_id}"


def write_trace(path: Path, profile: str, process_id: int) -> None:
    """Note which process a session has, and where its profile lies."""
    process = identify_process(process_id)
    values = {"profile": profile, "process": None if process is None else asdict(process)}
    write_atomically(path, json.dumps(values).encode(), 0o600)


def clear_traces(spool: Path) -> int:
    """End what an earlier service that was killed left running, and remove its folders; gives how many there were."""
    folders = list(spool.glob(f"{_FOLDER_PREFIX}*"))
    for folder in folders:
        with suppress(OSError):  # killed before there was a browser
            _clear_browser(read_json((folder / TRACE_NAME).read_bytes()))
        shutil.rmtree(folder, ignore_errors=True)
    return len(folders)


def _clear_browser(values: object) -> None:
    if not isinstance(values, dict):
        return
    if isinstance(values.get("process"), dict):
        process = ProcessIdentity(**values["process"])
        if is_running(process):
            with suppress(ProcessLookupError):
                os.killpg(process.number, signal.SIGKILL)
    profile = Path(str(values.get("profile", "")))
    is_profile = profile.name.startswith(_PROFILE_PREFIX) and profile.parent == Path(tempfile.gettempdir())
    if is_profile and not profile.is_symlink():
        shutil.rmtree(profile, ignore_errors=True)
