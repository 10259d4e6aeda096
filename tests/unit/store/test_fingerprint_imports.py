"""What is loaded to make fingerprints of pages, which every process that indexes does."""

from __future__ import annotations

import subprocess
import sys

_LOADED = "import sys, webkeep.store.reading.page_fingerprints; print(*sys.modules)"


def test_fingerprints_are_made_without_the_readers_of_links() -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "webkeep.extract.known_content" in loaded
    assert "webkeep.extract.link_extraction" not in loaded
    assert "webkeep.extract.html.html_links" not in loaded
