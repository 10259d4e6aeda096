"""Functions are a verb and its object, or the name of what comes back; none says only what was done."""

import runpy
from pathlib import Path

STRUCTURE = runpy.run_path(str(Path(__file__).parents[2] / "scripts/structure.py"))


def test_no_function_is_called_by_what_was_done() -> None:
    assert STRUCTURE["listings"](STRUCTURE["read_modules"]())["participle_functions"] == []
