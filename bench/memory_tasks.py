"""The single steps of the memory bench, each run in a process of its own that prints its figures as JSON."""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import IO, BinaryIO, cast

from webkeep.cli.main import main
from webkeep.formats import Flaws, Strictness
from webkeep.formats.http import take_response_head
from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE, WarcReader, build_record_head
from webkeep.formats.warc.gzip_member import compress_chunks
from webkeep.model import Digest
from webkeep.store.archive import Archive
from webkeep.store.reading import StoredResponse

LARGE, AGAIN = "http://example.org/large", "http://example.org/again"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
HTTP = ("Content-Type", "application/http; msgtype=response")
DATE, LATER = "2024-03-01T12:00:00Z", "2024-03-02T12:00:00Z"
TAIL = 1000

_PIECE = 1 << 20
_NOISE = random.Random(7).randbytes(_PIECE)

Facts = dict[str, float]


def make(folder: Path, kind: str, size: str) -> Facts:
    """A WARC file as another tool would write it: one compressed member each for a response and a revisit of it."""
    hasher = hashlib.sha1(usedforsecurity=False)
    tail = b""
    for piece in _body(kind, int(size)):
        hasher.update(piece)
        tail = (tail + piece)[-TAIL:]
    digest = str(Digest("sha1", hasher.digest()))
    (folder / "truth.json").write_text(json.dumps({"digest": digest, "size": int(size), "tail": tail.hex()}))
    refers = [
        ("WARC-Profile", IDENTICAL_PAYLOAD_PROFILE),
        ("WARC-Refers-To-Target-URI", LARGE),
        ("WARC-Refers-To-Date", DATE),
    ]
    whole = build_record_head([*_fields("response", 1, LARGE, DATE, digest), HTTP], len(HEAD) + int(size))
    again = build_record_head([*_fields("revisit", 2, AGAIN, LATER, digest), *refers, HTTP], len(HEAD))
    end = b"\r\n\r\n"
    path = folder / "in.warc.gz"
    with path.open("wb") as file:
        for piece in compress_chunks(chain((whole, HEAD), _body(kind, int(size)), (end,))):
            file.write(piece)
        for piece in compress_chunks((again, HEAD, end)):
            file.write(piece)
    return {"bytes": path.stat().st_size}


def import_it(folder: Path) -> Facts:
    """Import the WARC file."""
    return _command("import", folder / "in.warc.gz", "--into", folder / "archive")


def read(folder: Path) -> Facts:
    """Read the payload back, and the content through the revisit."""
    with Archive(folder / "archive") as archive:
        _check(folder, Digest.from_chunks("sha1", _holding(archive, LARGE).body.chunks()))
        _check(folder, Digest.from_chunks("sha1", _holding(archive, AGAIN).content()))
    return {}


def read_range(folder: Path) -> Facts:
    """Read the last bytes."""
    truth = _truth(folder)
    with Archive(folder / "archive") as archive:
        started = time.perf_counter()
        pieces = _holding(archive, LARGE).body.chunks(int(truth["size"]) - TAIL)
        first = next(pieces)
        seconds = time.perf_counter() - started
        tail = first + b"".join(pieces)
    if tail.hex() != truth["tail"]:
        raise SystemExit("the range is not the end of the body")
    return {"first_byte_ms": 1000 * seconds}


def verify(folder: Path) -> Facts:
    """Verify the archive."""
    return _command("verify", folder / "archive")


def export_warc(folder: Path) -> Facts:
    """Export the one URL as WARC."""
    return _exported(folder, "--warc", "--url", LARGE, "--match", "exact")


def export_wacz(folder: Path) -> Facts:
    """Export everything as WACZ."""
    return _exported(folder, "--wacz")


def export_part(folder: Path) -> Facts:
    """Export the one URL as WACZ."""
    return _exported(folder, "--wacz", "--url", LARGE, "--match", "exact")


def export_revisit(folder: Path) -> Facts:
    """Export the revisit alone: it is given the payload."""
    return _exported(folder, "--warc", "--url", AGAIN, "--match", "exact")


def remove(folder: Path) -> Facts:
    """Take down the response: the revisit is given the payload."""
    facts = _command("remove", folder / "archive", "--url", LARGE, "--yes")
    with Archive(folder / "archive") as archive:
        _check(folder, Digest.from_chunks("sha1", _holding(archive, AGAIN).body.chunks()))
    return facts


def _holding(archive: Archive, url: str) -> StoredResponse:
    found = archive.lookup(url)
    if found is None:
        raise SystemExit(f"{url} was not found")
    return archive.read(found)


def _exported(folder: Path, option: str, *selection: str) -> Facts:
    target = folder / {"--warc": "out.warc.gz", "--wacz": "out.wacz"}[option]
    facts = _command("export", folder / "archive", option, target, *selection)
    _check(folder, _payload_in(target))
    facts["bytes"] = target.stat().st_size
    target.unlink()
    return facts


def _payload_in(target: Path) -> Digest:
    """The digest of the large payload in an exported file."""
    with ExitStack() as opened:
        stream: IO[bytes] = opened.enter_context(target.open("rb"))
        if target.suffix == ".wacz":
            package = opened.enter_context(zipfile.ZipFile(stream))
            name = next(each for each in package.namelist() if each.startswith("archive/"))
            stream = opened.enter_context(package.open(name))
        for record in WarcReader(cast("BinaryIO", stream), target.name, Flaws(Strictness.FAIL)):
            if record.type == "response":
                return Digest.from_chunks("sha1", take_response_head(record.chunks())[1])
    raise SystemExit(f"{target} has no response")


def _command(*words: object) -> Facts:
    started = time.perf_counter()
    with redirect_stdout(StringIO()) as printed:
        code = main([*map(str, words), "--json"])
    if code:
        raise SystemExit(f"{words[0]} ended with {code}: {printed.getvalue()}")
    return {"seconds": time.perf_counter() - started}


def _truth(folder: Path) -> dict[str, str]:
    truth: dict[str, str] = json.loads((folder / "truth.json").read_text())
    return truth


def _check(folder: Path, found: Digest) -> None:
    if str(found) != _truth(folder)["digest"]:
        raise SystemExit(f"the payload is {found} and should be {_truth(folder)['digest']}")


def _fields(kind: str, number: int, url: str, date: str, digest: str) -> list[tuple[str, str]]:
    return [
        ("WARC-Type", kind),
        ("WARC-Record-ID", f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"),
        ("WARC-Target-URI", url),
        ("WARC-Date", date),
        ("WARC-Payload-Digest", digest),
    ]


def _body(kind: str, size: int) -> Iterator[bytes]:
    for start in range(0, size, _PIECE):
        yield _piece(kind, start // _PIECE)[: size - start]


def _piece(kind: str, number: int) -> bytes:
    """One megabyte: noise that no window of a compressor sees twice, or lines of words."""
    if kind == "video":
        return b"%016d" % number + _NOISE[16:]
    line = b"<p>a line of piece %d, about nothing, %%d</p>\n" % number
    return b"".join(line % each for each in range(500)).ljust(1 << 15, b"-") * 32


TASKS: dict[str, Callable[..., Facts]] = {
    "make": make,
    "import": import_it,
    "read": read,
    "range": read_range,
    "verify": verify,
    "export-warc": export_warc,
    "export-wacz": export_wacz,
    "export-part": export_part,
    "export-revisit": export_revisit,
    "remove": remove,
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])))
