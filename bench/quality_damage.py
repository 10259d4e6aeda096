"""Damage against pictures: pages of `tests/sites/damage` with known parts removed, their damage figure, and what a
picture comparison in Chromium says was lost.

The comparison is structural dissimilarity (SSIM), by the script that `report --browser` compares pictures with, between
pictures of the whole page, 1000 pixels wide, with and without the parts. Weights are tuned on half of the pages and
judged on the other half, for twenty halves that are drawn by number; what is printed is the mean of what they judged,
and the least. Weights of the product are tuned on all of them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import struct
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any

from bench.measuring import ROOT, result, say
from webkeep.browser.process import find_program
from webkeep.model import Headers
from webkeep.quality.damage import (
    DAMAGE_WEIGHTS,
    DamageWeights,
    HeldPart,
    PagePart,
    PartKind,
    PartLoss,
    measure_damage,
    read_page_structure,
)
from webkeep.quality.fidelity import read_comparison_script

sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "tests")]
_devtools = import_module("devtools")
_material = import_module("sites.material")
FOLDER = ROOT / "tests/sites/damage"
_MADE = re.compile(r"/made/([a-z0-9]+)-(\d+)x(\d+)\.png")
_TYPES = {"html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
          "png": "image/png", "ttf": "font/ttf", "webm": "video/webm"}  # fmt: skip
_SITE = "http://site.test"
_SPLITS = 20
"""Halves of the pages that weights are tuned on, drawn by number: none was chosen."""
_CASES_A_PAGE = 22
_SIZE = {"width": 1000, "height": 700, "deviceScaleFactor": 1, "mobile": False}


@dataclass(frozen=True, slots=True)
class Case:
    """A page without some of its parts, and what its picture lost."""

    page: str
    removed: frozenset[str]
    lost: float = 0.0


@cache
def content_of(path: str) -> bytes | None:
    """What the site has at a path."""
    bare = path.partition("?")[0]
    made = _MADE.fullmatch(bare)
    if made:
        return striped_png(made[1], int(made[2]), int(made[3]))
    if bare.startswith("/made/"):
        kind = bare.rpartition(".")[2]
        return bytes(getattr(_material, kind)(bare)) if kind in ("ttf", "webm") else None
    file = FOLDER / bare.strip("/")
    return file.read_bytes() if file.is_file() else None


def striped_png(name: str, width: int, height: int) -> bytes:
    """A picture of stripes in colours of its own."""
    chance = random.Random(name)
    colours = [bytes(chance.randrange(40, 230) for _ in range(3)) for _ in range(4)]
    step = chance.choice((12, 20, 28))
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        rows += b"".join(colours[(x // step + y // step) % 4] * min(step, width - x) for x in range(0, width, step))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(rows), 1)), (b"IEND", b""))
    )


class DamagedSite:
    """The pages on loopback, without the parts that are removed just now."""

    def __init__(self) -> None:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = None if self.path in site.removed else content_of(self.path)
                self.send_response(404 if body is None else 200)
                kind = self.path.partition("?")[0].rpartition(".")[2]
                self.send_header("Content-Type", "text/plain" if body is None else _TYPES.get(kind, "text/plain"))
                self.send_header("Content-Length", str(len(body or b"")))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: object) -> None:
                pass

        self.removed: frozenset[str] = frozenset()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.root = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> DamagedSite:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def page_names() -> list[str]:
    """The pages, by name."""
    return sorted(path.stem for path in FOLDER.glob("*.html") if path.stem != "inner")


def parts_of(page: str) -> list[str]:
    """The paths that a page and its style sheets ask for."""
    asked: dict[str, None] = {}

    def note(part: PagePart) -> HeldPart | None:
        asked.update(dict.fromkeys(url.removeprefix(_SITE) for url in part.urls))
        return _held(part, frozenset())

    measure_damage(_structure(page), note)
    return sorted(asked)


def make_cases(page: str, count: int, parts: Sequence[str]) -> list[Case]:
    """Every part by itself as far as there is room, some together, and all."""
    chance = random.Random(page)
    chosen = [frozenset({each}) for each in chance.sample(parts, min(len(parts), count // 2))]
    chosen.append(frozenset(parts))
    while len(chosen) < min(count, 2 ** len(parts) - 1):
        some = frozenset(chance.sample(parts, chance.randint(1, len(parts))))
        if some not in chosen:
            chosen.append(some)
    return [Case(page, each) for each in chosen]


@cache
def _structure(page: str) -> Any:
    headers = Headers((("Content-Type", "text/html; charset=utf-8"),))
    return read_page_structure(f"{_SITE}/{page}.html", headers, content_of(f"/{page}.html") or b"")


def _held(part: PagePart, removed: frozenset[str]) -> HeldPart | None:
    for url in part.urls:
        path = url.removeprefix(_SITE)
        body = None if path in removed else content_of(path)
        if body is not None:
            kind = _TYPES.get(path.rpartition(".")[2], "text/plain")
            return HeldPart(Headers((("Content-Type", kind),)), body)
    return None


def damage_of(case: Case, weights: DamageWeights = DAMAGE_WEIGHTS) -> tuple[float, float]:
    """The damage figure, and the share of missing parts."""
    told = measure_damage(_structure(case.page), lambda part: _held(part, case.removed), weights)
    return told.damage, told.missing_share


def _flags(profile: str, *more: str) -> list[str]:
    return [find_program(), f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-sandbox", "--headless=new", "--hide-scrollbars",
            "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            *more]  # fmt: skip


class Tab:
    """A tab of Chromium of a fixed size, which keeps nothing."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            browser.call(f"{domain}.enable", self._session)
        browser.call("Network.setCacheDisabled", self._session, cacheDisabled=True)
        browser.call("Emulation.setDeviceMetricsOverride", self._session, **_SIZE)

    def load(self, url: str) -> None:
        """Open an address and wait until it has loaded."""
        self._browser.call("Page.navigate", self._session, url=url)
        while self._browser.event("the page to load").get("method") != "Page.loadEventFired":
            pass
        self.evaluate("document.fonts.ready.then(() => 1)")

    def evaluate(self, expression: str) -> object:
        """The value of an expression, once it is there."""
        words = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        return self._browser.call("Runtime.evaluate", self._session, **words)["result"].get("value")

    def take_picture(self, url: str) -> str:
        """The picture of a whole page, as PNG in base64."""
        self.load(url)
        told = self._browser.call("Page.captureScreenshot", self._session, format="png", captureBeyondViewport=True)
        return str(told["data"])

    def compare(self, first: str, second: str) -> float:
        """What the second picture lost of the first."""
        words = f"({read_comparison_script()})({json.dumps(first)}, {json.dumps(second)}, [], 0, 0)"
        told: Any = self.evaluate(words)
        return float(told["dissimilarity"])


@contextmanager
def open_tab(*flags: str) -> Iterator[Tab]:
    """A tab of a Chromium that finds nobody but this machine."""
    with (
        tempfile.TemporaryDirectory(prefix="webkeep-damage-", ignore_cleanup_errors=True) as profile,
        _devtools.chromium([*_flags(profile, *flags), "about:blank"]) as browser,
    ):
        yield Tab(browser)


def measure_cases(pages: Sequence[str], a_page: int) -> list[Case]:
    """All cases with what their pictures lost."""
    measured: list[Case] = []
    with DamagedSite() as site, open_tab() as tab:
        for page in pages:
            site.removed = frozenset()
            whole = tab.take_picture(f"{site.root}/{page}.html")
            for case in make_cases(page, a_page, parts_of(page)):
                site.removed = case.removed
                measured.append(replace(case, lost=tab.compare(whole, tab.take_picture(f"{site.root}/{page}.html"))))
    return measured


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's: that of Pearson between ranks, equal values sharing theirs."""
    one, other = _ranks(first), _ranks(second)
    mean = (len(one) + 1) / 2
    cov = sum((a - mean) * (b - mean) for a, b in zip(one, other, strict=True))
    spread = sum((a - mean) ** 2 for a in one) * sum((b - mean) ** 2 for b in other)
    return cov / spread**0.5 if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda at: round(values[at], 9))
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and round(values[order[end + 1]], 9) == round(values[order[start]], 9):
            end += 1
        for at in range(start, end + 1):
            ranks[order[at]] = (start + end) / 2 + 1
        start = end + 1
    return ranks


PartShares = tuple[bool, dict[str, float]]
"""Of one missing part: whether it is a style sheet, and its share of the page by the weight that it counts with."""


def decompose(missing: Callable[[DamageWeights], Sequence[PartLoss]]) -> list[PartShares]:
    """The shares of the missing parts of a case, so that its damage by any weights is quickly told."""
    nothing = DamageWeights(**{each.name: 0.0 for each in fields(DamageWeights)})
    shares: dict[PagePart, dict[str, float]] = {}
    for each in fields(DamageWeights):
        for loss in missing(replace(nothing, **{each.name: 1.0})):
            if loss.loss:
                shares.setdefault(loss.part, {})[each.name] = loss.loss
    return [(part.kind is PartKind.STYLE, told) for part, told in shares.items()]


def damage_by_shares(parts: Sequence[PartShares], weights: Mapping[str, float]) -> float:
    """The damage of a case, as `measure_damage` tells it."""
    styled, left = 0.0, 1.0
    for is_style, shares in parts:
        loss = min(sum(weights[name] * share for name, share in shares.items()), 1.0)
        styled, left = (styled + loss, left) if is_style else (styled, left * (1.0 - loss))
    return 1.0 - (1.0 - min(styled, 1.0)) * left


@dataclass(frozen=True, slots=True)
class WeighedCase:
    """A case with all that tuning needs of it."""

    page: str
    lost: float
    missing_share: float
    parts: list[PartShares]


def weigh_case(case: Case) -> WeighedCase:
    """A case of our own pages."""

    def missing(weights: DamageWeights) -> Sequence[PartLoss]:
        return measure_damage(_structure(case.page), lambda part: _held(part, case.removed), weights).missing

    return WeighedCase(case.page, case.lost, damage_of(case)[1], decompose(missing))


def correlate(cases: Sequence[WeighedCase], weights: DamageWeights = DAMAGE_WEIGHTS) -> float:
    """How well damage by these weights orders cases as their pictures do."""
    values = {each.name: getattr(weights, each.name) for each in fields(weights)}
    return rank_correlation([damage_by_shares(case.parts, values) for case in cases], [case.lost for case in cases])


def tune(cases: Sequence[WeighedCase], rounds: int = 3) -> DamageWeights:
    """The weights that order these cases best, one weight at a time."""
    best, weights = -1.0, DamageWeights()
    for _ in range(rounds):
        for each in fields(DamageWeights):
            for value in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
                tried = replace(weights, **{each.name: value})
                told = correlate(cases, tried)
                if told > best + 1e-4:
                    best, weights = told, tried
    return weights


def cross_validate(cases: Sequence[WeighedCase], splits: int = _SPLITS) -> list[float]:
    """Weights tuned on half of the pages and judged on the others, for halves drawn by number."""
    pages = sorted({case.page for case in cases})
    judged = []
    for number in range(splits):
        half = set(random.Random(number).sample(pages, len(pages) // 2))
        weights = tune([case for case in cases if case.page in half])
        judged.append(correlate([case for case in cases if case.page not in half], weights))
    return judged


def measure_damage_figures(quick: bool) -> dict[str, object]:
    """The rank correlations on halves of the pages that weights were not tuned on."""
    cases = [weigh_case(case) for case in measure_cases(page_names(), 4 if quick else _CASES_A_PAGE)]
    judged = cross_validate(cases, 2 if quick else _SPLITS)
    own = statistics.mean(judged)
    count = rank_correlation([case.missing_share for case in cases], [case.lost for case in cases])
    told = ", ".join(f"{each:.3f}" for each in judged)
    say(f"damage of {len(cases)} cases, judged on halves: {told}; by the share of missing parts {count:.3f}")
    return {
        "damage_cases": len(cases),
        "damage_splits": len(judged),
        "damage_correlation": round(own, 3),
        "damage_correlation_least": round(min(judged), 3),
        "damage_correlation_by_count": round(count, 3),
        "damage_correlation_all": round(correlate(cases), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer cases")
    parser.add_argument("--tune", action="store_true", help="tune the weights on one half and print them")
    args = parser.parse_args()
    if args.tune:
        cases = [weigh_case(case) for case in measure_cases(page_names(), _CASES_A_PAGE)]
        weights = tune(cases)
        say(str(weights))
        result({"tuned": correlate(cases, weights)})
    else:
        result(measure_damage_figures(args.quick))


if __name__ == "__main__":
    main()
