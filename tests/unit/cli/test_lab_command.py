"""`webkeep lab coherence` as it is called."""

import json
from pathlib import Path

import pytest

from webkeep.cli.main import main


def facts(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_table_as_json_and_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "lab.html"
    assert main(["lab", "coherence", "--table", "5.1", "--json", "--out", str(page)]) == 0
    *cells, summary = facts(capsys.readouterr().out)
    assert len(cells) == 60
    told = {name: cells[0][name] for name in ("event", "table", "row", "column", "recomputed", "agreement")}
    assert told == {
        "event": "cell", "table": "5.1", "row": "1.0, inside out", "column": "0.1", "recomputed": 8643,
        "agreement": "agrees",
    }  # fmt: skip
    assert (summary["tables"], summary["held"], summary["agree"], summary["differ"]) == (["5.1"], 60, 60, 0)
    assert page.read_text().startswith("<!doctype html>")


def test_a_list_is_replayed_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("http://e/,2024-03-01\nhttp://e/a,2024-03-02\nhttp://e/b,2024-03-04\nhttp://e/c,\n")
    assert main(["lab", "coherence", "--history", str(listed), "--slow-down", "0.5"]) == 0
    printed = capsys.readouterr()
    assert "Table 4.3. Blur, rates known and predicted (actual blur of a page)" in printed.out
    assert "Table 5.7." in printed.out
    assert "published" not in printed.out
    assert "took" in printed.err


def test_json_may_come_before_the_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("http://e/,2024-03-01\nhttp://e/a,2024-03-02\n")
    assert main(["lab", "--json", "coherence", "--history", str(listed), "--table", "5.6"]) == 0
    assert facts(capsys.readouterr().out)[-1]["tables"] == ["5.6"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--table", "9.9"], "there is no table '9.9'"),
        (["--history", "nowhere.csv"], "nowhere.csv is not there"),
        (["--history", ".", "--table", "5.9"], "table 5.9 has no history"),
        (["--out", "no/such/folder/lab.html"], "there is no directory no/such/folder"),
        (["--out", "."], "is a directory"),
    ],
)
def test_calls_that_are_wrong_say_so(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lab", "coherence", *words]) == 2
    assert told in capsys.readouterr().err


def test_an_experiment_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab"]) == 2
    assert "EXPERIMENT" in capsys.readouterr().err
