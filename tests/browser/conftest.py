"""All test sites browsed once through the recording proxy, and a Chromium that reaches nothing but this machine."""

import shutil
from collections.abc import Iterator

import pytest
from browsing import Browsed, browse
from devtools import Browser, chromium

from webkeep.browser.process import quiet_switches


@pytest.fixture(scope="session")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    """All sites, browsed through the recording proxy."""
    return browse(tmp_path_factory.mktemp("sites"))


@pytest.fixture(scope="module")
def offline_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's Chromium as people have it, to which no name leads anywhere."""
    program = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
    words = [program, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", *quiet_switches(), "--no-sandbox",
             "--headless=new", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank"]  # fmt: skip
    with chromium(words) as opened:
        yield opened
