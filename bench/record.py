"""Loading pages through the recording proxy, with WARC written, beside other proxies, over HTTP and HTTPS.

    .venv/bin/python -m bench.record [--quick] [--turns N] [--body-gb N]

Client and server are the same for all. The proxies run at the same time and take turns at serving, and a ratio is the
median of those of single turns, because machines are not equally quick at all times. A turn ends when the proxy has
come to rest: what it writes after its last answer is counted. No two pages are the same. `client_share` is how much of
one core the client takes while webkeep serves it: far from all of it, for else it would be the client that is measured.
mitmdump runs twice: passing on only, which the ratios are against, and writing its own records (`-w`), told beside
them; warcprox runs where it lets clients go to loopback. Added latency is the median of one request at a time through
webkeep, less the same without a proxy. A long body is loaded through it in the end, for its memory. What the server's
recorder costs is told by bench.middleware.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import middleware
from bench.measuring import PEERS, MemoryWatch, cpu_seconds, median, result, say
from bench.peers_nginx import Nginx
from bench.record_client import Crowd, Place, load_long
from bench.record_peers import PATIENCE, TLS, Peer, free_port, mitmdump, warcprox, webkeep

_PAGE = 10_000
_BASES = 100
_CONNECTIONS = 16
_WARMING = 500
_LATENCY = 100
"""Pages loaded one by one, for the added latency."""
_REST = 0.3
"""A proxy that has not worked for so many seconds has nothing left to do."""
_GLANCE = 0.02
_SHARES = {"webkeep": 1.0, "mitmdump": 0.25, "mitmdump -w": 0.15, "warcprox": 0.05}
"""How many of a turn's pages each is given, so that turns take about as long."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done."""

    turns: int
    pages: int
    """Loaded in one turn."""
    body_gb: float
    middleware_seconds: float
    middleware_starts: int

    @property
    def pages_by_scheme(self) -> int:
        """How many pages are loaded by one scheme, at most."""
        return self.turns * self.pages + _WARMING


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--body-gb", type=float, default=0.0)
    args = parser.parse_args()
    usual = Effort(3, 1500, 0.3, 6, 2) if args.quick else Effort(10, 6000, 5.0, 180, 20)
    effort = replace(usual, turns=args.turns or usual.turns, body_gb=args.body_gb or usual.body_gb)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        facts = _measured(Path(folder), effort)
    seen = middleware.cost(effort.middleware_seconds, effort.middleware_starts, kinds=["same"])
    facts |= {name: seen[name] for name in ("middleware_cost", "middleware_cost_error", "middleware_cost_cpu")}
    result(facts)


def _measured(folder: Path, effort: Effort) -> dict[str, object]:
    files, secure = folder / "files", free_port()
    _write_site(files, effort)
    # The server would hold more files open than it may.
    site = f"root {files}; open_file_cache off; listen 127.0.0.1:{secure} ssl; ssl_certificate {TLS}/site.pem;"
    with Nginx(folder / "nginx", f"{site} ssl_certificate_key {TLS}/site.pem;") as server:
        roots = {"http": server.url, "https": f"https://127.0.0.1:{secure}/"}
        return {
            **_compared(folder, {scheme: f"{root}page/" for scheme, root in roots.items()}, effort),
            **_long_body(folder / "long", f"{server.url}long", effort.body_gb),
        }


@dataclass(slots=True)
class Seen:
    """What was seen of one proxy."""

    rates: list[float] = field(default_factory=list)
    """Requests a second, turn by turn."""
    pages: int = 0
    cpu_s: float = 0.0
    """Processor time of its process and what it started; client and server are not in it."""
    client_share: float = 0.0
    """How much of one core the client took, turn by turn the most."""


def _ratios(scheme: str, seen: dict[str, Seen]) -> dict[str, float]:
    names = {"mitmdump": "mitmdump", "mitmdump -w": "mitmdump_writing", "warcprox": "warcprox"}
    ours = seen["webkeep"].rates
    return {
        f"vs_{names[peer]}_{scheme}": median(one / other for one, other in zip(ours, each.rates, strict=True))
        for peer, each in seen.items()
        if peer in names
    }


def _write_site(files: Path, effort: Effort) -> None:
    """Pages of text, and one very long file of nothing."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(4000)]
    bases = [" ".join(chance.choices(words, k=_PAGE // 5))[:_PAGE] for _ in range(_BASES)]
    (files / "page").mkdir(parents=True)
    for number in range(_LATENCY * (effort.turns + 1) + 2 * effort.pages_by_scheme):
        text = f"<!doctype html><title>Page {number}</title>{bases[number % _BASES]}"
        (files / "page" / str(number)).write_text(text)
    with (files / "long").open("wb") as file:
        file.truncate(int(effort.body_gb * 1e9))


def _compared(folder: Path, urls: dict[str, str], effort: Effort) -> dict[str, object]:
    """Every proxy, in turns, by one scheme and then the other."""
    facts: dict[str, object] = {}
    rates: dict[str, float] = {}
    costs: dict[str, int] = {}
    with ExitStack() as stack:
        peers = _started(folder, stack, urls["http"])
        for number, (scheme, url) in enumerate(urls.items()):
            seen = _turns(peers, url, effort, number * effort.pages_by_scheme)
            facts |= _ratios(scheme, seen)
            rates |= {f"{name} {scheme}": median(each.rates) for name, each in seen.items()}
            costs |= {f"{name} {scheme}": round(1e6 * each.cpu_s / each.pages) for name, each in seen.items()}
            facts[f"client_share_{scheme}"] = round(seen["webkeep"].client_share, 2)
            say(", ".join(f"{name} {median(each.rates):.0f}/s" for name, each in seen.items()) + f" by {scheme}")
        facts["added_latency_ms"] = _added_latency(peers["webkeep"], urls["http"], effort)
    return {**facts, "requests_per_s": rates, "cpu_us_per_request": costs}


def _started(folder: Path, stack: ExitStack, url: str) -> dict[str, Peer]:
    """The proxies that run here; they start at the same time."""
    peers = {
        "webkeep": stack.enter_context(webkeep(folder)),
        "mitmdump": stack.enter_context(mitmdump(folder, [])),
        "mitmdump -w": stack.enter_context(mitmdump(folder, ["-w", str(folder / "flows")])),
    }
    if (PEERS / "warcprox/bin/warcprox").exists():
        peers["warcprox"] = stack.enter_context(warcprox(folder))
    else:
        say("warcprox is not measured: it is not installed (make peers)")
    for peer in peers.values():
        peer.await_start()
    if "warcprox" in peers and (status := _status_by(peers["warcprox"].place, f"{url}0")) != "200":
        say(f"warcprox is not measured: it refuses loopback (status {status})")
        del peers["warcprox"]
    return peers


def _turns(peers: dict[str, Peer], url: str, effort: Effort, first: int) -> dict[str, Seen]:
    seen = {name: Seen() for name in peers}
    with ExitStack() as stack:
        crowds = {
            name: stack.enter_context(Crowd(url, each.place, _CONNECTIONS, first)) for name, each in peers.items()
        }
        for name, crowd in crowds.items():
            crowd.load(int(_WARMING * _SHARES[name]))
            _at_rest(peers[name].process.pid)
        for _ in range(effort.turns):
            for name, crowd in crowds.items():
                _take_turn(crowd, int(effort.pages * _SHARES[name]), peers[name].process.pid, seen[name])
    return seen


def _take_turn(crowd: Crowd, pages: int, pid: int, seen: Seen) -> None:
    before, began, clients = cpu_seconds(pid), time.perf_counter(), time.thread_time()
    crowd.load(pages)
    share = (time.thread_time() - clients) / (time.perf_counter() - began)
    used, ended = _at_rest(pid)
    seen.client_share = max(seen.client_share, share)
    seen.rates.append(pages / (ended - began))
    seen.pages += pages
    seen.cpu_s += used - before


def _at_rest(pid: int) -> tuple[float, float]:
    """The processor time of a proxy once it has done what it put off, and when it was last seen at work."""
    used, at_work = cpu_seconds(pid), time.perf_counter()
    while time.perf_counter() - at_work < _REST:
        time.sleep(_GLANCE)
        if (now := cpu_seconds(pid)) > used:
            used, at_work = now, time.perf_counter()
    return used, at_work


def _status_by(place: Place, url: str) -> str:
    words = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "", "--cacert", str(place.authorities)]
    asked = subprocess.run([*words, "--proxy", place.proxy or "", url], capture_output=True, text=True, check=False)
    return asked.stdout


def _added_latency(ours: Peer, url: str, effort: Effort) -> float:
    """By how many milliseconds the median of one request at a time is longer through our proxy."""
    added, first = [], 2 * effort.pages_by_scheme
    with Crowd(url, ours.place, 1, first) as through, Crowd(url, Place(None, TLS), 1, first) as straight:
        for _ in range(effort.turns + 1):
            seconds = [statistics.median(crowd.load(_LATENCY)) for crowd in (through, straight)]
            added.append((seconds[0] - seconds[1]) * 1000)
    return median(added[1:])


def _long_body(folder: Path, url: str, body_gb: float) -> dict[str, object]:
    folder.mkdir()
    with webkeep(folder) as ours:
        ours.await_start()
        process = ours.process
        watch = MemoryWatch(process.pid)
        watch.start()
        load = load_long(url, ours.place)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        watch.end()
    if load.size != int(body_gb * 1e9):
        raise SystemExit(f"{load.size} bytes of the long body came through")
    say(f"{body_gb} GB: first byte after {load.first:.3f} s, last after {load.seconds:.1f} s")
    return {
        "rss_mb": watch.peak_mb,
        "body_gb": body_gb,
        "first_byte_s": round(load.first, 3),
        "last_byte_s": round(load.seconds, 3),
    }


if __name__ == "__main__":
    main()
