"""The guide's examples say what the code does."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs/guide/urls.md"


def test_the_examples_of_the_guide_hold() -> None:
    results = doctest.testfile(str(GUIDE), module_relative=False)
    assert results.attempted
    assert not results.failed
