"""Loading pages through the recording proxy, with WARC written, beside mitmdump, over HTTP and HTTPS.

    .venv/bin/python -m bench.record [--quick] [--rounds N] [--body-gb N]

Client and server are the same for all, and take turns. mitmdump runs twice: passing on only, which the ratios are
against, and writing its own records (`-w`), told beside them. Added latency is the median of one request at a time
through webkeep, less the same without a proxy. A long body is loaded through it in the end, for its memory.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measuring import PEERS, ROOT, _MemoryWatch, median, result, run_module, say
from bench.peers_nginx import Nginx

_TLS = ROOT / "tests" / "data" / "tls"
_PAGE = 10_000
_CONNECTIONS = 16
_PATIENCE = 60.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--body-gb", type=float, default=0.0)
    args = parser.parse_args()
    count, rounds = (500, 1) if args.quick else (5000, args.rounds)
    size = args.body_gb or (0.2 if args.quick else 5.0)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        facts = _measured(Path(folder), count, rounds, size)
    result(facts)


def _measured(folder: Path, count: int, rounds: int, body_gb: float) -> dict[str, object]:
    files = folder / "files"
    files.mkdir()
    (files / "page.html").write_bytes(b"<!doctype html><title>A page</title>".ljust(_PAGE, b"x"))
    with (files / "long").open("wb") as file:
        file.truncate(int(body_gb * 1e9))
    secure = _free_port()
    site = f"root {files}; listen 127.0.0.1:{secure} ssl; ssl_certificate {_TLS}/site.pem;"
    with Nginx(folder / "nginx", f"{site} ssl_certificate_key {_TLS}/site.pem;") as server:
        urls = {"http": server.url, "https": f"https://127.0.0.1:{secure}/"}
        rates: dict[str, list[float]] = collections.defaultdict(list)
        added: list[float] = []
        for number in range(rounds):
            for scheme, url in urls.items():
                _one_round(folder / f"{scheme}-{number}", scheme, f"{url}page.html", count, rates, added)
        memory = _long_body(folder / "long", f"{server.url}long", body_gb)
    return {
        "vs_mitmdump_http": _ratio(rates, "http", "mitmdump"),
        "vs_mitmdump_https": _ratio(rates, "https", "mitmdump"),
        "vs_mitmdump_writing_http": _ratio(rates, "http", "mitmdump -w"),
        "vs_mitmdump_writing_https": _ratio(rates, "https", "mitmdump -w"),
        "added_latency_ms": median(added),
        **memory,
        "body_gb": body_gb,
        "requests_per_s": {name: median(values) for name, values in rates.items()},
    }


def _ratio(rates: dict[str, list[float]], scheme: str, peer: str) -> float:
    pairs = zip(rates[f"webkeep {scheme}"], rates[f"{peer} {scheme}"], strict=True)
    return median(ours / theirs for ours, theirs in pairs)


def _one_round(
    folder: Path, scheme: str, url: str, count: int, rates: dict[str, list[float]], added: list[float]
) -> None:
    folder.mkdir()
    with _webkeep(folder) as (proxy, authorities, _):
        rates[f"webkeep {scheme}"].append(_rate(url, count, proxy, authorities))
        if scheme == "http":
            through = run_module("bench.record_client", url, 300, 1, proxy, authorities).facts["median"]
            straight = run_module("bench.record_client", url, 300, 1, "-", _TLS / "ca.pem").facts["median"]
            added.append((through - straight) * 1000)
    for name, words in {"mitmdump": [], "mitmdump -w": ["-w", str(folder / "flows")]}.items():
        with _mitmdump(folder, words) as (proxy, authorities):
            rates[f"{name} {scheme}"].append(_rate(url, max(count // 4, 200), proxy, authorities))
    say(f"{scheme}: " + ", ".join(f"{name} {values[-1]:.0f}/s" for name, values in rates.items() if scheme in name))


def _rate(url: str, count: int, proxy: str, authorities: Path) -> float:
    facts = run_module("bench.record_client", url, count, _CONNECTIONS, proxy, authorities).facts
    if facts["whole"] != count:
        raise SystemExit(f"{count - facts['whole']:.0f} of {count} requests through {proxy} failed")
    return facts["whole"] / facts["seconds"]


@contextmanager
def _webkeep(folder: Path) -> Iterator[tuple[str, Path, subprocess.Popen[bytes]]]:
    port, authority = _free_port(), folder / "authority"
    words = ["record", "--into", folder / "archive", "--port", port, "--private", "--authority", authority]
    words += ["--certificate-authorities", _TLS / "ca.pem"]
    command = [sys.executable, "-m", "webkeep", *map(str, words)]
    with _running(command, port) as process:
        yield f"http://127.0.0.1:{port}", authority / "webkeep-authority.pem", process
    shutil.rmtree(folder / "archive")


@contextmanager
def _mitmdump(folder: Path, words: list[str]) -> Iterator[tuple[str, Path]]:
    port, configuration = _free_port(), folder / "mitmproxy"
    command = [str(PEERS / "mitmproxy/bin/mitmdump"), "-q", "-p", str(port), "--ssl-insecure", *words]
    with _running([*command, "--set", f"confdir={configuration}"], port):
        yield f"http://127.0.0.1:{port}", configuration / "mitmproxy-ca-cert.pem"


@contextmanager
def _running(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A proxy, once it listens; ended with the block."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _await_port(port, process)
            yield process
            process.send_signal(signal.SIGINT)
            process.wait(_PATIENCE * 10)
        finally:
            process.kill()


def _long_body(folder: Path, url: str, body_gb: float) -> dict[str, object]:
    folder.mkdir()
    with _webkeep(folder) as (proxy, authorities, process):
        watch = _MemoryWatch(process.pid)
        watch.start()
        facts = run_module("bench.record_client", "--long", url, 0, 1, proxy, authorities).facts
        process.send_signal(signal.SIGINT)
        process.wait(_PATIENCE * 10)
        watch.end()
    if facts["bytes"] != int(body_gb * 1e9):
        raise SystemExit(f"{facts['bytes']:.0f} bytes of the long body came through")
    say(f"{body_gb} GB: first byte after {facts['first']:.3f} s, last after {facts['seconds']:.1f} s")
    return {
        "rss_mb": watch.peak_mb,
        "first_byte_s": round(facts["first"], 3),
        "last_byte_s": round(facts["seconds"], 3),
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"nothing listens on port {port}; is the program installed? (make peers)")


if __name__ == "__main__":
    main()
