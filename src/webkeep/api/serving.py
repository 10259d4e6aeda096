"""`serve`: archives shown in any browser and to any Memento client: what is opened for it, and the server as a value.

WARC or WACZ files are served without an import, by way of a temporary archive.
"""

from __future__ import annotations

import secrets
import socket
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import (
    StrPath,
    Texts,
    check_port,
    data_folder,
    list_texts,
    read_path,
    read_path_or_none,
)
from webkeep.api.server_pool import ServerPool
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.model import MomentLike, read_moment
from webkeep.replay.choice import secret_label
from webkeep.replay.endpoints import ServePlan, rules_from_plan
from webkeep.replay.server import ServerName, open_listener
from webkeep.store.transfer import build_temporary_archive, is_record_path, list_record_files, name_of_records
from webkeep.url import normalize_url

_DEFAULT_PORT = 8080
"""Where people look for a web server of their own, and pywb's default too."""
_LOOPBACK = "127.0.0.1"
"""Where nobody but this machine is let in."""


@dataclass(frozen=True, slots=True)
class ServeSummary(WorkSummary):
    """What a server came to."""

    url: str
    restarts: int
    """Processes that ended by themselves and were started again."""


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """What is to be served, and how."""

    archives: tuple[Path, ...]
    port: int = _DEFAULT_PORT
    """0 for any that is free."""
    host: str = _LOOPBACK
    base: str = ""
    access: tuple[str, ...] = ()
    access_file: str = ""
    password_file: Path | None = None
    elsewhere: tuple[str, ...] = ()
    proxy_port: int | None = None
    proxy_at: MomentLike | None = None
    authority: Path | None = None
    words: bool = True
    """Whether pages are read for full-text search."""
    workers: int = 0
    """Processes to answer with; 0 for one for each core."""

    def __post_init__(self) -> None:
        """What can be known to be a wrong call before anything is opened."""
        if not self.archives:
            raise UsageError("nothing to serve; name an archive, or WARC or WACZ files")
        for option, given in (("--proxy-at", self.proxy_at), ("--authority", self.authority)):
            if given and self.proxy_port is None:
                raise UsageError(f"{option} is about the proxy, and there is none; add --proxy-port N, or leave it out")
        for place in self.elsewhere:
            if not place.lower().startswith(("http://", "https://")) or normalize_url(place) is None:
                raise UsageError(f"--elsewhere {place!r} is no address; give one such as https://archive.example/web/")
        for option, port in (("--port", self.port), ("--proxy-port", self.proxy_port or 0)):
            check_port(port, option)


class ReplayServer:
    """A server that runs, until it is closed or its block ends."""

    def __init__(self, request: ServeRequest, listener: WorkListener) -> None:
        with ExitStack() as leaving:
            sockets = [leaving.enter_context(each) for each in _open_sockets(request)]
            ports = [each.getsockname()[1] for each in sockets]
            plan = _build_plan(request, ports[0], _open_archives(request.archives, leaving, listener))
            self._pool = leaving.enter_context(ServerPool(plan, sockets, listener.on_note))
            self._pool.start(request.workers, request.words)
            self._closing = leaving.pop_all()
        self.archives = plan.names
        """What is served, as it was named."""
        self.url = f"{ServerName.parse(plan.base).control_url}/"
        """Where people begin."""
        self.port: int = ports[0]
        self.proxy_port: int | None = ports[1] if len(ports) > 1 else None
        """Where archived sites are had under their own addresses, if a proxy was wanted."""

    @property
    def workers(self) -> int:
        """How many processes answer."""
        return len(self._pool.running)

    @property
    def summary(self) -> ServeSummary:
        """What it came to so far."""
        return ServeSummary(self.url, self._pool.restarts)

    def check(self) -> None:
        """Raise what keeps it from replacing processes that were lost."""
        if self._pool.failure is not None:
            raise self._pool.failure

    def close(self) -> ServeSummary:
        """End all processes; a second time is no different."""
        self._closing.close()
        return self.summary

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@check_arguments
def serve(
    *archives: StrPath,
    port: int | None = None,
    host: str | None = None,
    base: str = "",
    access: Texts = (),
    access_file: StrPath | None = None,
    password_file: StrPath | None = None,
    elsewhere: Texts = (),
    proxy_port: int | None = None,
    proxy_at: MomentLike | None = None,
    authority: StrPath | None = None,
    words: bool = True,
    workers: int = 0,
    on_note: NoteCallback | None = None,
) -> ReplayServer:
    """Show archives as they were at any time, for as long as a `with` block around it lasts.

    Archives, WARC or WACZ files, or directories of them. `port=0` takes any that is free; `server.url` says where.
    """
    given = {"port": port, "host": host}
    request = ServeRequest(
        tuple(read_path(each) for each in archives),
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
        base=base,
        access=list_texts(access, "access"),
        access_file="" if access_file is None else str(read_path(access_file)),
        password_file=read_path_or_none(password_file),
        elsewhere=list_texts(elsewhere, "elsewhere"),
        proxy_port=proxy_port,
        proxy_at=proxy_at,
        authority=read_path_or_none(authority),
        words=words,
        workers=workers,
    )
    return ReplayServer(request, CallbackListener(None, on_note))


def _open_sockets(request: ServeRequest) -> list[socket.socket]:
    first = open_listener(request.host, request.port)
    if request.proxy_port is None:
        return [first]
    try:
        return [first, open_listener(request.host, request.proxy_port, "--proxy-port")]
    except BaseException:
        first.close()
        raise


def _open_archives(paths: Iterable[Path], leaving: ExitStack, listener: WorkListener) -> dict[str, str]:
    """Where archives lie, by what people call them; each is opened once, so that it is in order before it is served."""
    found: dict[str, str] = {}
    for path in paths:
        place = path
        if is_record_path(path):
            folder = leaving.enter_context(tempfile.TemporaryDirectory(prefix="webkeep-serve-"))
            listener.on_note(f"reading {path}")
            place = build_temporary_archive(
                list_record_files(path), Path(folder) / "archive", name_of_records(path), SystemClock().now()
            )
        with open_archive(place, listener) as archive:
            found[str(path)] = str(archive.path.absolute())
    return found


def _build_plan(request: ServeRequest, port: int, archives: dict[str, str]) -> ServePlan:
    password = _read_password(request.password_file) if request.password_file else ""
    proxy_at = read_moment(request.proxy_at, SystemClock().now()) if request.proxy_at else None
    plan = ServePlan(
        tuple(archives.values()),
        tuple(archives),
        request.base or f"http://localhost:{port}",
        request.access_file,
        request.access,
        password,
        secret_label(password, secrets.token_bytes(16)) if password else "",
        proxy_at.iso() if proxy_at else "",
        str(request.authority or data_folder() / "authority"),
        request.elsewhere,
    )
    ServerName.parse(plan.base)
    rules_from_plan(plan, SystemClock())
    return plan


def _read_password(path: Path) -> str:
    try:
        text = path.read_text("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"{path} cannot be read as a password ({reason}); check the path") from error
    if not text:
        raise UsageError(f"{path} is empty; write the password into it")
    return text
