"""How Sphinx makes a site of these pages; `make docs` calls it."""

from typing import Any

from webkeep.version import __version__

project = "webkeep"
author = "the webkeep authors"
copyright = "the webkeep authors; Apache-2.0"  # noqa: A001 - the name that Sphinx gives it
release = version = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["conf.py"]
html_theme = "furo"
html_title = f"webkeep {__version__}"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Code blocks without a language are what a terminal shows.
highlight_language = "none"
pygments_style = "default"


def setup(app: Any) -> None:
    """`CONTRIBUTING.md` lies where people look for it, outside of this folder, and is a page all the same."""
    app.connect("source-read", _link_to_contributing)


def _link_to_contributing(_app: Any, _name: str, source: list[str]) -> None:
    source[0] = source[0].replace("](../CONTRIBUTING.md", "](contributing.md")
