"""A process that stores records as fast as it can and says which were acknowledged, until it is killed.

What it stores follows from the number of each record alone, so that whoever killed it can tell what must be there.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.model import BytesBody, Exchange, Fate, UrlOutcome
from webkeep.store.archive import OpenCapture, WritableArchive
from webkeep.store.writing import Acknowledgement

_ROTATE_AT = 2 << 20
_WORDS = b"the archive keeps what it has acknowledged whatever becomes of the process or the power "


def url_of(number: int) -> str:
    """The address of a record."""
    return f"http://site{number % 7}.example/page/{number}"


def body_of(number: int) -> bytes:
    """The body of a record: tiny, compressible, random, a repetition of another one's, or large."""
    chance = random.Random(number)
    kind = chance.random()
    if kind < 0.45:
        return b"tiny %d" % number
    if kind < 0.65:
        return (b"%d " % number) + _WORDS * 230
    if kind < 0.80:
        return chance.randbytes(chance.randint(1, 30_000))
    if kind < 0.985:
        return b"said before, %d " % (number % 9) + _WORDS * (number % 9)
    # Bodies as large as this are streamed; every other one repeats.
    return random.Random(number % 3).randbytes(3 << 20) if kind < 0.992 else _WORDS * 35_000 + b"%d" % number


def exchange_of(number: int, clock: SystemClock) -> Exchange:
    """What is stored under a number; every second one with its request, every tenth a POST."""
    method = "POST" if number % 10 == 0 else "GET"
    request = f"{method} /page/{number} HTTP/1.1\r\nHost: site{number % 7}.example\r\n\r\n".encode()
    return Exchange(
        url_of(number),
        clock.now(),
        b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: "%d"\r\n\r\n' % number,
        BytesBody(body_of(number)),
        request if number % 2 == 0 else b"",
        BytesBody(b"n=%d" % number if method == "POST" else b""),
    )


def write(path: Path, first: int, count: int, report: int) -> None:
    """Store `count` records from a number on, in captures that overlap, then close the archive."""
    clock = SystemClock()
    say(report, "begun")
    with WritableArchive.open_or_create(path, rotate_at=_ROTATE_AT) as archive:
        say(report, "open")
        captures = [_begun(archive, report), _begun(archive, report)]
        for number in range(first, first + count):
            _store(captures[number % 2], number, clock, report)
            if number % 97 == 0:
                _end(captures.pop(0), number, report)
                captures.append(_begun(archive, report))
        for capture in captures:
            _end(capture, first, report)
    say(report, "closed")


def _begun(archive: WritableArchive, report: int) -> OpenCapture:
    capture = archive.begin("capture", ["http://site0.example/"], {"plan": "steady"})
    say(report, f"capture {capture.id}")
    return capture


def _store(capture: OpenCapture, number: int, clock: SystemClock, report: int) -> None:
    def acknowledged(promise: Acknowledgement) -> None:
        promise.result()
        say(report, f"kept {number}")

    capture.submit(exchange_of(number, clock)).add_done_callback(acknowledged)


def _end(capture: OpenCapture, number: int, report: int) -> None:
    capture.submit_fates([Fate(url_of(number), UrlOutcome.STORED, f"number {number}")])
    capture.end({"last": str(number)})
    say(report, f"ended {capture.id} {number}")


def say(report: int, line: str) -> None:
    """Report one line; it is whole or not there at all."""
    os.write(report, f"{line}\n".encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
