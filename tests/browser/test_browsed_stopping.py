"""A capture with a browser that is stopped by Ctrl-C goes on as one without."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from speaking_site import Speaker, serving

from webkeep.crawl import CaptureResult, capture
from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run.capture_observer import NullCaptureObserver
from webkeep.store.archive import WritableArchive

NAMES = [f"page-{number}" for number in range(4)]
INDEX = "<!doctype html><title>All</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in NAMES)
SCRIPT = "<script>fetch(['/parts', document.title].join('/'))</script>"


class Listening(NullCaptureObserver):
    """Hears what a person is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def on_note(self, text: str) -> None:
        self.notes.append(text)


@contextmanager
def site() -> Iterator[str]:
    """Presses Ctrl-C when the first part of a page is asked for, which only a browser does."""
    pressed: list[str] = []

    class Handler(Speaker):
        def answer(self) -> None:
            name = self.path[1:]
            if name.startswith("parts/") and not pressed:
                pressed.append(name)
                os.kill(os.getpid(), signal.SIGINT)
            page = f"<!doctype html><title>{name}</title>{SCRIPT}" if name in NAMES else "part"
            self.say((page if name else INDEX).encode())

    with serving(Handler) as home:
        yield home


def run(home: str, archive: WritableArchive, watcher: Listening) -> CaptureResult:
    plan = parse_plan({"seeds": [f"{home}/"], "browser": "always", "states": 0, "tabs": 1, "sitemaps": False})
    return capture(plan, archive, watcher)


def test_nothing_is_read_again_after_a_clean_stop(tmp_path: Path) -> None:
    first, second = Listening(), Listening()
    with site() as home, WritableArchive.create(tmp_path / "kept") as archive:
        stopped = run(home, archive, first)
        ended = run(home, archive, second)
    assert (stopped.finished, ended.finished, ended.resumed) == (False, True, True)
    assert [each.partition(":")[0] for each in first.notes] == ["stopping"]
    assert second.notes == []
