"""The plans that reports propose, carried out: what each figure was, what was promised, and what it came to.

Sites: a calendar without end, pages behind logins, a directory of pages that change all the time, and the demo site.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.measuring import ROOT, say

sys.path[:0] = [str(ROOT / "tests/integration")]
_site = import_module("small_site")
_DEMO_PORT = 8172
_WALL = b"<title>Log in</title><form><input type=password></form>"


def measure_plans(folder: Path, quick: bool = False) -> dict[str, object]:
    """For each site and figure: before, promised, and after the proposed plan was carried out; quickly without the demo
    site.
    """
    gains: dict[str, dict[str, list[int]]] = {}
    for name, open_site, words, captures in (
        ("trap", _open_trap, ["--max-urls", "300", "--trap-budget", "10"], 1),
        ("walls", _open_walls, [], 1),
        ("hot spots", _open_hot_spots, [], 2),
        ("demo", _open_demo, [], 2),
    )[: 3 if quick else 4]:
        with open_site() as (seed, turn):
            archive = folder / name.replace(" ", "-")
            for number in range(captures):
                turn(number)
                _run("capture", seed, "--into", str(archive), "--browser", "off", "--delay", "0", *words)
            first = _run("report", str(archive))
            turn(captures)
            if first["proposal"]["settings"]:
                _run("capture", "--plan", first["plan"], "--into", str(archive), "--delay", "0")
            gains[name] = _compare(first, _run("report", str(archive)))
    say(f"plans carried out (before, promised, after): {gains}")
    kept = [after <= promised if promised < now else after >= promised * 0.9
            for site in gains.values() for now, promised, after in site.values()]  # fmt: skip
    return {"plan_gains": gains, "plan_promises": len(kept), "plan_promises_kept": sum(kept)}


def _compare(first: dict[str, Any], after: dict[str, Any]) -> dict[str, list[int]]:
    told: dict[str, list[int]] = {}
    for each in first["proposal"]["settings"]:
        name = each["figure"]
        gained = each["expected"] - each["now"]
        row = told.setdefault(name, [each["now"], each["now"], _figure(after, name)])
        row[1] = row[1] + gained if name != "revisited" else each["expected"]
    return told


def _figure(told: dict[str, Any], name: str) -> int:
    return {
        "failed": int(told["completeness"]["failed"]),
        "placeholders": len(told["damage"]["placeholders"]),
        "hungry": len(told["damage"]["hungry"]),
        "revisited": int(told["coherence"]["revisited"]),
    }[name]


def _run(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "webkeep", *words, "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"webkeep {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


Turn = Callable[[int], None]


@contextmanager
def _open_trap() -> Iterator[tuple[str, Turn]]:
    def answer(_host: str, path: str) -> Any:
        if not path.startswith("/calendar"):
            return _site.linking("/calendar?month=1", title="Home")
        at = int(path.rpartition("=")[2])
        return _site.linking(f"/calendar?month={at + 1}", f"/calendar?month={at - 1}", title=f"Month {at}")

    with _site.SmallSite(answer) as site:
        yield site.url("/"), lambda _number: None


@contextmanager
def _open_walls() -> Iterator[tuple[str, Turn]]:
    closed = {f"/articles/{number}": _site.Page(_WALL) for number in range(10)}
    with _site.SmallSite({"/": _site.linking(*closed, "/open"), "/open": _site.linking(), **closed}) as site:
        yield site.url("/"), lambda _number: None


@contextmanager
def _open_hot_spots() -> Iterator[tuple[str, Turn]]:
    calm, hot = [f"/calm/{number}" for number in range(40)], [f"/hot/{number}" for number in range(8)]
    state = {"turn": 0}

    def answer(_host: str, path: str) -> Any:
        if path == "/":
            return _site.linking(*calm, *hot)
        return _site.linking(title=f"{path} {state['turn'] if path.startswith('/hot/') else 0}")

    with _site.SmallSite(answer) as site:
        yield site.url("/"), lambda number: state.update(turn=number)


@contextmanager
def _open_demo() -> Iterator[tuple[str, Turn]]:
    words = [sys.executable, "-m", "webkeep", "demo", "--port", str(_DEMO_PORT), "--speed", "2000"]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()  # it says so once it listens
        try:
            yield f"http://127.0.0.1:{_DEMO_PORT}/", lambda _number: None
        finally:
            process.terminate()
