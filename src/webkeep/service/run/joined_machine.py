"""A further machine of a service: it shares the folder and the job store in PostgreSQL, and runs jobs as the service
does.

Theory of operation. A machine that joins holds a lock on a file of its name in the folder, for as long as its process
lives, and looks after the jobs that it began and no others. A job whose process is gone (nobody holds the lock in the
job's folder) and whose machine is gone (nobody holds the machine's) is given back to the queue by whoever looks next.
So a machine that dies gives its jobs back as soon as the file system that they share has let go of its locks, and a
process that goes on although its machine's service was restarted keeps its job.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from webkeep.clock import SystemClock
from webkeep.errors import UsageError, WebkeepError
from webkeep.process import call_on_signals
from webkeep.service.jobs import check_machine_name
from webkeep.service.logins import KEY_FILE, LoginKeyFile
from webkeep.service.run.job_supervisor import JobSupervisor, MachinePost
from webkeep.service.run.login_desk import LoginDesk
from webkeep.service.run.service_folder import MachineLock, ServiceFolder
from webkeep.service.run.service_settings import ServiceSettings
from webkeep.service.store import CollectionStore, JobStore, LoginStore, MachineStore, open_service_database

_LOOK_SECONDS = 0.5
"""So often jobs are looked after."""


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """How a machine joins."""

    settings: ServiceSettings
    name: str
    """By which it is told from others; that of the host where nobody said."""

    def __post_init__(self) -> None:
        check_machine_name(self.name)
        if not self.settings.store_address:
            raise UsageError("machines join by a job store that all can reach; say --database postgresql://…")


def join_service(order: JoinOrder, note: Callable[[str], None]) -> None:
    """Run jobs of a service until a signal asks to end; jobs that run go on, and are found again."""
    settings, clock = order.settings, SystemClock()
    folder = ServiceFolder(settings.root.absolute())
    if not folder.is_there():
        raise UsageError(f"{settings.root} is no folder of a service; mount the one that the service runs on")
    with ExitStack() as stack:
        stack.callback(MachineLock(folder, order.name).close)
        database = open_service_database(folder.database_path, settings.store_address)
        stack.callback(database.close)
        jobs, collections, machines = JobStore(database), CollectionStore(database), MachineStore(database)
        desk = LoginDesk(LoginStore(database), jobs, collections, LoginKeyFile(folder.root / KEY_FILE), clock)
        post = MachinePost(settings.limits, order.name, machines, settings.store_address)
        supervisor = JobSupervisor(folder, jobs, collections, post, clock, desk)
        note(f"{order.name} runs jobs of {settings.root}; Ctrl-C ends that, and jobs that run go on")
        asyncio.run(_look_after(supervisor, settings, note))


async def _look_after(supervisor: JobSupervisor, settings: ServiceSettings, note: Callable[[str], None]) -> None:
    ending, told = asyncio.Event(), ""
    with call_on_signals(lambda _: ending.set()):
        while not ending.is_set():
            trouble = await asyncio.to_thread(_look, supervisor, settings)
            if trouble != told:
                told = trouble
                note(trouble or "it goes on")
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await ending.wait()


def _look(supervisor: JobSupervisor, settings: ServiceSettings) -> str:
    """Do what is to be done now; gives what is wrong."""
    try:
        supervisor.look(settings.program)
    except (WebkeepError, OSError) as error:  # a database that is gone may come back
        return str(error)
    return supervisor.lack_of_room


def host_machine_name() -> str:
    """What this machine is called where nobody said, as far as that is a name to join by."""
    return os.uname().nodename.lower()
