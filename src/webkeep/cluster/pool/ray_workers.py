"""Workers as Ray actors: each a process of its own, wherever Ray has room, with a thread that takes part in the capture
and others that are asked how it is.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from webkeep.cluster.pool.worker_pool import PooledWorker, WorkerLook
from webkeep.errors import WebkeepError
from webkeep.process import StopSwitch, use_stop_switch

_MAX_NOTES = 100
"""Notes kept until somebody asks; of more the later ones are dropped."""
_THREADS = 3
"""One that works, and others that answer meanwhile."""

WorkerCall = Callable[[int, Callable[[str], None]], object]
"""Takes part as the worker of a number, and tells what is to be noted."""


class WorkerActor:
    """One worker, in a process that Ray has started."""

    def __init__(self, home: str) -> None:
        """`home` is the home folder of whoever called, where Ray was given another; empty for that of the machine."""
        if home:
            os.environ["HOME"] = home
        self._switch = StopSwitch()
        self._lock = threading.Lock()
        self._notes: list[str] = []
        self._is_leaving = False

    def run(self, call: WorkerCall, number: int) -> str:
        """Take part until the capture is over or somebody says stop; gives why it failed, or nothing."""
        with use_stop_switch(self._switch):
            try:
                call(number, self._note)
            except (WebkeepError, OSError) as error:
                return " ".join(str(error).split()) or type(error).__name__
        return ""

    def _note(self, text: str) -> None:
        with self._lock:
            # Whoever had it leave need not be told how it does that.
            if len(self._notes) < _MAX_NOTES and not self._is_leaving:
                self._notes.append(text)

    def look(self) -> tuple[float, tuple[str, ...]]:
        """The processor time that it has used, and what it had to note since this was asked last."""
        with self._lock:
            notes, self._notes = tuple(self._notes), []
        return time.process_time(), notes

    def stop(self) -> None:
        """Finish what is under way, hand over and leave."""
        self._is_leaving = True
        self._switch.press()


class RayWorker(PooledWorker):
    """A handle of one actor; never waits for it."""

    def __init__(self, ray: Any, actor: Any, call: WorkerCall, number: int) -> None:
        self._ray, self._actor = ray, actor
        self._run = actor.run.remote(call, number)
        self._asked = actor.look.remote()
        self._last = WorkerLook(False)

    def look(self) -> WorkerLook:
        """How it is, by what it said last."""
        if self._last.has_ended:
            return self._last
        notes: tuple[str, ...] = ()
        if self._is_done(self._asked):
            notes = self._take_answer()
        if self._is_done(self._run):
            self._last = WorkerLook(True, True, self._failure(), self._last.processor_seconds, notes)
            return self._last
        return WorkerLook(self._last.is_ready, False, "", self._last.processor_seconds, notes)

    def _is_done(self, reference: Any) -> bool:
        done, _ = self._ray.wait([reference], timeout=0)
        return bool(done)

    def _take_answer(self) -> tuple[str, ...]:
        try:
            processor_seconds, notes = self._ray.get(self._asked)
        except self._ray.exceptions.RayError:  # it is gone, which the end of its work tells
            return ()
        self._last = WorkerLook(True, False, "", processor_seconds)
        self._asked = self._actor.look.remote()
        return tuple(notes)

    def _failure(self) -> str:
        try:
            return str(self._ray.get(self._run))
        except self._ray.exceptions.RayActorError:
            return "its process is gone"
        except self._ray.exceptions.RayError as error:
            return f"an error of webkeep ({str(error).strip().splitlines()[-1]}); please report this"

    def stop(self) -> None:
        """Have it leave."""
        self._actor.stop.remote()

    def kill(self) -> None:
        """Have its process end."""
        self._ray.kill(self._actor)


class RayLauncher:
    """Starts actors on a Ray cluster, spread over its machines."""

    def __init__(self, ray: Any, call: WorkerCall, is_local: bool) -> None:
        """On a machine of one's own the number of workers is all that counts; elsewhere each takes a processor."""
        self._ray, self._call = ray, call
        self._home = os.environ.get("HOME", "") if is_local else ""
        self._make = ray.remote(
            num_cpus=0 if is_local else 1,
            max_restarts=0,
            max_concurrency=_THREADS,
            scheduling_strategy="SPREAD",
        )(WorkerActor)

    def launch(self, number: int) -> RayWorker:
        """Start the worker of this number."""
        return RayWorker(self._ray, self._make.remote(self._home), self._call, number)
