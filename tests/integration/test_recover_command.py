"""`webkeep recover` as it is called: options and their old names, bad calls, dry runs, stopping and going on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from raw_server import RawServer
from serve_calls import archive_of, page, served

from webkeep.cli.main import _CommandParser, main
from webkeep.cli.options.recover_options import (
    add_recover_options,
    legacy_option_advice,
    recovery_request_from_arguments,
)
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.recover import RecoveryPlan, RecoveryPolicy
from webkeep.recover.state.provenance import read_provenances
from webkeep.store.archive import Archive
from webkeep.url.scope import ScopeExtent

SITE = "http://lost.example/"
NOW = Moment.parse("2026-01-01")


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of a small site, as others may hold one."""
    names = [f"p{number}" for number in range(40)]
    links = "".join(f"<a href=/{name}>{name}</a>" for name in names)
    pages = [page(SITE + name, "2010-01-01", f"<title>{name}</title><p>{name}") for name in names]
    home = page(SITE, "2010-01-01", f"<title>home</title>{links}")
    return archive_of(tmp_path_factory.mktemp("held") / "archive", home, *pages)


def plan(*words: str) -> RecoveryPlan:
    parser = _CommandParser(prog="recover")
    add_recover_options(parser)
    return recovery_request_from_arguments(parser.parse_args([SITE, "--from", "live", *words]), NOW).plan


def called(
    capsys: pytest.CaptureFixture[str], *words: object
) -> tuple[int, dict[str, object], list[dict[str, object]]]:
    code = main(["recover", *map(str, words), "--json"])
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, told[-1], told


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["--scope", "domain"], "scope", ScopeExtent.DOMAIN),
        (["--no-lister-queries"], "policy", RecoveryPolicy.NAIVE),
        (["-nl"], "policy", RecoveryPolicy.NAIVE),
        (["--complete"], "policy", RecoveryPolicy.EXHAUSTIVE),
        (["-c"], "policy", RecoveryPolicy.EXHAUSTIVE),
        (["-n", "7"], "most", 7),
        (["--max-resources", "7"], "most", 7),
        (["-m"], "any_form", True),
        (["-ic"], "ignore_case", True),
        (["-t", "stop"], "until_file", "stop"),
        (["-dr", "2004-02-01:2005-08-31"], "since", Moment.parse("2004-02-01")),
        (["-dr", "2004-02-01:2005-08-31"], "until", Moment.parse("2005-08-31T23:59:59.999999Z")),
        (["-dr", "2005"], "until", Moment.parse("2005-12-31T23:59:59.999999Z")),
        (["--to-date", "2005-12"], "until", Moment.parse("2005-12-31T23:59:59.999999Z")),
        (["--at", "2005-03-04T05:06:07Z"], "at", Moment.parse("2005-03-04T05:06:07Z")),
        (["--web-repo", "ia"], "repositories", ("live", "ia")),
        (["--exclude", "*.gif", "--include", "*/logo.gif"], "rules", ("-*.gif", "+*/logo.gif")),
    ],
)
def test_options_and_old_names(words: list[str], name: str, value: object) -> None:
    assert getattr(plan(*words), name) == value


def test_old_names_that_mean_nothing_any_more_are_answered() -> None:
    parser = _CommandParser(prog="recover")
    add_recover_options(parser)
    args = parser.parse_args([SITE, "-ga", "-w", "5", "-nc", "-k"])
    assert len(legacy_option_advice(args)) == 3


def test_choices_come_from_the_command_line_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# mine\nhttp://a.example/=2009\n\n")
    parser = _CommandParser(prog="recover")
    add_recover_options(parser)
    words = ["--choose", "http://b.example/=2008@ia", "--choices", str(tmp_path / "list")]
    request = recovery_request_from_arguments(parser.parse_args([SITE, "--from", "live", *words]), NOW)
    assert request.choose == ("http://b.example/=2008@ia", "http://a.example/=2009")


@pytest.mark.parametrize(
    "words",
    [
        [],
        [SITE],
        [SITE, "--from", "nobody-knows-this"],
        [SITE, "--from", "warc=/does/not/exist.warc"],
        ["not a site", "--from", "live", "--into", "x"],
        [SITE, "--from", "live"],
        [SITE, "--from", "live", "--into", "/does/not/exist/x"],
        [SITE, "--from", "live", "--into", "x", "--at", "some day"],
        [SITE, "--from", "live", "--into", "x", "--from-date", "2010", "--to-date", "2009"],
        [SITE, "--from", "live", "--into", "x", "--policy", "best"],
    ],
)
def test_wrong_calls_are_told_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recover", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_choice_that_cannot_be_read_is_told(held: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["recover", SITE, "--from", str(held), "--into", str(tmp_path / "a"), "--choose", "http://x"]
    assert main(words) == 2
    assert "not a choice" in capsys.readouterr().err


def test_a_dry_run_says_who_holds_what(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, summary, told = called(capsys, SITE, "--from", held, "--dry-run")
    assert (code, summary["held"], summary["years"]) == (0, True, {"2010": 41})
    (holder,) = [each for each in told if each.get("event") == "repository"]
    assert holder["urls"] == 41


def test_a_dry_run_estimates_what_then_happens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two archives with half in common, of which a quarter is not wanted."""
    folders = [
        archive_of(tmp_path / name, *(page(f"{SITE}{each}", "2010-01-01", f"<p>{each}") for each in paths))
        for name, paths in (("one", ["", *range(40)]), ("other", [*range(20, 40), *(f"x{each}" for each in range(20))]))
    ]
    with served(folders[0]) as one, served(folders[1]) as other:
        sources = ("--from", f"cdx={one.root}/cdx name=one", "--from", f"cdx={other.root}/cdx name=other")
        words = (SITE, *sources, "--exclude", "*/x*", "--ledger", tmp_path / "ledger")
        code, estimate, _ = called(capsys, *words, "--dry-run")
        _, done, _ = called(capsys, *words, "--into", tmp_path / "back")
    assert (code, estimate["estimate_doubts"], done["recovered"]) == (0, [], 41)
    requests = sum(done["requests"].values())
    assert requests / 2 <= estimate["estimated_requests"] <= requests * 2


@pytest.fixture
def gone() -> str:
    """The address of a repository where nobody listens any more."""
    with RawServer() as server:
        return f"cdx={server.url}cdx"


def test_who_does_not_answer_is_left_out_and_the_others_go_on(
    gone: str, held: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (SITE, "--from", gone, "--from", f"archive={held}", "--into", tmp_path / "back")
    code, summary, told = called(capsys, *words, "--ledger", tmp_path / "ledger")
    name = gone.removeprefix("cdx=http://").partition("/")[0]
    assert code == 1
    assert (summary["recovered"], summary["unreached"], summary["finished"]) == (41, [name], True)
    assert summary["requests"][name] <= 4
    assert [each["text"] for each in told if each.get("event") == "note" and "left out" in str(each["text"])]


def test_nobody_who_answers_is_told_at_once_and_the_same_command_goes_on(
    gone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (SITE, "--from", gone, "--into", tmp_path / "back", "--ledger", tmp_path / "ledger")
    for is_resumed in (False, True):
        code, summary, _ = called(capsys, *words)
        assert code == 3
        assert (summary["finished"], summary["resumed"], summary["missing"]) == (False, is_resumed, 0)
        assert sum(summary["requests"].values()) <= 2 * (1 + is_resumed)


def test_a_name_that_nobody_holds_is_told_at_once(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, summary, _ = called(capsys, "http://other.example/", "--from", held, "--dry-run")
    assert (code, summary["held"]) == (1, False)


def test_a_stopped_recovery_goes_on(held: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    into = tmp_path / "a"
    words = [SITE, "--from", held, "--into", into, "--connections", "1"]
    code, first, _ = called(capsys, *words, "--max-resources", "5")
    assert (code, first["finished"], first["recovered"]) == (3, False, 5)
    code, second, _ = called(capsys, *words)
    assert (code, second["resumed"], second["recovered"]) == (0, True, 41)
    assert second["capture"] == first["capture"]
    with Archive(into) as archive:
        assert sum(1 for each in archive.observations() if each.record_type == "response") == 41
    code, third, _ = called(capsys, *words)
    assert (third["recovered"], third["missing"], third["resumed"]) == (41, 0, False)
    with Archive(into) as archive:
        assert sum(1 for each in archive.observations()) == 41, "nothing was asked for again"


def test_a_killed_recovery_goes_on(held: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Killed as soon as the first is back; whatever was on disk by then stays."""
    into = tmp_path / "a"
    words = ["recover", SITE, "--from", str(held), "--into", str(into)]
    command = [sys.executable, "-m", "webkeep", *words, "--connections", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"the first is back" in line:
                os.kill(process.pid, signal.SIGKILL)
                break
    code, summary, _ = called(capsys, *words[1:])
    assert (code, summary["recovered"]) == (0, 41)
    assert main(["verify", str(into)]) == 0
    with Archive(into) as archive:
        seen = [each.url for each in archive.observations()]
        assert len(seen) == len(set(seen)) == 41, "what was on disk is not kept twice"
        assert all(len(list(read_provenances(archive, url))) == 1 for url in seen)


def test_ctrl_c_finishes_what_is_under_way(held: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    into = tmp_path / "a"
    words = ["recover", SITE, "--from", str(held), "--into", str(into)]
    command = [sys.executable, "-m", "webkeep", *words, "--connections", "1", "--json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            if b"the first is back" in line:
                process.send_signal(signal.SIGINT)
                break
        out, _ = process.communicate(timeout=60)
    summary = json.loads(out.splitlines()[-1])
    assert process.returncode in (0, 3)
    assert summary["finished"] is (process.returncode == 0)
    code, second, _ = called(capsys, *words[1:])
    assert (code, second["recovered"]) == (0, 41)


def test_a_plan_needs_a_seed() -> None:
    with pytest.raises(UsageError, match="nothing to recover"):
        RecoveryPlan(())
