"""How well changes that matter are told from noise: the demo site captured again and again, verdicts against its truth.

The demo site knows which version it served to every request, and what lies between two versions. Each capture visits
every page twice; what differs between the two is what noise is learned from. Verdicts are those of `webkeep diff`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bench.measuring import say
from webkeep.change.detection import ChangeCategory
from webkeep.clock import SystemClock
from webkeep.lab.demo import DemoKind, DemoServer, DemoSite, NoiseSet, SitePlan, category_of_change, noise_kinds
from webkeep.lab.demo.served_log import ServedResponse
from webkeep.model import Moment, Observation
from webkeep.quality.diff import ChangeKind, PageChange, compare_states, snapshot_of_capture, state_in_captures
from webkeep.store.archive import Archive

_CATEGORY_BY_KIND = {
    ChangeKind.REMOVED: ChangeCategory.REMOVED,
    ChangeKind.UNCHANGED: ChangeCategory.UNCHANGED,
    ChangeKind.ADDED: ChangeCategory.NEW,
}
_QUICK_SETS = ((NoiseSet.USUAL, ""), (NoiseSet.SEVENTH, "_heldout"))
"""The usual noise, and the set of kinds on which nothing was mended."""
_SETS = (
    *_QUICK_SETS,
    (NoiseSet.OTHER, "_other"),
    (NoiseSet.SECOND, "_second"),
    (NoiseSet.THIRD, "_third"),
    (NoiseSet.FOURTH, "_fourth"),
    (NoiseSet.FIFTH, "_fifth"),
    (NoiseSet.SIXTH, "_sixth"),
)
"""With those that change detection was mended by."""
_HOURS_BETWEEN = 3.0
"""From one capture to the next, on the clock of the site."""


@dataclass(slots=True)
class SiteClock:
    """The clock of the site, which is put forward between captures."""

    ahead: float = 0.0
    system: SystemClock = field(default_factory=SystemClock)

    def now(self) -> Moment:
        """The moment on the site."""
        return self.system.now().plus(self.ahead)


@dataclass(slots=True)
class Judged:
    """Verdicts beside the truth."""

    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By truth and verdict."""
    mistakes: list[str] = field(default_factory=list)

    def add(self, truth: str, verdict: str, words: str) -> None:
        """Take a verdict down."""
        self.confusion[truth, verdict] += 1
        if (truth == "insignificant") != (verdict == "insignificant"):
            self.mistakes.append(f"{truth}, judged {words}")

    def precision_and_recall(self) -> tuple[float, float]:
        """Of insignificant changes, among all pages that are there both times and differ."""
        right = self.confusion["insignificant", "insignificant"]
        named = sum(count for (_, verdict), count in self.confusion.items() if verdict == "insignificant")
        there = sum(count for (truth, _), count in self.confusion.items() if truth == "insignificant")
        return right / max(named, 1), right / max(there, 1)

    def table(self) -> Iterator[str]:
        """The confusion table, truths down and verdicts across."""
        names = [each.value for each in ChangeCategory if any(each in pair for pair in self.confusion)]
        yield " ".join([f"{'truth':>14}", *(f"{name:>13}" for name in names)])
        for truth in names:
            counts = (f"{self.confusion[truth, verdict]:>13}" for verdict in names)
            yield " ".join([f"{truth:>14}", *counts])


def judge_changes(noise: NoiseSet, pages: int, captures: int, folder: Path, seed: int = 1) -> Judged:
    """Capture the demo site so often, and judge what changed from each capture to the next."""
    clock = SiteClock()
    site = DemoSite(SitePlan(seed=seed, pages=pages, noise=noise), clock.now())
    archive = folder / f"{noise.value}-{seed}"
    served: list[list[ServedResponse]] = []
    with DemoServer(site, clock=clock) as server:
        for _ in range(captures):
            _capture(server.url, archive)
            known = sum(len(each) for each in served)
            served.append(server.served_responses()[known:])
            clock.ahead += _HOURS_BETWEEN * 3600
        origin = server.addresses.origin
    versions = [{one.path: one.version for one in each if one.version is not None} for each in served]
    judged = Judged()
    with Archive(archive) as opened:
        found = [capture for capture in opened.captures() if capture.kind == "capture"]
        for number, (before, after) in enumerate(pairwise(found)):
            state = state_in_captures(opened, after.id)
            for change in compare_states(opened, snapshot_of_capture(opened, before), state):
                path = change.url.removeprefix(origin)
                if path in site.resources and site.resources[path].kind is DemoKind.PAGE:
                    _judge_page(site, change, versions[number], versions[number + 1], path, clock.now(), judged)
    return judged


def _judge_page(
    site: DemoSite,
    change: PageChange,
    before: dict[str, int],
    after: dict[str, int],
    path: str,
    now: Moment,
    judged: Judged,
) -> None:
    verdict = change.verdict
    told = _CATEGORY_BY_KIND.get(change.kind) if verdict is None else verdict.category
    if told is None or change.before is None or change.after is None or path not in before:
        return  # it was not there before, or leads elsewhere: nothing of it is compared
    truth = category_of_change(site, path, before[path], after.get(path, before[path]))
    if change.kind is ChangeKind.REMOVED:
        truth = "removed" if site.is_gone(path, site.version_at(path, now)) else truth
    elif truth in ("unchanged", "insignificant"):
        truth = "unchanged" if _has_same_bytes(change.before, change.after) else "insignificant"
    noise = ", ".join(noise_kinds(site.plan.noise, site.plan.seed, path)) or "no noise"
    judged.add(truth, told.value, f"{path} ({noise}): {verdict.describe() if verdict else told}")


def _has_same_bytes(one: Observation, other: Observation) -> bool:
    return one.payload_digest == other.payload_digest


def _capture(url: str, archive: Path) -> None:
    command = [sys.executable, "-m", "webkeep", "capture", url, "--into", str(archive), "--delay", "0", "--new"]
    done = subprocess.run(
        [*command, "--for", "evidence", "--browser", "off", "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    json.loads(done.stdout.splitlines()[-1])


def measure_changes(quick: bool, folder: Path) -> dict[str, object]:
    """Precision and recall of insignificant changes: on the usual noise, and on kinds that it is not known by."""
    pages, captures = (80, 4) if quick else (200, 12)
    figures: dict[str, object] = {"change_captures": captures}
    for noise, name in _QUICK_SETS if quick else _SETS:
        judged = judge_changes(noise, pages, captures, folder)
        precision, recall = judged.precision_and_recall()
        say(f"noise: {noise.value}; precision {precision:.4f}, recall {recall:.4f}")
        for line in (*judged.table(), *judged.mistakes[:20]):
            say(line)
        figures |= {f"precision{name}": round(precision, 4), f"recall{name}": round(recall, 4)}
        figures[f"confusion{name}"] = {f"{truth} as {told}": n for (truth, told), n in sorted(judged.confusion.items())}
    return figures
