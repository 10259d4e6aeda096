"""Disks for tests that run full or cannot be written: a small file system of its own where that is allowed."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IS_ROOT = os.geteuid() == 0


@contextmanager
def mounted(path: Path, size: str) -> Iterator[Path]:
    """A file system of a given size, for root only."""
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


@contextmanager
def filling_up(path: Path) -> Iterator[Path]:
    """A place where writing fails after some megabytes; `make_room` mends that."""
    if IS_ROOT:
        with mounted(path, "2m"):
            yield path
        return
    path.mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, hard))
    try:
        yield path
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def make_room(path: Path) -> None:
    """Let writing succeed again in a place that filled up."""
    if IS_ROOT:
        subprocess.run(["mount", "-o", "remount,size=64m", path], check=True)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Let nothing be written in a directory; for root it must be one that is `mounted`."""
    if IS_ROOT:
        subprocess.run(["mount", "-o", "remount,ro", path], check=True)
        yield
        return
    modes = {each: each.stat().st_mode for each in (path, *path.rglob("*"))}
    for each, mode in modes.items():
        each.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for each, mode in modes.items():
            each.chmod(mode)
