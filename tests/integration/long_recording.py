"""A recording that many tests share: what it tells is taken all the while, for a pipe holds only so much of it."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from record_calls import RecordRun, recording

_PATIENCE = 60


class LongRun(RecordRun):
    """A recording with someone who listens to it."""

    def listen(self) -> None:
        """Take what it tells until it ends."""
        self._telling = threading.Condition()
        self._listener = threading.Thread(target=self._take, daemon=True)
        self._listener.start()

    def wait_for(self, url: str) -> None:
        """Wait until it tells what became of a URL."""
        with self._telling:
            told = self._telling.wait_for(lambda: any(event.get("url") == url for event in self.events), _PATIENCE)
        assert told, f"nothing is told of {url}"

    def finish(self) -> int:
        """End it as Ctrl-C does; gives its exit code."""
        assert self.process.poll() is None, "the proxy did not stay up"
        self.process.send_signal(signal.SIGINT)
        self._listener.join(_PATIENCE)
        code = self.process.wait(_PATIENCE)
        assert self.process.stderr is not None
        self.said = self.process.stderr.read()
        assert "Traceback" not in self.said, self.said
        self.summary = self.events.pop()
        return code

    def _take(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._telling:
                self.events.append(json.loads(line))
                self._telling.notify_all()


@contextmanager
def long_recording(folder: Path, *words: object, code: int | None = None) -> Iterator[LongRun]:
    """A recording that is ended with the block; its events and summary are there afterwards."""
    with recording(folder, *words) as begun:
        run = LongRun(begun.process, begun.archive, begun.authority, begun.port, begun.events)
        run.listen()
        yield run
        ended = run.finish()
        assert code is None or ended == code, run.said
