"""How much of the rooms that do no I/O is run by the tests that call them: a figure of `make test`.

What whole commands run in processes of their own does not count, since it is not thereby held to anything.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from slipcover import FileMatcher, ImportManager, Slipcover

from architecture.floors import FLOORS, LINE

_PACKAGE = Path(__file__).parents[1] / "src/webkeep"
_PURE_ROOMS = sorted(room for floor in FLOORS[:LINE] for room in floor if (_PACKAGE / room).is_dir())
_FOLDERS = [str(_PACKAGE / room) for room in _PURE_ROOMS]


class PureCoverage:
    """The plugin: measures in every worker, adds up where the tests were started."""

    def __init__(self) -> None:
        self._slipcover = Slipcover(source=_FOLDERS)
        self._run: dict[str, set[int]] = {}
        self._missing: dict[str, set[int]] = {}
        # Modules are measured that are imported from here on, which tests/conftest.py does none of.
        ImportManager(self._slipcover, FileMatcher(sources=_FOLDERS)).__enter__()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Add up what was measured in this process, or hand it on."""
        files = self._slipcover.get_coverage()["files"].items()
        found = {file: (each["executed_lines"], each["missing_lines"]) for file, each in files}
        if (output := getattr(session.config, "workeroutput", None)) is not None:
            output["pure_coverage"] = found
        else:
            self._add(found)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a worker measured; one that died has nothing to tell."""
        self._add(getattr(node, "workeroutput", {}).get("pure_coverage", {}))

    def _add(self, found: dict[str, tuple[list[int], list[int]]]) -> None:
        for file, (run, missing) in found.items():
            self._run.setdefault(file, set()).update(run)
            self._missing.setdefault(file, set()).update(missing)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how much that is, of all and of each room."""
        run, lines = Counter[str](), Counter[str]()
        for file, ran in self._run.items():
            room = (Path.cwd() / file).relative_to(_PACKAGE).parts[0]
            run[room] += len(ran)
            lines[room] += len(ran | self._missing[file])
        if lines:
            shares = ", ".join(f"{room} {run[room] / lines[room]:.1%}" for room in sorted(lines))
            whole = run.total() / lines.total()
            terminalreporter.write_line(f"lines of the rooms without I/O that tests call: {whole:.1%} ({shares})")


def measure(config: pytest.Config) -> None:
    """Measure this run, in the process that was started or in one of its workers."""
    if config.getoption("pure_coverage"):
        config.pluginmanager.register(PureCoverage())
