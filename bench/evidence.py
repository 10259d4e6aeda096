"""Evidence: what the log costs a writer, proofs and verification at scale, packages tampered with, what a package of a
page costs; each part is a module of its own, with a function `measure` that gives its figures by name.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from bench.measuring import result, say

PARTS = ("bench.evidence_log", "bench.evidence_tampering", "bench.evidence_page")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same on less work, in under 50 seconds")
    args = parser.parse_args()
    facts: dict[str, object] = {}
    for name in PARTS:
        say(name)
        facts |= import_module(name).measure(args.quick)
    result(facts)


if __name__ == "__main__":
    main()
