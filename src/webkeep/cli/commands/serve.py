"""`webkeep serve`: show archives in any browser and to any Memento client: its options, how many processes answer and
how lost ones are replaced, and how WARC or WACZ files are served without an import.
"""

from __future__ import annotations

import argparse
import os
import secrets
import socket
import subprocess
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.model import parse_moment
from webkeep.presentation import format_count
from webkeep.process import start_worker, stop_event
from webkeep.replay.choice import secret_label
from webkeep.replay.endpoints import ServePlan, rules_from_plan
from webkeep.replay.server import ServerName, open_listener
from webkeep.store.transfer import build_temporary_archive, is_record_path, list_record_files, name_of_records
from webkeep.url import normalize_url

_DEFAULT_PORT = 8080
"""Where people look for a web server of their own, and pywb's default too."""
_WORKER_MODULE = "webkeep.web.server_worker"
_INDEXER_MODULE = "webkeep.web.text_indexer"
_MAX_WORKERS = 16
"""Processes that are started unless --workers says otherwise, however many processors there are: each takes memory."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add = parser.add_argument
    add(
        "archives", type=Path, nargs="+", metavar="ARCHIVE", help="archives, WARC or WACZ files, or directories of them"
    )
    add(
        "--port",
        type=int,
        default=_DEFAULT_PORT,
        metavar="N",
        help=f"where to listen ({_DEFAULT_PORT}); 0 for any free port",
    )
    add("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen; anything but loopback lets others in")
    add("--base", default="", metavar="URL", help="the address people reach it at, with a wildcard name below it")
    add("--access", action="append", default=[], metavar="RULE", help="block:URL*, allow:URL* or embargo:DAYS:URL*")
    add("--access-file", default="", metavar="FILE", help="more such rules, as TOML")
    add("--password-file", type=Path, metavar="FILE", help="let in only who knows the password in it")
    add("--elsewhere", action="append", default=[], metavar="URL", help="another archive to point to: https://…/web/")
    add("--proxy-port", type=int, metavar="N", help="proxy mode there: archived sites under their own addresses")
    add("--proxy-at", default="", metavar="MOMENT", help="as of when the proxy shows them (the latest)")
    add("--authority", type=Path, metavar="DIR", help="where the proxy's certificate authority is kept")
    add("--no-words", action="store_true", help="no full-text search: pages are not read for it")
    add("--workers", type=int, default=0, metavar="N", help="processes to answer with (one for each core)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Serve until Ctrl-C or a request to end."""
    _check_arguments(args)
    with ExitStack() as leaving:
        listener = leaving.enter_context(open_listener(args.host, _check_port(args.port, "--port")))
        listeners = [listener]
        if args.proxy_port is not None:
            port = _check_port(args.proxy_port, "--proxy-port")
            listeners.append(leaving.enter_context(open_listener(args.host, port, "--proxy-port")))
        port, *proxy_port = [each.getsockname()[1] for each in listeners]
        plan = _build_plan(args, port, _open_archives(args.archives, leaving, out))
        told = leaving.enter_context(stop_event())
        workers = _WorkerPool(plan, listeners)
        leaving.callback(workers.close)
        workers.start(args.workers or min(os.cpu_count() or 1, _MAX_WORKERS))
        if not args.no_words:
            leaving.callback(_end_process, start_worker(_INDEXER_MODULE, plan.archives))
        root = ServerName.parse(plan.base).control_url
        out.event("listening", url=f"{root}/", port=port, workers=len(workers.running), archives=list(plan.names))
        out.note(f"{format_count(len(plan.names), 'archive')} at {root}/ until Ctrl-C")
        if proxy_port:
            out.event("proxy", host=args.host, port=proxy_port[0])
            out.note(f"as a proxy at {args.host}:{proxy_port[0]}; webkeep record --trust tells how HTTPS is trusted")
        lost = _watch_workers(workers, told, out)
    out.summary({"url": f"{root}/", "restarts": lost}, "served until told to end")
    return DONE


def _check_arguments(args: argparse.Namespace) -> None:
    """What can be known to be a wrong call before anything is opened."""
    for option, given in (("--proxy-at", args.proxy_at), ("--authority", args.authority)):
        if given and args.proxy_port is None:
            raise UsageError(f"{option} is about the proxy, and there is none; add --proxy-port N, or leave it out")
    for place in args.elsewhere:
        if not place.lower().startswith(("http://", "https://")) or normalize_url(place) is None:
            raise UsageError(f"--elsewhere {place!r} is no address; give one such as https://archive.example/web/")


def _check_port(port: int, option: str) -> int:
    if not 0 <= port < 65536:
        raise UsageError(f"{option} cannot be {port}; choose one up to 65535, or 0 for any")
    return port


def _open_archives(paths: list[Path], leaving: ExitStack, out: Output) -> dict[str, str]:
    """Where archives lie, by what people call them; each is opened once, so that it is in order before it is served."""
    found: dict[str, str] = {}
    for path in paths:
        place = path
        if is_record_path(path):
            folder = leaving.enter_context(tempfile.TemporaryDirectory(prefix="webkeep-serve-"))
            out.note(f"reading {path}")
            place = build_temporary_archive(
                list_record_files(path), Path(folder) / "archive", name_of_records(path), SystemClock().now()
            )
        with open_archive(place, out) as archive:
            found[str(path)] = str(archive.path.absolute())
    return found


def _build_plan(args: argparse.Namespace, port: int, archives: dict[str, str]) -> ServePlan:
    password = _read_password(args.password_file) if args.password_file else ""
    plan = ServePlan(
        tuple(archives.values()),
        tuple(archives),
        args.base or f"http://localhost:{port}",
        str(args.access_file),
        tuple(args.access),
        password,
        secret_label(password, secrets.token_bytes(16)) if password else "",
        parse_moment(args.proxy_at, SystemClock().now()).iso() if args.proxy_at else "",
        str(args.authority or _data_folder() / "authority"),
        tuple(args.elsewhere),
    )
    ServerName.parse(plan.base)
    rules_from_plan(plan, SystemClock())
    return plan


def _data_folder() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "webkeep"


def _read_password(path: Path) -> str:
    try:
        text = path.read_text("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"{path} cannot be read as a password ({reason}); check the path") from error
    if not text:
        raise UsageError(f"{path} is empty; write the password into it")
    return text


class _WorkerPool:
    """The processes that answer."""

    def __init__(self, plan: ServePlan, listeners: list[socket.socket]) -> None:
        self._plan = plan
        self._listeners = listeners
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, count: int) -> None:
        """Start so many, and wait until each is ready."""
        fresh = [self._start_worker() for _ in range(count)]
        self.running += fresh
        for worker in fresh:
            assert worker.stdout is not None
            if worker.stdout.readline() != b"ready\n":
                raise StorageError("a process that should answer did not start; what it said stands above")

    def _start_worker(self) -> subprocess.Popen[bytes]:
        numbers = [listener.fileno() for listener in self._listeners]
        worker = start_worker(_WORKER_MODULE, [str(number) for number in numbers], shared=numbers)
        assert worker.stdin is not None
        worker.stdin.write(self._plan.to_json().encode() + b"\n")
        worker.stdin.flush()
        return worker

    def replace_lost(self) -> int:
        """Start anew what ended by itself, and say how many that were."""
        lost = [worker for worker in self.running if worker.poll() is not None]
        self.running = [worker for worker in self.running if worker not in lost]
        if lost:
            self.start(len(lost))
        return len(lost)

    def close(self) -> None:
        """End them all."""
        for worker in self.running:
            if worker.stdin is not None:
                worker.stdin.close()
        for worker in self.running:
            _end_process(worker)


def _end_process(program: subprocess.Popen[bytes]) -> None:
    """Let a program end, and end it where it does not."""
    if program.stdin is not None:
        program.stdin.close()
    try:
        program.wait(5)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    if program.stdout is not None:
        program.stdout.close()


def _watch_workers(workers: _WorkerPool, told: threading.Event, out: Output) -> int:
    """Wait until told to end; a process that is lost on the way is replaced."""
    lost = 0
    while not told.wait(1.0):
        if now := workers.replace_lost():
            lost += now
            out.note(f"{format_count(now, 'process', 'processes')} ended and was started again")
    return lost
