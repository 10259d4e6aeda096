"""A site's application where a capture can ask it: started in a process of its own by the Python it belongs to, or, for
programs that hold the application itself, served from a thread of theirs.
"""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from webkeep.crawl.application.application_server import ApplicationServer
from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.plan.site_sources import ApplicationSource, parse_application, parse_site_folder
from webkeep.errors import UsageError
from webkeep.fetch import LocalFolder, LocalServer, LocalSite

_SCRIPT = Path(__file__).with_name("application_script.py")
_MAX_START_SECONDS = 120.0
"""So long an application may take to be imported; large ones open databases and read models then."""
_MAX_END_SECONDS = 10.0
"""So long it may take to end, which includes what it has to shut down."""
_MAX_CONNECT_SECONDS = 10.0
"""A server on this machine takes a connection at once, unless it is stuck."""
_MAX_SOCKET_PATH_BYTES = 107
"""What a socket's address has room for."""


@contextmanager
def open_local_site(plan: CapturePlan) -> Iterator[LocalSite]:
    """What a plan has asked of this machine; applications that it names are running until the block is left."""
    with ExitStack() as stack:
        servers: dict[str, LocalServer] = {}
        started: dict[str, LocalServer] = {}
        for source in map(parse_application, plan.app):
            if source.is_module and source.where not in started:
                path = stack.enter_context(_run_application(source.where, plan.app_dir, plan.app_python))
                started[source.where] = LocalServer(socket=path)
            if not source.is_module:
                _check_listening(source)
            server = started[source.where] if source.is_module else source.server
            servers |= dict.fromkeys(source.origins(plan.seeds), server)
        folders = tuple(LocalFolder(prefix, folder) for folder, prefix in map(parse_site_folder, plan.files))
        yield LocalSite(servers, folders)


def _check_listening(source: ApplicationSource) -> None:
    """Refuse a server that is not there: every page would be a failure, and nothing else be wrong."""
    server = source.server
    family = socket.AF_UNIX if server.socket else socket.AF_INET6 if ":" in server.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as attempt:
        attempt.settimeout(_MAX_CONNECT_SECONDS)
        try:
            attempt.connect(server.socket or (server.address, server.port))
        except OSError as error:
            reason = error.strerror or "it does not answer"
            advice = "start the application, or say by --app where it is now"
            raise UsageError(f"nothing listens at {source.where} ({reason}); {advice}") from error


@contextmanager
def host_application(application: object) -> Iterator[str]:
    """Serve a WSGI or ASGI application that a program holds, from threads of its own process.

    Gives what a plan has for `app`: `with host_application(app) as where: capture(…, app=where)`.
    """
    if not callable(application):
        raise UsageError(f"{application!r} is no application; give a WSGI or ASGI application, which can be called")
    with _socket_folder() as path:
        server = ApplicationServer(path, application)
        try:
            server.begin()
        except RuntimeError as error:
            raise UsageError(f"the application does not start up ({error}); mend that first") from error
        try:
            yield f"unix:{path}"
        finally:
            server.end()


@contextmanager
def _socket_folder() -> Iterator[str]:
    """The path of a socket to be, in a folder that nobody else can enter."""
    with tempfile.TemporaryDirectory(prefix="webkeep-app-") as folder:
        path = str(Path(folder, "app.sock"))
        if len(os.fsencode(path)) > _MAX_SOCKET_PATH_BYTES:
            raise UsageError(f"{folder} is too long a path for a socket; set TMPDIR to a shorter one")
        yield path


@contextmanager
def _run_application(module: str, folder: str, python: str) -> Iterator[str]:
    """Run an application in a process of its own; gives the path of its socket."""
    with _socket_folder() as path:
        try:
            process = subprocess.Popen(
                [python or sys.executable, str(_SCRIPT), module, path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=folder or None,
                start_new_session=True,  # Ctrl-C is for the capture, which has the application end when it has ended
            )
        except OSError as error:
            raise UsageError(f"cannot run {python or sys.executable} ({error.strerror}); check --app-python") from error
        try:
            said = _read_report(process)
            if said != "ready":
                where = folder or Path.cwd()
                raise UsageError(f"the application {module} cannot be started ({said}); check --app, and in {where}")
            yield path
        finally:
            _end_process(process)


def _read_report(process: subprocess.Popen[bytes]) -> str:
    """What a process says of its beginning, in a line."""
    stream: IO[bytes] | None = process.stdout
    if stream is None:
        return ""
    with selectors.DefaultSelector() as waiting:
        waiting.register(stream, selectors.EVENT_READ)
        if not waiting.select(_MAX_START_SECONDS):
            return f"it was not ready after {_MAX_START_SECONDS:g} s"
    return stream.readline().decode("utf-8", "replace").strip() or "it ended at once"


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Have a process end by ending its input; one that does not is killed."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    try:
        process.wait(_MAX_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
