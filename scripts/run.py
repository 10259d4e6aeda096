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
        _say(f"\n$ webkeep {' '.join(step)}")
        if code := main(step):
            return code
    if args.serve == "0":
        return 0
    _say("\nthe site itself, until Ctrl-C:")
    return main(["demo", "--port", args.port])


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(run())
