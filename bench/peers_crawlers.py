"""The crawlers that webkeep is measured beside, each called so that nothing holds it back."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import PEERS


@dataclass(frozen=True, slots=True)
class Crawler:
    """A crawler, and how it is called."""

    name: str
    command: Callable[[str, Path], list[str]]
    """What to run for a URL and an empty folder."""
    is_cut_off: bool = False
    """Whether it is stopped before it has seen the whole site."""


def crawlers(scrapy_seconds: int) -> list[Crawler]:
    """Every peer; Scrapy gets so many seconds."""
    return [
        Crawler("wget_warc", _wget),
        Crawler("httrack", _httrack),
        Crawler("wget2", _wget2),
        Crawler("scrapy", lambda url, _: _scrapy(url, scrapy_seconds), is_cut_off=True),
    ]


def run_crawler(crawler: Crawler, url: str, folder: Path) -> float:
    """Run a crawler to its end; gives the moment it was started, in seconds since 1970."""
    folder.mkdir()
    began = time.time()
    command = crawler.command(url, folder)
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=1800)
    if ended.returncode:
        print(ended.stderr.decode(errors="replace")[-2000:], file=sys.stderr)
        raise SystemExit(f"{' '.join(command)} ended with {ended.returncode}")
    return began


def _wget(url: str, folder: Path) -> list[str]:
    warc = [f"--warc-file={folder}/site", f"--warc-tempdir={folder}"]
    return ["wget", "--mirror", "--quiet", "--execute=robots=off", f"--directory-prefix={folder}", *warc, url]


def _wget2(url: str, folder: Path) -> list[str]:
    return ["wget2", "--mirror", "--max-threads=8", "--quiet", "--no-robots", f"--directory-prefix={folder}", url]


def _httrack(url: str, folder: Path) -> list[str]:
    # -%c0, -A and --disable-security-limits lift its limits on new connections, bytes and both; -s0 skips robots.txt.
    limits = ["-c8", "-%c0", "-A1000000000", "--disable-security-limits", "-s0"]
    return ["httrack", url, "-O", str(folder), "-q", "-I0", *limits]


def _scrapy(url: str, seconds: int) -> list[str]:
    return [str(PEERS / "scrapy/bin/python"), str(Path(__file__).with_name("peers_scrapy.py")), url, str(seconds)]
