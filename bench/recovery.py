"""Recovery: how much comes back for how many requests, how well its parts fit together in time, and how fast it goes.

    .venv/bin/python -m bench.recovery [--quick]

Sites and repositories are those of the laboratory, in the set-up of experiment E4. Efficiency is resources to each
request; its ceiling is reckoned from the truth: all that is held, for the fewest requests by which it can be had. The
published policies run as they were published, on the same sites. Violations are counted by the truth as well: parts
that were another at the moment of the page they are shown with. Speed is that of the command, from `webkeep serve` on
loopback; memory is the most that the command had.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from bench.measuring import result, say
from bench.recovery_speed import Measured, measured
from webkeep.lab.recovery.experiments.policy_comparison import PolicyOutcome, run_policies
from webkeep.lab.recovery.scenarios.dead_site import recovered_share
from webkeep.lab.recovery.scenarios.product_recovery import run_product
from webkeep.lab.recovery.scenarios.version_choice import CHOICE_RULES, count_regret, draw_cases, mean_figures
from webkeep.lab.recovery.scenarios.version_choice_crawl import choose_by_crawl
from webkeep.lab.recovery.simulation.efficiency_ceiling import efficiency_ceiling
from webkeep.lab.recovery.simulation.lost_site import LostSite, draw_lost_sites

BARS = {"recovered_of_held": 1.0, "efficiency_of_ceiling": 0.95, "resources_per_s": 1000, "rss_mb": 300}
_FULL = (60, 300, 60, 10_000, 200_000)
_QUICK = (6, 60, 20, 8_000, 8_000)
"""Sites; pages to choose versions of; small such cases; resources to time; resources to weigh."""


def main() -> None:
    """Measure, and print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sites, pages and resources")
    sites, pages, small, timed, weighed = _QUICK if parser.parse_args().quick else _FULL
    efficiency = _efficiency(list(draw_lost_sites(sites)))
    choice = _choice(pages, small)
    with tempfile.TemporaryDirectory() as folder:
        fast = measured(Path(folder) / "fast", timed)
        great = measured(Path(folder) / "great", weighed) if weighed > timed else fast
    say(f"{fast.resources:,} resources: {fast.per_second:,.0f} a second; {great.resources:,}: {great.rss_mb:.0f} MB")
    result({**efficiency, **choice, **_speed(fast, great), "bars": BARS})


def _efficiency(sites: Sequence[LostSite]) -> dict[str, object]:
    best = [efficiency_ceiling(site).efficiency for site in sites]
    published = {policy.value: _told(made, best) for policy, made in run_policies(sites).items()}
    ours = _told([run_product(site) for site in sites], best)
    for name, told in {"ours": ours, **published}.items():
        say(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in told.items()))
    return {
        "sites": len(sites),
        **ours,
        "efficiency_ceiling": round(fmean(best), 4),
        **published,
        "dead_site_recovered_of_held": round(recovered_share(), 4),
    }


def _told(outcomes: Sequence[PolicyOutcome], best: Sequence[float]) -> dict[str, float]:
    shares = [made.efficiency / most for made, most in zip(outcomes, best, strict=True)]
    return {
        "recovered_of_held": round(fmean(made.recovered_of_held for made in outcomes), 4),
        "efficiency": round(fmean(made.efficiency for made in outcomes), 4),
        "efficiency_of_ceiling": round(fmean(shares), 4),
    }


def _choice(pages: int, small: int) -> dict[str, object]:
    made = list(draw_cases(pages))
    told = {name: mean_figures(made, rule) for name, rule in CHOICE_RULES.items()}
    told["ours_by_crawl"] = mean_figures(made, choose_by_crawl)
    for name, each in told.items():
        say(f"{name}: " + ", ".join(f"{key} {value:.4f}" for key, value in each.items()))
    few = draw_cases(small, years=0.5, archives=2, parts=3)
    return {
        "violations": {name: round(each["violations"], 4) for name, each in told.items()},
        "spread_days": {name: round(each["spread_days"], 2) for name, each in told.items()},
        "completeness": {name: round(each["complete"], 4) for name, each in told.items()},
        "regret": round(fmean(count_regret(case) for case in few), 4),
    }


def _speed(fast: Measured, great: Measured) -> dict[str, object]:
    return {
        "resources_per_s": round(fast.per_second, 1),
        "resources_at": fast.resources,
        "resources_per_cpu_s": round(fast.resources / fast.cpu_seconds, 1),
        "resources_per_s_great": round(great.per_second, 1),
        "missing": fast.missing + great.missing,
        "rss_mb": great.rss_mb,
        "rss_at": great.resources,
    }


if __name__ == "__main__":
    main()
