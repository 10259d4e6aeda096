"""Ray begun on this machine or joined elsewhere, and let go of.

Theory of operation. On this machine Ray is begun for one capture, and speaks with nothing but this machine: its
processes listen at the loopback address alone, want a token of theirs, send no figures of use and show no pages. Ray
has no setting for all of that. It would find its address by way of an address of the internet unless it takes itself to
be on a desktop; and it asks for the metadata of a cloud, also where figures of use are switched off, unless a file of
cloud settings lies in the home folder. So while it starts, its home is its own folder, which has such a file; workers
get the true one back. The folder goes when Ray does. Ray's processes do not outlive this one: the kernel sees to that.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from webkeep.errors import StorageError, UsageError

_LOOPBACK = "127.0.0.1"
_OBJECT_STORE_BYTES = 80 << 20
"""The least that Ray takes; nothing large goes through it."""
_CLOUD_SETTINGS = "ray_bootstrap_config.yaml"
_LONGEST_FOLDER = 40
"""Bytes that the folder's path may have: Ray's sockets lie deep in it, and theirs may have 107."""
_LOCAL_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
}


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise UsageError("webkeep cluster needs Ray; run: pip install 'webkeep[cluster]'") from error
    return ray


@contextmanager
def open_ray(address: str) -> Iterator[Any]:
    """Ray at an address, or on this machine where that is empty; let go of when the block is left."""
    if address:
        with _join_ray(address) as ray:
            yield ray
    else:
        folder = _make_folder()
        try:
            with _begin_ray(folder) as ray:
                yield ray
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # what Ray writes while it ends comes too late to matter


def _make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="webkeep-ray-"))
    if len(os.fsencode(folder)) > _LONGEST_FOLDER:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="webkeep-ray-", dir="/tmp"))
    (folder / _CLOUD_SETTINGS).write_text("{}")
    return folder


@contextmanager
def _begin_ray(folder: Path) -> Iterator[Any]:
    settings = {**_LOCAL_SETTINGS, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with _environment(settings):
        ray = _import_ray()
        with _environment({"HOME": str(folder)}):
            options = {
                "address": "local",
                "num_cpus": 0,  # no processes are kept in stock; workers ask for none
                "include_dashboard": False,
                "_node_ip_address": _LOOPBACK,
                "_temp_dir": str(folder),
                "object_store_memory": _OBJECT_STORE_BYTES,
            }
            _call_init(ray, options, "Ray does not start on this machine")
        try:
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def _join_ray(address: str) -> Iterator[Any]:
    ray = _import_ray()
    _call_init(ray, {"address": address}, f"there is no Ray cluster to be joined at {address}")
    try:
        yield ray
    finally:
        ray.shutdown()


def _call_init(ray: Any, options: Mapping[str, Any], complaint: str) -> None:
    """Begin or join, with Ray's own words and handlers of signals kept out."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**options, logging_level="error", log_to_driver=False)
    except (OSError, RuntimeError, ValueError) as error:
        ray.shutdown()
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise StorageError(f"{complaint} ({first}); see that it runs, and that both are of one version") from error
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Some variables of the environment set until the block is left."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
