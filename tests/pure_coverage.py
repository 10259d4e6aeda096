"""How much of the rooms that do no I/O is run by their own unit tests: a figure, by `make coverage`.

Only these count, since what a whole capture happens to run is not thereby held to anything; and of the laws, which try
thousands of cases, tracing would double the time.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

import webkeep
from architecture.floors import FLOORS, LINE

_PACKAGE = Path(webkeep.__file__).parent
_PURE_ROOMS = sorted(room for floor in FLOORS[:LINE] for room in floor if (_PACKAGE / room).is_dir())
_OWN_TESTS = [Path(__file__).parent / "unit" / room for room in _PURE_ROOMS]


class PureCoverage:
    """The plugin: measures in every worker, adds up where the tests were started."""

    def __init__(self, folder: Path, is_worker: bool) -> None:
        self._folder, self._is_worker = folder, is_worker
        self._coverage = coverage.Coverage(
            data_file=str(folder / "measured"), data_suffix=True, config_file=False, source=_pure_folders()
        )
        # Where workers run the tests nothing is collected here; what tests did not import is no secret either.
        self._coverage.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where to leave what it measured."""
        node.workerinput["pure_coverage"] = str(self._folder)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        """Modules are imported while tests are collected."""
        with self._coverage.collect():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if not any(item.path.is_relative_to(folder) for folder in _OWN_TESTS):
            return (yield)
        with self._coverage.collect():
            return (yield)

    def pytest_sessionfinish(self) -> None:
        self._coverage.save()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._is_worker:
            return
        self._coverage.combine([str(self._folder)])
        lines, run = Counter[str](), Counter[str]()
        for folder in _pure_folders():
            room = Path(folder).name
            for path in Path(folder).rglob("*.py"):
                _, statements, _, missing, _ = self._coverage.analysis2(str(path))
                lines[room] += len(statements)
                run[room] += len(statements) - len(missing)
        if run:
            shares = ", ".join(f"{room} {run[room] / lines[room]:.1%}" for room in sorted(lines))
            whole = run.total() / lines.total()
            terminalreporter.write_line(
                f"lines of the rooms without I/O that their unit tests run: {whole:.1%} ({shares})"
            )


def _pure_folders() -> list[str]:
    return [str(_PACKAGE / room) for room in _PURE_ROOMS]


def measure(config: pytest.Config) -> None:
    """Measure this run, in the process that was started or in one of its workers."""
    given = getattr(config, "workerinput", {}).get("pure_coverage")
    if given is not None:
        config.pluginmanager.register(PureCoverage(Path(given), is_worker=True))
    elif config.getoption("pure_coverage"):
        folder = Path(tempfile.mkdtemp(prefix="coverage-"))
        config.pluginmanager.register(PureCoverage(folder, is_worker=False))
