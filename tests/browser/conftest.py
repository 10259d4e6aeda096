"""One recording of all sites, for all tests that want it."""

import pytest
from browsing import Browsed, browse


@pytest.fixture(scope="session")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    """All sites, browsed through the recording proxy."""
    return browse(tmp_path_factory.mktemp("sites"))
