"""What is installed: which Python, SQLite, libraries and Chromium will do, how each is tried out, and what a missing
piece would add; also how fast the disk is, and the limits of files.
"""

from __future__ import annotations

import importlib
import os
import platform
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from webkeep.browser.process import PROGRAMS

# What a machine can do for an archive: room and speed of its disk, and the limits it sets.

_TEST_BLOCK = os.urandom(1 << 20)
"""Random bytes, which no file system can compress."""
_TEST_BLOCK_COUNT = 32
"""Megabytes that are written to tell the speed of a disk."""
_SYNC_SAMPLES = 9
"""Syncs that are timed; the median of an odd number is one of them."""


@dataclass(frozen=True, slots=True)
class DiskSpeed:
    """A place to keep an archive."""

    free: int
    """Bytes that can still be written."""
    write_speed: float
    """Bytes a second, with the final sync."""
    sync_time: float
    """Seconds that a small write takes to be on disk."""


def measure_disk(folder: Path) -> DiskSpeed:
    """Try out the disk under a directory; needs some 32 MB of room for a moment, raises OSError where it cannot."""
    free = shutil.disk_usage(folder).free
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        sync_time = statistics.median(_time_sync(file.fileno(), b"webkeep") for _ in range(_SYNC_SAMPLES))
        started = time.perf_counter()
        for _ in range(_TEST_BLOCK_COUNT):
            file.write(_TEST_BLOCK)
        os.fsync(file.fileno())
        taken = time.perf_counter() - started
    return DiskSpeed(free, len(_TEST_BLOCK) * _TEST_BLOCK_COUNT / taken, sync_time)


def open_files_limit() -> tuple[int, int]:
    """How many files a process may have open, and how many at most if it asks; -1 is any number."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def file_size_limit() -> int:
    """How large a file may grow; -1 is any size."""
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0]


def _time_sync(handle: int, data: bytes) -> float:
    started = time.perf_counter()
    os.write(handle, data)
    os.fdatasync(handle)
    return time.perf_counter() - started


_EXTRAS_ADD = {
    "cluster": "one capture on many machines: webkeep worker, and webkeep cluster with Ray",
    "lab": "serves the demo site, and archives to try recovery with",
    "service": "webkeep service and webkeep job: jobs, schedules, collections; a job store in PostgreSQL",
    "vault": "webkeep vault: server components in pages, and back",
}
"""What each extra makes possible."""
_CHROMIUM_ADDS = "captures what scripts and clicks make of a page"
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*([^;]*)(?:;.*extra == ['\"](\w+)['\"])?")
_MIN_SQLITE_VERSION = (3, 37)
"""The first with STRICT tables, which the caches are made of."""
_SAMPLE_BYTES = b"webkeep keeps websites. " * 40
"""What every codec is tried with: it must come back as it was."""


@dataclass(frozen=True, slots=True)
class InstalledComponent:
    """One thing that is installed, or is not."""

    name: str
    version: str = ""
    """"" where it is missing."""
    fault: str = ""
    """Why it cannot be used, with what to do."""
    adds: str = ""
    """What it makes possible; "" for what webkeep cannot do without."""

    @property
    def is_needed(self) -> bool:
        """Whether webkeep cannot do without it."""
        return not self.adds


def check_components() -> Iterator[InstalledComponent]:
    """Everything webkeep can use, what it needs first."""
    yield _check_python()
    yield _check_sqlite()
    wanted: dict[tuple[str, str], list[str]] = {}
    for requirement in metadata.requires("webkeep") or []:
        match = _REQUIREMENT.match(requirement)
        if match and (match[3] is None or match[3] in _EXTRAS_ADD):
            wanted.setdefault((match[1], match[2]), []).extend([_EXTRAS_ADD[match[3]]] if match[3] else [])
    for (name, specifier), adds in wanted.items():
        yield replace(_check_library(name, specifier), adds="; ".join(adds))
    yield _check_chromium()


def _check_python() -> InstalledComponent:
    fault = "" if sys.version_info >= (3, 11) else "webkeep needs Python 3.11 or newer; install it"
    return InstalledComponent("Python", platform.python_version(), fault)


def _check_sqlite() -> InstalledComponent:
    old = sqlite3.sqlite_version_info < _MIN_SQLITE_VERSION
    least = ".".join(map(str, _MIN_SQLITE_VERSION))
    return InstalledComponent(
        "SQLite", sqlite3.sqlite_version, f"webkeep needs {least} or newer; install it" if old else ""
    )


def _check_library(name: str, specifier: str) -> InstalledComponent:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return InstalledComponent(name, "", f"pip install '{name}'")
    least = re.search(r">=\s*([0-9.]+)", specifier)
    if least and _version_numbers(version) < _version_numbers(least[1]):
        return InstalledComponent(name, version, f"webkeep needs {least[1]} or newer; pip install --upgrade {name}")
    fault = _try_library(name)
    if name == "publicsuffixlist" and not fault:
        version = f"{version}, list of {_suffix_list_date()}"
    return InstalledComponent(name, version, fault)


def _try_library(name: str) -> str:
    """Why a library that is there does not work; "" where it does."""
    try:
        works = _LIBRARY_TRIALS[name]() if name in _LIBRARY_TRIALS else importlib.import_module(name) is not None
    except Exception as error:  # noqa: BLE001 - whatever a broken library raises is the answer
        return f"does not work ({type(error).__name__}: {error}); pip install --force-reinstall {name}"
    return "" if works else f"gives wrong results; pip install --force-reinstall {name}"


def _gzip_works() -> bool:
    gzip = importlib.import_module("isal.igzip")
    return bool(gzip.decompress(gzip.compress(_SAMPLE_BYTES, 2)) == _SAMPLE_BYTES)


def _brotli_works() -> bool:
    brotli = importlib.import_module("brotli")
    return bool(brotli.decompress(brotli.compress(_SAMPLE_BYTES)) == _SAMPLE_BYTES)


def _zstd_works() -> bool:
    zstd = importlib.import_module("zstandard")
    return bool(zstd.ZstdDecompressor().decompress(zstd.ZstdCompressor().compress(_SAMPLE_BYTES)) == _SAMPLE_BYTES)


def _stamps_work() -> bool:
    made = importlib.import_module("rfc3161_client").TimestampRequestBuilder().data(_SAMPLE_BYTES).build()
    return bool(made.as_bytes())


def _ada_works() -> bool:
    joined = importlib.import_module("ada_url").join_url("http://Example.org/a/b", "../c")
    return bool(joined == "http://example.org/c")


def _parser_works() -> bool:
    document = importlib.import_module("turbohtml").parse(b"<title>webkeep</title>")
    return bool(document.find("title").text == "webkeep")


def _patterns_work() -> bool:
    return bool(importlib.import_module("re2").fullmatch("(a|aa)+", "aaa"))


_LIBRARY_TRIALS: dict[str, Callable[[], bool]] = {
    "ada-url": _ada_works,
    "brotli": _brotli_works,
    "google-re2": _patterns_work,
    "isal": _gzip_works,
    "rfc3161-client": _stamps_work,
    "turbohtml": _parser_works,
    "zstandard": _zstd_works,
}


def _suffix_list_date() -> str:
    """The date in the head of the public suffix list."""
    with files("publicsuffixlist").joinpath("public_suffix_list.dat").open(encoding="utf-8") as lines:
        found = re.search(r"VERSION: ([0-9-]{10})", lines.read(4096))
    return found[1] if found else "an unknown date"


def _check_chromium() -> InstalledComponent:
    adds = _CHROMIUM_ADDS
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if path is None:
        return InstalledComponent("chromium", "", "install the package chromium of your system", adds)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return InstalledComponent("chromium", path, f"does not start ({type(error).__name__}); install it again", adds)
    number = re.search(r"[0-9][0-9.]+", answer)
    return InstalledComponent("chromium", f"{number[0] if number else 'unknown version'} at {path}", "", adds)


def _version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
