"""A service that runs: its folder taken, its store open, jobs and schedules looked after twice a second, and a page
that says how it is.

The web application answers in the event loop, what looks after jobs goes on in a thread beside it. A job store that is
gone for a while holds up new jobs and nothing else; it is asked again at every look.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import uvicorn
from starlette.types import ASGIApp

from webkeep.clock import SystemClock
from webkeep.errors import UsageError, WebkeepError
from webkeep.model import Clock
from webkeep.process import call_on_signals, listen_error
from webkeep.service.browsing import ShownBrowsers, cancel_waiting_patch
from webkeep.service.jobs import Job, JobKind, JobState
from webkeep.service.logins import KEY_FILE, LoginKeyFile
from webkeep.service.run.bounded_connections import BoundedHttpProtocol
from webkeep.service.run.capture_workers import WorkersTurn
from webkeep.service.run.disk_budget import ReceivingRoom
from webkeep.service.run.job_supervisor import JobSupervisor, MachinePost
from webkeep.service.run.login_desk import LoginDesk
from webkeep.service.run.notice_runner import NoticeRunner
from webkeep.service.run.queue_wait import QueueExplainer, QueueWait
from webkeep.service.run.schedule_runner import ScheduleRunner
from webkeep.service.run.seed_sources import SeedSources
from webkeep.service.run.service_folder import ServiceFolder, ServiceLock
from webkeep.service.run.service_gauges import ServiceGauges
from webkeep.service.run.service_settings import ServiceSettings
from webkeep.service.run.side_work import SideWork
from webkeep.service.run.visitor_runner import VisitorRunner
from webkeep.service.run.watch_runner import WatchRunner
from webkeep.service.store import (
    AccountStore,
    AuditStore,
    CollectionStore,
    JobQueue,
    JobStore,
    LoginStore,
    MachineStore,
    NoticeStore,
    ScheduleStore,
    SessionStore,
    TokenStore,
    VisitorBlockStore,
    VisitorRecoveryStore,
    WatchStore,
    open_service_database,
)
from webkeep.version import __version__

if TYPE_CHECKING:
    from webkeep.service.run.visitor_survey import VisitorSurveyor

LOOK_SECONDS = 0.5
"""So often jobs and schedules are looked after."""
_GRACE_SECONDS = 2
"""Requests under way may take so much longer when the service ends; streams of events never end by themselves."""
_PAGE_THREADS = 40
"""For what pages read and change: one that takes its time, such as an archive that is being sent, holds up no other."""

_MISTAKE = "{} cannot be looked after, by a mistake in the service itself ({}: {}); report it, all else goes on"


class ServicePages(Protocol):
    """The web application of a service, built above."""

    @property
    def asgi(self) -> ASGIApp:
        """What answers requests."""

    @property
    def entry_path(self) -> str:
        """Where whoever started the service begins."""


class Service:
    """One service, for as long as it has its folder."""

    def __init__(self, settings: ServiceSettings, clock: Clock | None = None) -> None:
        folder = ServiceFolder(settings.root.absolute())
        folder.create()
        clock = clock or SystemClock()
        with ExitStack() as stack:
            stack.callback(ServiceLock(folder).close)
            database = open_service_database(folder.database_path, settings.store_address)
            stack.callback(database.close)
            self.jobs, self.collections = JobStore(database), CollectionStore(database)
            self.schedules, self.watches = ScheduleStore(database), WatchStore(database)
            self.accounts, self.sessions = AccountStore(database), SessionStore(database)
            self.tokens, self.audit = TokenStore(database), AuditStore(database)
            self.notices, self.gauges = NoticeStore(database), ServiceGauges(folder, clock)
            self.folder, self.clock, self.settings = folder, clock, settings
            self._notifier = NoticeRunner(folder.root / "notices", self.notices, settings.mail, clock)
            self.logins, self.machines = LoginStore(database), MachineStore(database)
            keys = LoginKeyFile(folder.root / KEY_FILE)
            self.login_desk = LoginDesk(self.logins, self.jobs, self.collections, keys, clock)
            post = MachinePost(settings.limits, "", self.machines, settings.store_address, settings.workers)
            self._supervisor = JobSupervisor(folder, self.jobs, self.collections, post, clock, self.login_desk)
            self.recoveries, self.blocks = VisitorRecoveryStore(database), VisitorBlockStore(database)
            self.visitors = VisitorRunner(folder, database, settings.visitors, settings.mail, clock)
            self._surveyor = self._open_surveyor(folder)
            turn = WorkersTurn(folder.workers_turn, self.jobs)
            self.queue = JobQueue(database)
            self._explainer = QueueExplainer(self.queue, self.machines, settings.limits.running, clock, turn)
            self.side_work = SideWork(
                folder.root / "spool" / "beside", lambda: settings.limits.budget.has_room(folder.root), time.monotonic
            )
            stack.callback(self.side_work.close)
            self.receiving_room = ReceivingRoom(folder.root, settings.limits.budget)
            self.seed_sources = SeedSources(folder.root / "spool")
            stack.callback(self.seed_sources.close)
            self._runner = ScheduleRunner(self.schedules, self.collections, self.jobs, clock)
            self._watcher = WatchRunner(folder.root / "spool", self.watches, self.collections, self.jobs, clock)
            self._stack = stack.pop_all()
        self.shown = ShownBrowsers(self.folder.root / "spool")
        """Browsers that people are shown."""
        self._troubles: dict[str, str] = {}
        """By runner what is in its way."""
        self._full: list[str] = []

    @property
    def trouble(self) -> str:
        """Why something could not be looked after or no job may run, where that is so."""
        return "; ".join(dict.fromkeys(each for each in list(self._troubles.values()) if each))

    @property
    def notice(self) -> str:
        """What else whoever runs it is told: the trouble, or which collections are full."""
        return self.trouble or "; ".join(self._full)

    def clear_traces(self) -> None:
        """Clear up what an earlier service left of browsers that it showed; a patch nobody is shown never begins."""
        self.shown.clear_traces()
        for job in self.jobs.list_jobs([JobState.QUEUED]):
            if job.order.kind is JobKind.PATCH:
                cancel_waiting_patch(self.jobs, job.id, self.clock)

    def _open_surveyor(self, folder: ServiceFolder) -> VisitorSurveyor | None:
        settings = self.settings.visitors
        if settings is None:
            return None
        from webkeep.service.run.visitor_survey import VisitorSurveyor  # most services have no visitors

        return VisitorSurveyor(folder.root / "spool", folder.ledger, self.recoveries, settings, self.clock)

    def look(self) -> bool:
        """Do what is to be done now; whether jobs are left to be done."""
        try:
            self._runner.look()
            has_visitors = self.visitors.look()
            running = self._supervisor.look(self.settings.program)
            waiting, self._full = self._supervisor.count_waiting(), self._supervisor.list_full_collections()
        except (WebkeepError, OSError) as error:  # a full disk, a database that is gone: both may pass
            self._troubles["jobs"] = str(error)
            return True
        except Exception as error:  # noqa: BLE001 - else the pages would be gone by which it could be found and mended
            self._troubles["jobs"] = _MISTAKE.format("jobs", type(error).__name__, error)
            return True
        self.gauges.note_look("jobs")
        self._troubles["jobs"] = self._supervisor.lack_of_room
        return bool(running or waiting or has_visitors)

    def explain_wait(self, job: Job) -> QueueWait | None:
        """What a queued job waits for; None where it is not queued, or begins at once."""
        return self._explainer.explain(job, self._supervisor.lack_of_room, self._supervisor.full_collections)

    def look_at_watches(self) -> None:
        """Let feeds and the like be looked at that are due; it may take minutes, and holds nothing else up."""
        self._look_at("watches", lambda: self._watcher.look(lambda: self.gauges.note_look("watches")))

    def look_at_notices(self) -> None:
        """Send mails and tell webhooks that are due, one after the other."""
        self.look_at_mail()
        self.look_at_webhooks()

    def look_at_mail(self) -> None:
        """Send mails that are due; a mail server that hangs holds nothing else up."""
        self._look_at("mail", self._notifier.send_mail)

    def look_at_webhooks(self) -> None:
        """Tell webhooks what is due; receivers that hang hold nothing else up."""
        self._look_at("webhooks", self._notifier.deliver)

    def look_at_surveys(self) -> None:
        """Let repositories be asked for visitors who wait to hear whether anything is held."""
        if self._surveyor is not None:
            self._look_at("surveys", self._surveyor.look)

    def _look_at(self, runner: str, look: Callable[[], object]) -> None:
        try:
            look()
        except (WebkeepError, OSError) as error:
            self._troubles[runner] = str(error)
        except Exception as error:  # noqa: BLE001 - else nobody would look any more, and nobody be told
            self._troubles[runner] = _MISTAKE.format(runner, type(error).__name__, error)
        else:
            self._troubles.pop(runner, None)
            self.gauges.note_look(runner)

    def end_looks(self) -> None:
        """Have what asks servers end within moments, however long they take to answer."""
        self._watcher.close()
        self.seed_sources.close()

    def describe_health(self) -> dict[str, object]:
        """How it is, for those who watch over it."""
        try:
            counts = {state.value: count for state, count in self.jobs.counts().items()}
        except WebkeepError as error:
            return {"status": "trouble", "trouble": str(error), "version": __version__}
        status = {"status": "trouble", "trouble": self.trouble} if self.trouble else {"status": "ok"}
        return {**status, "version": __version__, "jobs": counts}

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def run_service(
    settings: ServiceSettings,
    note: Callable[[str], None],
    build_pages: Callable[[Service, Callable[[str], None]], ServicePages],
) -> None:
    """Be the service of a folder until a signal asks to end; jobs go on, and are found again by the next service.

    Its pages are built by a function of the service and of what further links for whoever started it are told to.
    """
    with Service(settings) as service:
        _check_exposure(service)
        service.clear_traces()
        with _open_listener(settings.place.host, settings.port) as listener:
            _serve(service, listener, note, build_pages)


def _check_exposure(service: Service) -> None:
    """Refuse to be reached by others while nobody could keep them out."""
    settings = service.settings
    if settings.place.is_exposed and not service.accounts.has_administrator():
        raise UsageError(
            "others could reach this service, and nobody administers it; first call "
            f"webkeep service account add {settings.root} NAME"
        )


def _serve(
    service: Service,
    listener: socket.socket,
    note: Callable[[str], None],
    build_pages: Callable[[Service, Callable[[str], None]], ServicePages],
) -> None:
    settings = service.settings
    address = settings.place.address(listener.getsockname()[1])
    pages = build_pages(service, lambda path: note(f"for another browser: {address}{path}"))
    note(
        f"the service of {settings.root} is at {address}{pages.entry_path} (/health says how it is); "
        "Ctrl-C ends it, and jobs go on"
    )
    asyncio.run(_run(service, pages, listener, note))


def _open_listener(host: str, port: int) -> socket.socket:
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise listen_error(host, port, error if isinstance(error, OSError) else OSError(str(error))) from error
    # Connections inherit it. Without, every answer waits 40 ms for the browser to say that it has the head; asyncio
    # sets it for sockets alone that were opened with the number of the protocol.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class _QuietServer(uvicorn.Server):
    """A web server that leaves signals to whoever runs it."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Capture none."""
        return nullcontext()


async def _run(service: Service, pages: ServicePages, listener: socket.socket, note: Callable[[str], None]) -> None:
    ending = asyncio.Event()
    config = uvicorn.Config(
        pages.asgi,
        http=BoundedHttpProtocol,
        log_config=None,
        lifespan="off",
        server_header=False,
        # From whom a request is, a proxy on this machine may say, where there is one; else anybody could.
        proxy_headers=bool(service.settings.place.public_url),
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _QuietServer(config)
    runners = (service.look_at_watches, service.look_at_mail, service.look_at_webhooks, service.look_at_surveys)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_PAGE_THREADS, "webkeep-pages"))
    with call_on_signals(lambda _: ending.set()), ThreadPoolExecutor(len(runners) + 1, "webkeep-runner") as threads:
        serving = asyncio.create_task(server.serve([listener]))
        watching = [asyncio.create_task(_look_again(each, ending, threads)) for each in runners]
        try:
            await _look_after(service, ending, note, threads)
        finally:
            ending.set()
            service.end_looks()
            await service.shown.close()
            server.should_exit = True
            await serving
        await asyncio.gather(*watching)


async def _look_after(
    service: Service, ending: asyncio.Event, note: Callable[[str], None], threads: ThreadPoolExecutor
) -> None:
    told, settings, loop = "", service.settings, asyncio.get_running_loop()
    if settings.ends_when_idle:
        await loop.run_in_executor(threads, service.look_at_watches)
    while not ending.is_set():
        is_busy = await loop.run_in_executor(threads, service.look)
        if service.notice != told:
            told = service.notice
            note(told or "the service goes on")
        if settings.ends_when_idle and not is_busy:
            await loop.run_in_executor(threads, service.look_at_notices)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await ending.wait()


async def _look_again(look: Callable[[], None], ending: asyncio.Event, threads: ThreadPoolExecutor) -> None:
    while not ending.is_set():
        await asyncio.get_running_loop().run_in_executor(threads, look)
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await ending.wait()
