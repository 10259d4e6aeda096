"""The report and the command of the recovery laboratory."""

import json
import re
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import urlopen

import pytest

from webkeep.cli.main import main
from webkeep.errors import UsageError
from webkeep.lab.recovery import RecoveryExtent, run_experiment
from webkeep.lab.recovery.report.recovery_report import render_report
from webkeep.lab.results import ResultAgreement, ResultColumn, ResultTable, count_agreements, count_near_published
from webkeep.lab.results.result_table import build_row
from webkeep.presentation.drawings import PlotLine, series_style

COLUMNS = (ResultColumn("share", "share <of all>"), ResultColumn("days", "days", 5.0, is_share=False))
BLOCK = ResultTable(
    "E1",
    "Sizes & <b>",
    "cache",
    COLUMNS,
    (
        build_row("one", COLUMNS, {"share": 0.5, "days": 10}, {"share": 0.52}, {"share": 0.6, "days": 14}),
        build_row("two", COLUMNS, {"share": 0.5, "days": 10}, None, {"share": 0.6, "days": 16}, {"days": "<why>"}),
        build_row("three", COLUMNS, {"share": None, "days": 1}),
    ),
    ("<why>",),
    (PlotLine("one", ((0.0, 0.1), (1.0, 0.5)), series_style(0)),),
    "days",
    "share",
)


class Wellformed(HTMLParser):
    """Every element is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_from_outside() -> None:
    parser, text = Wellformed(), render_report([BLOCK]).decode()
    parser.feed(text)
    assert parser.open == []
    assert {"svg", "table", "nav", "figure"} <= set(parser.seen)
    assert not re.search(r"https?:|src=|url\(|@import|<link|<script", text)
    assert "prefers-color-scheme: dark" in text
    assert "Sizes &amp; &lt;b&gt;" in text
    assert "&lt;why&gt;" in text
    assert "<why>" not in text


def test_figures_stand_beside_what_they_are_held_against() -> None:
    assert count_agreements([BLOCK]) == {
        ResultAgreement.AGREES: 2, ResultAgreement.EXPLAINED: 1, ResultAgreement.DIFFERS: 1, ResultAgreement.UNTOLD: 2,
    }  # fmt: skip
    assert count_near_published([BLOCK]) == (1, 4)
    text = render_report([BLOCK]).decode()
    assert '<td>50.0%<small><span class="agrees" title="agrees">C 52.0%</span><br>P 60.0%</small></td>' in text
    assert '<span class="differs"' in text
    assert "<td>–</td>" in text


def test_bands_may_be_relative() -> None:
    column = ResultColumn("requests", "requests", 0.2, is_share=False, is_relative=True)
    near, far = (build_row("", [column], {"requests": each}, None, {"requests": 1000}) for each in (1190, 1210))
    assert near.cells[0].agreement is ResultAgreement.AGREES
    assert far.cells[0].agreement is ResultAgreement.DIFFERS


def test_what_is_no_experiment_is_refused() -> None:
    with pytest.raises(UsageError, match="E1, E2"):
        run_experiment("E9", RecoveryExtent())
    with pytest.raises(UsageError, match="2 or more"):
        RecoveryExtent(sites=0)


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "lab.html"
    assert main(["lab", "recovery", "--only", "E6", "--only", "repeat", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "E6. Digital libraries" in printed.out
    assert "published" in printed.out
    assert "agree with what they are held against" in printed.err
    assert "Daily runs, merged" in out.read_text(encoding="utf-8")


def test_the_command_tells_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "recovery", "--json", "--only", "E6"]) == 0
    *events, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert {event["event"] for event in events} == {"figure"}
    assert {event["column"] for event in events} == {"recovered", "papers_recovered", "as_papers", "as_pages"}
    assert (summary["figures"], summary["held"], summary["differ"]) == (4, 4, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--only", "E9"],
        ["--sites", "0", "--only", "E4"],
        ["--serve", "-1"],
        ["--out", "/nowhere/lab.html"],
        ["--out", "/"],
    ],
    ids=["experiment", "sites", "site", "directory", "no file"],
)
def test_wrong_calls_are_told_so(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "recovery", *arguments]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_archives_of_a_lost_site_are_served_until_told() -> None:
    command = [sys.executable, "-m", "webkeep", "lab", "recovery", "--serve", "1", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        address = told["repositories"][0].removeprefix("cdx=").partition(" ")[0]
        with urlopen(f"{address}?url={told['seed']}") as answer:
            header, row = json.load(answer)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (header[2], row[2]) == ("original", told["seed"])
    assert json.loads(out)["requests"] == 1
    assert f"webkeep recover {told['seed']} --from " in err
    assert process.returncode == 0
