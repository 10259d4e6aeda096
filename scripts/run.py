"""What `make run` does: makes an archive of the demo site, checks it, lists it, and serves the site until Ctrl-C."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from webkeep.cli.command import main

SITE = "http://www.tidewick.example/"


def run() -> int:
    """Go through the steps; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", type=Path, default=Path("run"))
    parser.add_argument("--port", default="8080")
    parser.add_argument("--serve", default="1")
    args = parser.parse_args()
    archive, files = args.dir / "archive", args.dir / "files"
    shutil.rmtree(files, ignore_errors=True)
    for step in (
        ["demo", "--write", str(files)],
        ["import", str(files), "--base-url", SITE, "--into", str(archive)],
        ["verify", str(archive)],
        ["list", str(archive)],
        ["list", str(archive), SITE, "--match", "prefix", "--limit", "12"],
    ):
        print(f"\n$ webkeep {' '.join(step)}", file=sys.stderr, flush=True)
        if code := main(step):
            return code
    if args.serve == "0":
        return 0
    print("\nthe site itself, until Ctrl-C:", file=sys.stderr, flush=True)
    return main(["demo", "--port", args.port])


if __name__ == "__main__":
    sys.exit(run())
