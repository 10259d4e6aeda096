"""Login profiles kept, opened and handed to the processes of jobs; and jobs that wait for one let go on.

Theory of operation. What a login holds is opened in memory and handed on in files that have no name and lie on no disk
(memfd): the process of a job has them as descriptors, and finds in its folder but links to those. They are gone with
the process, whoever killed it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from webkeep.crawl.plan import render_login
from webkeep.errors import UsageError
from webkeep.model import Clock
from webkeep.service.jobs import OPEN_STATES, Job, JobEvent, JobKind, JobState
from webkeep.service.logins import (
    LOGIN_OPTION,
    LoginContent,
    LoginKeyFile,
    LoginLockedError,
    LoginProfile,
    LoginState,
    content_from_bytes,
)
from webkeep.service.store import CollectionStore, JobStore, LoginStore

_LOGIN_OPTIONS = {JobKind.CAPTURE: "--browser-profile", JobKind.PATCH: "--redact-login"}
"""By which option a command is told of a login; that of a patch has it in its browser already."""


class LoginDesk:
    """All that is done with login profiles."""

    def __init__(
        self, logins: LoginStore, jobs: JobStore, collections: CollectionStore, keys: LoginKeyFile, clock: Clock
    ) -> None:
        self._logins, self._jobs, self._collections = logins, jobs, collections
        self._keys, self._clock = keys, clock

    def keep(self, profile: LoginProfile, content: LoginContent) -> None:
        """Keep a new profile with what it holds."""
        self._logins.add(profile, self._keys.seal(content.to_bytes(), _bound_to(profile)))

    def renew(self, profile: LoginProfile, content: LoginContent) -> int:
        """Keep what a person was given anew; jobs that waited for it go on. Gives how many."""
        now = self._clock.now()
        sealed = self._keys.seal(content.to_bytes(), _bound_to(profile))
        self._logins.replace(replace(profile, renewed=now), sealed)
        waiting = [each for each in self._jobs_with(profile) if each.state is JobState.WAITING]
        for job in waiting:
            self._jobs.wish(job, JobEvent.LOG_IN, now)
        return len(waiting)

    def open(self, profile: LoginProfile) -> LoginContent:
        """What a profile holds; LoginLockedError where it cannot be opened now."""
        return content_from_bytes(self._keys.open(self._logins.read_sealed(profile.id), _bound_to(profile)))

    def delete(self, profile: LoginProfile) -> None:
        """Forget a profile, unless a seed or a job that is not over is to use it."""
        seeds = [each for each in self._collections.seeds(profile.collection) if uses_login(each.settings, profile)]
        if seeds:
            more = f" and {len(seeds) - 1} more" if len(seeds) > 1 else ""
            raise UsageError(f"the seed {seeds[0].url[:200]}{more} uses this login; choose another one there first")
        if jobs := self._jobs_with(profile):
            raise UsageError(f"job {jobs[0].id} uses this login and is not over; stop that first")
        self._logins.delete(profile.id)

    def note_ended(self, job: Job, url: str) -> str:
        """Take down that a job found its login ended; gives the line that says so."""
        profile = self._logins.get(str(job.order.plan[LOGIN_OPTION]))
        message = f"the login {profile.name!r} has ended at {url}; renew it, and the job goes on"
        self._logins.note_state(profile.id, LoginState.ENDED, "a capture was sent to log in", self._clock.now())
        return message

    @contextmanager
    def hand_over(self, job: Job, folder: Path) -> Iterator[tuple[list[str], list[int]]]:
        """What the process of a job is called with so that it is logged in, and the descriptors that it needs."""
        named = job.order.plan.get(LOGIN_OPTION)
        if not named or job.order.kind not in _LOGIN_OPTIONS:
            yield [], []
            return
        profile = self._logins.get(str(named))
        if profile.collection != job.order.collection:
            raise LoginLockedError("its login belongs to another collection; choose one of its own")
        content = self.open(profile)
        with ExitStack() as stack:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handles = []
            for name, text in render_login(profile.url, content.cookies, content.stores).items():
                handle = os.memfd_create(name, os.MFD_CLOEXEC)
                stack.callback(os.close, handle)
                with os.fdopen(os.dup(handle), "wb") as stream:
                    stream.write(text.encode())
                (folder / name).unlink(missing_ok=True)
                (folder / name).symlink_to(f"/proc/self/fd/{handle}")
                handles.append(handle)
            yield [_LOGIN_OPTIONS[job.order.kind], str(folder)], handles

    def _jobs_with(self, profile: LoginProfile) -> list[Job]:
        """The jobs that are not over and use a profile."""
        found = self._jobs.list_jobs(OPEN_STATES, profile.collection)
        return [job for job in found if uses_login(job.order.plan, profile)]


def uses_login(settings: object, profile: LoginProfile) -> bool:
    """Whether the settings of a seed or a plan name a profile."""
    return isinstance(settings, dict) and settings.get(LOGIN_OPTION) == profile.id


def _bound_to(profile: LoginProfile) -> str:
    return f"{profile.collection} {profile.id}"
