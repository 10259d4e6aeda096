"""What fingerprints cost a capture: the same site captured by webkeep as it is, and by a copy of its source that makes
none, in turn; the difference of their processor time.

One pair says little: two captures of one kind differ by 2 % on a quiet machine, and by 5 % beside a load.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.capture_run import capture_command
from bench.measuring import ROOT, say
from bench.peers_nginx import Nginx
from bench.reference_site import reference_site

_WITHOUT = {
    "store/reading/page_fingerprints.py": (
        "    if not content or kind not in _READ_KINDS or",
        "    return NO_FINGERPRINT\n    if not content or kind not in _READ_KINDS or",
    ),
    "document/page_content.py": (
        "        texts: list[str] = []\n",
        "        self.content = PageContent([], None, [])\n        return find_url_texts(document)\n",
    ),
}
"""By file, what is put in the place of what, so that nothing is read for fingerprints alone and none is made."""
_EXTREMES = 5
"""The least and the greatest fifth of pairs are left out: others use the machine, too."""
_TRIMMED_ERROR = 1.1
"""The standard error of such a mean to that of a mean of all, where errors are normal (1.08) or nearly so."""


def measure_fingerprint_cost(quick: bool, folder: Path) -> dict[str, object]:
    """The share of a capture's processor time, the mean of pairs but for the extreme ones, and its standard error."""
    pages, pairs = (1000, 3) if quick else (2000, 30)
    site = reference_site(pages)
    without = _copy_without_fingerprints(folder / "without")
    shares = []
    with Nginx.serving(site.folder, folder / "nginx") as server:
        for number in range(pairs):
            order = [("with", ROOT / "src"), ("without", without)]
            spent = {name: _capture_seconds(server.url, source) for name, source in order[:: 1 if number % 2 else -1]}
            shares.append(spent["with"] / spent["without"] - 1)
            say(f"fingerprints: {spent['with']:.2f} s with, {spent['without']:.2f} s without")
    kept = sorted(shares)[len(shares) // _EXTREMES : len(shares) - len(shares) // _EXTREMES]
    error = _TRIMMED_ERROR * statistics.stdev(shares) / len(shares) ** 0.5
    return {
        "fingerprint_cost": round(statistics.mean(kept), 4),
        "fingerprint_cost_error": round(error, 4),
        "fingerprint_pairs": pairs,
    }


def _copy_without_fingerprints(folder: Path) -> Path:
    shutil.copytree(ROOT / "src", folder)  # what is compiled goes with it, so that both start alike
    for name, (old, new) in _WITHOUT.items():
        path = folder / "webkeep" / name
        source = path.read_text()
        if source.count(old) != 1:
            raise SystemExit(
                f"{name} no longer has the line {old!r}: say in bench/quality_fingerprints.py what to change"
            )
        path.write_text(source.replace(old, new))
    return folder


def _capture_seconds(url: str, source: Path) -> float:
    """The processor time of one capture, with all of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as archive:
        command = capture_command(url, Path(archive) / "archive", "--browser", "off")
        done = subprocess.run(
            command, cwd=source, env={**os.environ, "PYTHONPATH": str(source)}, stdout=subprocess.PIPE, check=False
        )
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as place:
        print(measure_fingerprint_cost("--quick" in sys.argv, Path(place)))
