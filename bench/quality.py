"""What a capture is worth, measured: changes told from noise, texts compared, the report of a very large archive, its
pictures, the plans it proposes, and damage against pictures of pages.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measuring import result, say
from bench.quality_browser import measure_browser_report
from bench.quality_changes import measure_changes
from bench.quality_damage import measure_damage_figures
from bench.quality_damage_real import measure_real_damage
from bench.quality_fingerprints import measure_fingerprint_cost
from bench.quality_large_pages import measure_large_pages
from bench.quality_pictures import measure_pictures
from bench.quality_plan import measure_plans
from bench.quality_report import measure_report
from bench.quality_texts import measure_texts
from webkeep.quality.report import DEFAULT_PAGES

_WHOLE_ONLY = ("fingerprints", "large-pages", "real-damage", "browser")
"""Parts that say nothing on little work."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same on less work, in under 50 seconds")
    parser.add_argument("--only", action="append", metavar="PART", help="this part alone; can be given again")
    args = parser.parse_args()
    quick: bool = args.quick
    facts: dict[str, object] = {}
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as name:
        folder = Path(name)
        parts: dict[str, Callable[[], dict[str, object]]] = {
            "changes": lambda: measure_changes(quick, folder),
            "texts": lambda: measure_texts(quick),
            "report": lambda: measure_report(folder, *((20_000, 100) if quick else (1_000_000, DEFAULT_PAGES))),
            "plans": lambda: measure_plans(folder, quick),
            "fingerprints": lambda: measure_fingerprint_cost(quick, folder),
            "large-pages": lambda: measure_large_pages(folder),
            "pictures": lambda: measure_pictures(60_000),
            "damage": lambda: measure_damage_figures(quick),
            "browser": lambda: measure_browser_report(folder),
            "real-damage": lambda: measure_real_damage(quick),
        }
        wanted = args.only or [part for part in parts if not (quick and part in _WHOLE_ONLY)]
        if unknown := set(wanted) - set(parts):
            parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
        for part in wanted:
            began = time.monotonic()
            facts |= parts[part]()
            say(f"{part} took {time.monotonic() - began:.0f} s")
    result(facts)


if __name__ == "__main__":
    main()
