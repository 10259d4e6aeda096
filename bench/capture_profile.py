"""Where a command's time goes: the processor time of each of its threads, laid on the code they were found in.

Samples are weighed by the processor time a thread has used since the last one, so that a thread that waits weighs
nothing. What helper processes used is told in one sum.
"""

from __future__ import annotations

import collections
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_INTERVAL = 0.002
_SHOWN = 25
_TITLES = ("threads", "rooms", "places")


def profile(command: list[str]) -> Iterator[str]:
    """Run `python -m MODULE …` with a sampler inside; gives the lines of a report."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        module = command[command.index("-m") + 1 :]
        subprocess.run(
            [command[0], "-m", "bench.capture_profile", report.name, *module], stdout=subprocess.DEVNULL, check=False
        )
        facts = json.loads(Path(report.name).read_text())
    yield f"{facts['wall']:.2f} s; processors {facts['cpu']:.2f} s here, {facts['helpers']:.2f} s in helpers"
    for title in _TITLES:
        yield f"{title}:"
        for name, seconds in list(facts[title].items())[:_SHOWN]:
            yield f"  {seconds:7.2f} s  {name}"


class _Sampler(threading.Thread):
    """Looks at what every other thread is doing, again and again."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()
        self._used: dict[int, float] = {}
        self.spent: dict[str, dict[str, float]] = {title: collections.defaultdict(float) for title in _TITLES}

    def run(self) -> None:
        """Sample until told to end."""
        while not self._ended.wait(_INTERVAL):
            names = {thread.ident: thread.name for thread in threading.enumerate()}
            for ident, frame in sys._current_frames().items():
                if ident != self.ident and ident in names:
                    self._note(ident, names[ident], frame)

    def _note(self, ident: int, name: str, frame: FrameType) -> None:
        try:
            used = time.clock_gettime(time.pthread_getcpuclockid(ident))
        except OSError:  # the thread has ended meanwhile
            return
        spent = used - self._used.get(ident, used)
        self._used[ident] = used
        if spent:
            for title, key in zip(_TITLES, (name, _room(frame), _place(frame)), strict=True):
                self.spent[title][key] += spent

    def end(self) -> None:
        """Stop sampling."""
        self._ended.set()
        self.join()


def _room(frame: FrameType | None) -> str:
    """The module of ours that is at work, whatever it has called."""
    while frame is not None:
        module: str = frame.f_globals.get("__name__", "")
        if module.startswith("webkeep."):
            return module
        frame = frame.f_back
    return "elsewhere"


def _place(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__', '?')}:{frame.f_lineno} {frame.f_code.co_name}"


def _main(report: Path, arguments: list[str]) -> None:
    from webkeep.cli.main import main

    sampler = _Sampler()
    sampler.start()
    began = time.perf_counter()
    try:
        main(arguments)
    finally:
        wall = time.perf_counter() - began
        sampler.end()
        facts: dict[str, object] = {
            "wall": wall,
            "cpu": time.process_time(),
            "helpers": sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]),
        }
        for title, spent in sampler.spent.items():
            facts[title] = dict(sorted(spent.items(), key=lambda item: -item[1]))
        report.write_text(json.dumps(facts))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[3:])
