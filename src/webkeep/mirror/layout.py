"""Where a copy keeps what is its own, beside the files of the site."""

from __future__ import annotations

from typing import Final

OWN: Final = "_webkeep"
START: Final = "index.html"
SIGN: Final = f"{OWN}/copy.json"
"""By this file a folder is known as a copy that webkeep made."""
MANIFEST: Final = f"{OWN}/manifest.jsonl"
SEARCH: Final = f"{OWN}/search.js"
GAPS: Final = f"{OWN}/gaps.txt"
SERVED: Final = f"{OWN}/needs-serving.txt"
BOUND: Final = f"{OWN}/links-in-binaries.txt"
ANSWERS: Final = f"{OWN}/answers"
SHIM: Final = f"{OWN}/shim.js"
VERSIONS: Final = f"{OWN}/versions.json"
"""By this file a folder is known as one that holds versions of a copy."""
LATEST: Final = "latest"
WANTED_BY: Final = "wanted by"
NEEDS: Final = "needs"
LEADS_TO: Final = "leads to"
RENAMED: Final = "renamed"
"""Stands in the manifest with names that are not the plain ones, as another file has those."""
