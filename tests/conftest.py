"""Names for test cases that are the same in every worker, whatever bytes they hold; laws without a stopwatch.

What tests share is made once: one worker runs those that share it. Tests find the programs that a fresh machine has
after the scripts have run, and no others.
"""

import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

import pure_coverage
from declared_programs import confine

settings.register_profile("webkeep", deadline=None)
settings.load_profile("webkeep")

_PROGRAMS = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pure-coverage", action="store_true", help="say how much of the rooms without I/O tests call")


def pytest_configure(config: pytest.Config) -> None:
    # Where tests run in one process, without xdist, nobody else knows the marker.
    config.addinivalue_line("markers", "xdist_group(name): tests of one group run in one process")
    # What a shell starts in its background ignores Ctrl-C, and so would all that tests start and end by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # And what was started by nohup ignores that its terminal is gone.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    folder = config.stash[_PROGRAMS] = tempfile.TemporaryDirectory(prefix="programs-")
    confine(Path(folder.name))
    pure_coverage.measure(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_PROGRAMS].cleanup()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.pluginmanager.hasplugin("xdist"):
        return  # one after the other, none has to be kept from another
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            group = _name_sharing(item)
            if group:
                item.add_marker(pytest.mark.xdist_group(group))


def _name_sharing(item: pytest.Function) -> str:
    """Whom a test shares what it is given with: all who are given the same, its module, or nobody ("")."""
    fixtures = [each for same in item._fixtureinfo.name2fixturedefs.values() for each in same if each.baseid]
    wide = [each.argname for each in fixtures if each.scope in {"session", "package"}]
    if wide:
        return min(wide)
    return item.path.stem if any(each.scope == "module" for each in fixtures) else ""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Compressed bytes may hold the time of day, so long ones are named by their size."""
    if isinstance(val, bytes) and len(val) > 60:
        return f"{argname}-of-{len(val)}-bytes"
    return None
