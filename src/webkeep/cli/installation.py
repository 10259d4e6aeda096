"""What is installed: Python, the libraries webkeep stands on, and what each missing piece would add."""

from __future__ import annotations

import importlib
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files

from webkeep.browser.command import PROGRAMS

_CHROMIUM_ADDS = "captures what scripts and clicks make of a page"
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*([^;]*)(?:;.*extra == ['\"](\w+)['\"])?")
_LEAST_SQLITE = (3, 37)
_SAMPLE = b"webkeep keeps websites. " * 40


@dataclass(frozen=True, slots=True)
class Piece:
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


def pieces() -> Iterator[Piece]:
    """Everything webkeep can use, what it needs first."""
    yield _python()
    yield _sqlite()
    for requirement in metadata.requires("webkeep") or []:
        match = _REQUIREMENT.match(requirement)
        if match and not match[3]:
            yield _library(match[1], match[2])
    yield _chromium()


def _python() -> Piece:
    fault = "" if sys.version_info >= (3, 11) else "webkeep needs Python 3.11 or newer; install it"
    return Piece("Python", platform.python_version(), fault)


def _sqlite() -> Piece:
    old = sqlite3.sqlite_version_info < _LEAST_SQLITE
    least = ".".join(map(str, _LEAST_SQLITE))
    return Piece("SQLite", sqlite3.sqlite_version, f"webkeep needs {least} or newer; install it" if old else "")


def _library(name: str, specifier: str) -> Piece:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Piece(name, "", f"pip install '{name}'")
    least = re.search(r">=\s*([0-9.]+)", specifier)
    if least and _numbers(version) < _numbers(least[1]):
        return Piece(name, version, f"webkeep needs {least[1]} or newer; pip install --upgrade {name}")
    fault = _trial(name)
    if name == "publicsuffixlist" and not fault:
        version = f"{version}, list of {_suffix_date()}"
    return Piece(name, version, fault)


def _trial(name: str) -> str:
    """Why a library that is there does not work; "" where it does."""
    try:
        works = _TRIALS[name]() if name in _TRIALS else importlib.import_module(name) is not None
    except Exception as error:  # noqa: BLE001 - whatever a broken library raises is the answer
        return f"does not work ({type(error).__name__}: {error}); pip install --force-reinstall {name}"
    return "" if works else f"gives wrong results; pip install --force-reinstall {name}"


def _gzip_works() -> bool:
    gzip = importlib.import_module("isal.igzip")
    return bool(gzip.decompress(gzip.compress(_SAMPLE, 2)) == _SAMPLE)


def _brotli_works() -> bool:
    brotli = importlib.import_module("brotli")
    return bool(brotli.decompress(brotli.compress(_SAMPLE)) == _SAMPLE)


def _zstd_works() -> bool:
    zstd = importlib.import_module("zstandard")
    return bool(zstd.ZstdDecompressor().decompress(zstd.ZstdCompressor().compress(_SAMPLE)) == _SAMPLE)


def _ada_works() -> bool:
    joined = importlib.import_module("ada_url").join_url("http://Example.org/a/b", "../c")
    return bool(joined == "http://example.org/c")


def _parser_works() -> bool:
    document = importlib.import_module("turbohtml").parse(b"<title>webkeep</title>")
    return bool(document.find("title").text == "webkeep")


_TRIALS: dict[str, Callable[[], bool]] = {
    "ada-url": _ada_works,
    "brotli": _brotli_works,
    "isal": _gzip_works,
    "turbohtml": _parser_works,
    "zstandard": _zstd_works,
}


def _suffix_date() -> str:
    """The date in the head of the public suffix list."""
    with files("publicsuffixlist").joinpath("public_suffix_list.dat").open(encoding="utf-8") as lines:
        found = re.search(r"VERSION: ([0-9-]{10})", lines.read(4096))
    return found[1] if found else "an unknown date"


def _chromium() -> Piece:
    adds = _CHROMIUM_ADDS
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if path is None:
        return Piece("chromium", "", "install the package chromium of your system", adds)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return Piece("chromium", path, f"does not start ({type(error).__name__}); install it again", adds)
    number = re.search(r"[0-9][0-9.]+", answer)
    return Piece("chromium", f"{number[0] if number else 'unknown version'} at {path}", "", adds)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
