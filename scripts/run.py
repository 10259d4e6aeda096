"""What `make run` does: captures a site (without a URL the demo site), reports, and shows it again until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from webkeep.cli.main import main
from webkeep.cli.subcommand import FINDINGS, UNFINISHED
from webkeep.clock import SystemClock
from webkeep.errors import WebkeepError
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan


def run() -> int:
    """Go through the steps; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", type=Path, default=Path("run"))
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--serve", default="1")
    parser.add_argument("--url", default="")
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    archive = args.dir / "archive"
    with ExitStack() as serving:
        try:
            url = args.url or serving.enter_context(_demo_site()).url
        except WebkeepError as error:
            _say(str(error))
            return UNFINISHED
        if code := _keep(url, archive):
            return code
    if args.serve == "0":
        return 0
    _say(f"\n$ webkeep serve {archive} --port {args.port}")
    return main(["serve", str(archive), "--port", str(args.port)])


def _demo_site() -> DemoServer:
    return DemoServer(DemoSite(SitePlan(), SystemClock().now()))


def _keep(url: str, archive: Path) -> int:
    """Capture into an archive, check and list it."""
    steps: Sequence[list[str]] = (
        ["capture", url, "--into", str(archive)],
        ["verify", str(archive)],
        ["list", str(archive)],
        ["list", str(archive), "--hosts"],
        ["list", str(archive), url, "--match", "prefix", "--limit", "12"],
        ["why", str(archive), url],
    )
    for step in steps:
        _say(f"\n$ webkeep {' '.join(step)}")
        code = main(step)
        # A capture that came to its end says what it could not have; the rest is worth a look.
        if code and (step[0], code) != ("capture", FINDINGS):
            return code
    return 0


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(run())
