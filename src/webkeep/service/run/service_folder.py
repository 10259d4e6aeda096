"""The folder of a service: where its job store, jobs, collections and locks lie; one service at a time has it."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.service.run.job_workspace import JobWorkspace

_MAX_PID_CHARS = 20
"""Of the file that names the process of the service."""


@dataclass(frozen=True, slots=True)
class ServiceFolder:
    """Where everything of one service lies."""

    root: Path

    @property
    def database_path(self) -> Path:
        """The job store, where it is not in PostgreSQL."""
        return self.root / "jobs.sqlite"

    @property
    def host_leases(self) -> Path:
        """By which its captures take turns at hosts."""
        return self.root / "hosts"

    @property
    def ledger(self) -> Path:
        """The ledger of requests to repositories, which all its recoveries share."""
        return self.root / "ledger.sqlite"

    @property
    def workers_turn(self) -> Path:
        """In which it stands whose capture the workers carry out."""
        return self.root / "workers-turn"

    @property
    def authority(self) -> Path:
        """The certificate authority that browsers trust which the service shows."""
        return self.root / "authority"

    @property
    def uploads(self) -> Path:
        """Where files lie that people brought, until they are imported."""
        return self.root / "uploads"

    def workspace(self, job_id: str) -> JobWorkspace:
        """The folder of a job."""
        return JobWorkspace(self.root / "jobs" / job_id)

    def login_links(self, job_id: str) -> Path:
        """Where the process of a job finds its login, as links to what it alone has open."""
        return self.root / "spool" / f"login-{job_id}"

    def collection(self, name: str) -> Path:
        """Where the archives of a collection lie."""
        return self.root / "collections" / name

    @property
    def removed(self) -> Path:
        """Where the archives of collections lie that were removed."""
        return self.root / "removed"

    def machine_lock(self, name: str) -> Path:
        """The file that a machine holds a lock on for as long as it is there."""
        return self.root / "machines" / name if name else self.root / "lock"

    def archive(self, collection: str, archive: str) -> Path:
        """One of them."""
        return self.collection(collection) / archive

    def create(self) -> None:
        """Make it, or see that it is there; nobody else on the machine may look into it."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.root / "collections").mkdir(exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"cannot make {self.root} ({error.strerror}); choose a folder that you may write to"
            ) from error

    def is_there(self) -> bool:
        """Whether a service was begun here."""
        return (self.root / "collections").is_dir()


class _FolderLock:
    """A lock on a file, with the number of the process in it; held until closed or until the process ends."""

    def __init__(self, path: Path, what: str) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(self._handle, _MAX_PID_CHARS, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._handle)
            raise StorageError(f"{what} (process {owner}); stop that first, or choose another") from error
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, str(os.getpid()).encode(), 0)

    def close(self) -> None:
        """Let another have it."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)


class ServiceLock(_FolderLock):
    """The right to be the service of a folder."""

    def __init__(self, folder: ServiceFolder) -> None:
        super().__init__(folder.root / "lock", f"{folder.root} has a service already")


class MachineLock(_FolderLock):
    """The right to be a further machine of a name."""

    def __init__(self, folder: ServiceFolder, name: str) -> None:
        path = folder.machine_lock(name)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        super().__init__(path, f"{folder.root} has a machine {name} already")


def is_machine_there(folder: ServiceFolder, name: str) -> bool:
    """Whether a machine that joined is still there; the service itself, by the empty name, as well."""
    try:
        handle = os.open(folder.machine_lock(name), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
