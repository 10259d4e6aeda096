"""What a capture is worth, measured: changes told from noise, texts compared, the report of a very large archive, its
pictures, the plans it proposes, and damage against pictures of pages.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bench.measuring import result
from bench.quality_changes import measure_changes
from bench.quality_damage import measure_damage_figures
from bench.quality_damage_real import measure_real_damage
from bench.quality_fingerprints import measure_fingerprint_cost
from bench.quality_large_pages import measure_large_pages
from bench.quality_pictures import measure_pictures
from bench.quality_plan import measure_plans
from bench.quality_report import measure_report
from bench.quality_texts import measure_texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same on less work, in under 50 seconds")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        facts = measure_changes(args.quick, Path(folder)) | measure_texts(args.quick)
        facts |= measure_report(Path(folder), 30_000 if args.quick else 1_000_000)
        facts |= measure_plans(Path(folder))
        if not args.quick:
            facts |= measure_fingerprint_cost(args.quick, Path(folder)) | measure_large_pages(Path(folder))
    facts |= measure_pictures(60_000)
    facts |= measure_damage_figures(args.quick)
    result(facts if args.quick else facts | measure_real_damage(args.quick))


if __name__ == "__main__":
    main()
