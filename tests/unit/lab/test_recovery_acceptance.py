"""The table of acceptance tests is true: what it names is there, and what is not tested says why."""

import json
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
TABLE = json.loads((TESTS / "data" / "recovery_acceptance.json").read_text(encoding="utf-8"))
NAMED = [(entry["number"], name) for entry in TABLE for name in entry.get("tests", ())]


def test_the_table_has_all_twenty() -> None:
    assert [entry["number"] for entry in TABLE] == list(range(1, 21))
    for entry in TABLE:
        assert len({"tests", "later"} & set(entry)) == 1


@pytest.mark.parametrize(("number", "name"), NAMED, ids=[f"{number} {name}" for number, name in NAMED])
def test_every_test_it_names_is_there(number: int, name: str) -> None:
    file, _, function = name.partition("::")
    text = (TESTS / file).read_text(encoding="utf-8")
    assert f"def {function}(" in text if function else "def test_" in text
