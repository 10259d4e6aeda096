"""The package as people get it: its size as wheel and as source, what it takes to install, and how soon it answers.

    python -m bench.package [--quick]

Both packages are built, and each is installed into an empty environment outside the checkout. There every command's
help is asked for, `pip check` is run, and commands are timed. `install_s` is without building the environment itself;
with all packages that it needs, which pip has from its cache or its index. Sizes are of webkeep itself; `with_all_mb`
is the environment with what it depends on.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from bench.measuring import ROOT, median, result, say

_HELPS = """
import io, sys
from contextlib import redirect_stdout
from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.main import main
shown = 0
for name in SUBCOMMANDS:
    told = io.StringIO()
    with redirect_stdout(told):
        try:
            code = main([name, "--help"])
        except SystemExit as end:
            code = end.code
    assert not code and f"webkeep {name}" in told.getvalue(), name
    shown += 1
print(shown)
"""


def main() -> None:
    """Build, install, ask and time; print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the wheel alone, and three runs of each command, not 15")
    is_quick = parser.parse_args().quick
    kinds = (("wheel", "whl"), ("sdist", "tar.gz"))[: 1 if is_quick else 2]
    times = 3 if is_quick else 15
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _run(sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(ROOT))
        figures: dict[str, object] = {}
        for kind, ending in kinds:
            (package,) = (folder / "dist").glob(f"*.{ending}")
            figures[kind] = _try_package(package, folder / kind, times)
            say(f"{kind}: {figures[kind]}")
    result(figures)


def _try_package(package: Path, environment: Path, times: int) -> dict[str, object]:
    """What one package comes to, installed where nothing else is."""
    venv.create(environment, with_pip=True)
    binaries, before = environment / "bin", _size_of(environment)
    began = time.perf_counter()
    _run(str(binaries / "pip"), "install", "-q", str(package))
    installed = time.perf_counter() - began
    (own,) = environment.glob("lib/python*/site-packages/webkeep")
    webkeep = str(binaries / "webkeep")
    return {
        "package_kb": round(package.stat().st_size / 1000),
        "installed_mb": round(_size_of(own) / 1e6, 1),
        "with_all_mb": round((_size_of(environment) - before) / 1e6, 1),
        "install_s": round(installed, 1),
        "pip_check": _run(str(binaries / "pip"), "check").strip(),
        "helps": int(_run(str(binaries / "python"), "-c", _HELPS)),
        "version_s": median(_seconds_of(webkeep, "--version") for _ in range(times)),
        "help_s": median(_seconds_of(webkeep, "--help") for _ in range(times)),
        "capture_help_s": median(_seconds_of(webkeep, "capture", "--help") for _ in range(times)),
        "import_s": median(_seconds_of(str(binaries / "python"), "-c", "import webkeep") for _ in range(times)),
    }


def _run(*command: str) -> str:
    """What a program prints, away from the checkout and from all that would lead Python to it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def _seconds_of(*command: str) -> float:
    began = time.perf_counter()
    _run(*command)
    return time.perf_counter() - began


def _size_of(folder: Path) -> int:
    """Bytes of the files below a folder, but for what Python compiled."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file() and each.suffix != ".pyc")


if __name__ == "__main__":
    main()
