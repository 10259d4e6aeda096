"""What the tests with a browser have in common: one at a time, and one recording of all sites."""

from pathlib import Path

import pytest
from browsing import Browsed, browse


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have all of them in one worker: two browsers at once are slower than one after the other, and less sure."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("chromium"), append=False)


@pytest.fixture(scope="session")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    """All sites, browsed through the recording proxy."""
    return browse(tmp_path_factory.mktemp("sites"))
