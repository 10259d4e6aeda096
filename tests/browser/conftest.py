"""One recording of all sites, for all tests with a browser; each module of them is of the group `chromium`.

Two browsers at once are slower than one after the other, and less sure.
"""

import pytest
from browsing import Browsed, browse


@pytest.fixture(scope="session")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    """All sites, browsed through the recording proxy."""
    return browse(tmp_path_factory.mktemp("sites"))
