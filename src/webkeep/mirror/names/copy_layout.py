"""Where a copy keeps what is its own, beside the files of the site: the names of manifest, search, gaps, shim and the
like, and the phrases that stand in them.
"""

from __future__ import annotations

from typing import Final

OWN_FOLDER: Final = "_webkeep"
START_PAGE: Final = "index.html"
MARKER_FILE: Final = f"{OWN_FOLDER}/copy.json"
"""By this file a folder is known as a copy that webkeep made."""
MANIFEST_FILE: Final = f"{OWN_FOLDER}/manifest.jsonl"
SEARCH_FILE: Final = f"{OWN_FOLDER}/search.js"
GAPS_FILE: Final = f"{OWN_FOLDER}/gaps.txt"
GONE_FILE: Final = f"{OWN_FOLDER}/gone.txt"
NEEDS_SERVING_FILE: Final = f"{OWN_FOLDER}/needs-serving.txt"
BINARY_LINKS_FILE: Final = f"{OWN_FOLDER}/links-in-binaries.txt"
RESPONSES_FOLDER: Final = f"{OWN_FOLDER}/answers"
MODULES_FOLDER: Final = f"{OWN_FOLDER}/modules"
SHIM_FILE: Final = f"{OWN_FOLDER}/shim.js"
TABLE_FILE: Final = f"{OWN_FOLDER}/table.js"
USES_KEY: Final = "uses"
"""Stands in the sign with what scripts of the copy use."""
VERSIONS_FILE: Final = f"{OWN_FOLDER}/versions.json"
"""By this file a folder is known as one that holds versions of a copy."""
LATEST_NAME: Final = "latest"
WANTED_BY: Final = "wanted by"
NEEDS: Final = "needs"
FROZEN_FOR: Final = "is frozen as a browser left it, as it needs"
LEADS_TO: Final = "leads to"
RENAMED_KEY: Final = "renamed"
"""Stands in the manifest with names that are not the plain ones, as another file has those."""
