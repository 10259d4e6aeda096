"""Every file of the package in a line, written into docs/architecture.md: python scripts/file_index.py

The line is the head of the file's docstring; who looks for something searches here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from structure import ROOT, Module, read_modules

DOCUMENT = ROOT / "docs/architecture.md"
HEADING = "## Every file in a line\n"


def main() -> None:
    """Write the index anew, at the end of the document."""
    DOCUMENT.write_text(with_index(DOCUMENT.read_text()))


def with_index(text: str) -> str:
    """The document with the index as its last section."""
    return text.partition(HEADING)[0] + HEADING + "\n" + "\n".join(index_lines()) + "\n"


def index_lines() -> Iterator[str]:
    """The files by their folders, each with what it is about."""
    yield "Generated from their docstrings by `make map`."
    folder = None
    for module in sorted(read_modules().values(), key=_place):
        if module.is_package or module.name == "__main__":
            continue
        if (own := module.file.rpartition("/")[0]) != folder:
            folder = own
            yield from ("", f"`{folder}/`" if folder else "beside the rooms", "")
        yield f"- `{module.path.name}`: {docstring_head(module)}"


def _place(module: Module) -> tuple[str, str]:
    folder, _, name = module.file.rpartition("/")
    return folder, name


def docstring_head(module: Module) -> str:
    """What a file is about, in its own words."""
    return " ".join((ast.get_docstring(module.tree) or "").partition("\n\n")[0].split())


if __name__ == "__main__":
    main()
