"""Every function of the package does what its command does: on the same work, its value is the command's summary."""

import json
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener, urlopen

import pytest
from python_site import ChangingSite, changing_site
from small_site import SmallSite, linking
from warc_material import webkeep as call_command

import webkeep

PASSING = ("capture", "seconds", "hosts", "updates", "archive", "out", "folder", "file", "browser", "made")
"""What is another each time, or each place."""


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[ChangingSite, SmallSite]]:
    with changing_site() as both:
        yield both


class Kept:
    """An archive that two captures made by functions, and the same made by commands."""

    def __init__(self, folder: Path, pages: ChangingSite, server: SmallSite) -> None:
        self.url = server.url()
        self.by_functions, self.by_commands = folder / "functions", folder / "commands"
        self.seen: list[webkeep.CaptureProgress] = []
        self.captured = webkeep.capture(self.url, into=self.by_functions, browser="off", on_progress=self.seen.append)
        self.told = call_command("capture", self.url, "--into", self.by_commands, "--browser", "off").summary
        pages.change()
        self.changed: list[webkeep.PageChange] = []
        self.updated = webkeep.update(self.by_functions, browser="off", on_change=self.changed.append)
        self.told_of_update = call_command("update", self.by_commands, "--browser", "off").summary


@pytest.fixture(scope="module")
def kept(site: tuple[ChangingSite, SmallSite], tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("kept"), *site)


def plain(values: dict[str, Any]) -> Any:
    """As a program reads them, but for what is another each time."""
    read = json.loads(json.dumps(values, default=str))
    return {name: value for name, value in read.items() if name not in PASSING}


def same(value: Any, told: dict[str, Any]) -> bool:
    """Whether a value says what a command said, in the same words, and can be handed to another process."""
    is_told = plain(value.to_dict()) == plain(told) and sorted(value.to_dict()) == sorted(told)
    return bool(is_told and can_travel(value))


def can_travel(value: Any) -> bool:
    """Whether a value is the same after it was pickled."""
    return bool(pickle.loads(pickle.dumps(value)) == value)


def test_capture_and_update(kept: Kept) -> None:
    assert same(kept.captured, kept.told)
    assert same(kept.updated, kept.told_of_update)
    assert (kept.captured.stored, kept.captured.failed, kept.captured.finished) == (5, 0, True)
    assert (kept.seen[-1].bytes, kept.seen[-1].counts["stored"]) == (kept.captured.bytes, kept.captured.stored)
    assert kept.updated.updates == kept.captured.capture
    assert [(each.kind, each.url) for each in kept.updated.pages] == [("changed", f"{kept.url}news")]
    assert len(kept.changed) == sum(kept.updated.changes.values()) == 4
    with pytest.raises(FrozenInstanceError):
        kept.captured.bytes = 0  # type: ignore[misc]


def test_a_capture_that_is_whole_begins_anew_and_seeds_may_come_from_anywhere(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(f"{kept.url}about\n")
    (tmp_path / "plan.toml").write_text('scope = "page"\nmax-urls = 1\n')
    seeds = (f"{kept.url}{name}" for name in ("news", "boat.png"))
    done = webkeep.capture(
        *seeds,
        into=str(tmp_path / "a"),
        seeds_from=[tmp_path / "seeds.txt"],
        plan=tmp_path / "plan.toml",
        max_urls=9,
        browser="off",
    )
    assert (done.stored, done.resumed) == (4, False)
    again = webkeep.capture(into=tmp_path / "b", seeds_from=str(tmp_path / "seeds.txt"), scope="page", browser="off")
    assert (again.stored, again.failed) == (2, 0)


def test_diff(kept: Kept, tmp_path: Path) -> None:
    seen: list[webkeep.PageChange] = []
    progress: list[webkeep.WorkProgress] = []
    page = tmp_path / "diff.html"
    compared = webkeep.diff(kept.by_functions, html=page, on_change=seen.append, on_progress=progress.append)
    assert same(webkeep.diff(kept.by_commands), call_command("diff", kept.by_commands).summary)
    assert not compared.is_same
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert (len(seen), len(compared.pages), progress[-1].counts) == (4, 1, {"urls": 4})
    with webkeep.open(kept.by_functions) as archive:
        assert webkeep.diff_text(archive, compared.pages[0]) == ["-low tide", "+high tide"]
    assert webkeep.diff(kept.by_functions, f"{kept.url}about").is_same
    before = webkeep.open(kept.by_functions).capture(kept.captured.capture)
    assert webkeep.diff(kept.by_functions, before=kept.captured.capture[:8], after="today").changes["changed"] == 1
    assert before.finished is not None
    assert webkeep.diff(kept.by_functions, before=before.finished, after=before.finished.datetime).is_same
    with pytest.raises(webkeep.UsageError, match="neither a moment nor the start of one capture's id"):
        webkeep.diff(kept.by_functions, before="long ago")


def test_verify(kept: Kept) -> None:
    progress: list[webkeep.WorkProgress] = []
    verified = webkeep.verify(kept.by_commands, on_progress=progress.append)
    assert verified.to_dict() == call_command("verify", kept.by_commands).summary
    assert can_travel(verified)
    assert progress[-1].counts["records"] == verified.records
    with pytest.raises(webkeep.WebkeepError, match="is not a webkeep archive"):
        webkeep.verify(kept.by_functions / "nowhere")


def test_verify_lists_what_is_wrong(kept: Kept, tmp_path: Path) -> None:
    webkeep.import_files(*sorted((kept.by_functions / "warcs").iterdir()), into=tmp_path / "a")
    (warc,) = (tmp_path / "a" / "warcs").iterdir()
    data = bytearray(warc.read_bytes())
    data[len(data) // 2] ^= 0xFF
    warc.write_bytes(data)
    found: list[webkeep.Finding] = []
    verified = webkeep.verify(tmp_path / "a", on_finding=found.append)
    assert verified.findings == len(found) > 0
    assert list(verified.listed) == found
    assert sum(verified.codes.values()) == verified.findings


def test_certify(kept: Kept, tmp_path: Path) -> None:
    progress: list[webkeep.WorkProgress] = []
    certified = webkeep.certify(kept.by_commands, on_progress=progress.append)
    assert json.loads(json.dumps(certified.to_dict())) == call_command("certify", kept.by_commands).summary
    assert {each.doing for each in progress} == {"certifying", "verifying"}
    assert can_travel(certified)
    assert len(certified.certificate.resources) == certified.certificate.summary.all.resources == 4
    first = webkeep.certify(kept.by_functions, capture=kept.captured.capture[:8], output=tmp_path / "c", verify=False)
    assert (first.certificate.summary.capture, first.verified) == (kept.captured.capture, None)
    with pytest.raises(webkeep.UsageError, match="is there already; choose another name or remove it"):
        webkeep.certify(kept.by_functions, output=str(tmp_path / "c"))


@pytest.mark.parametrize(("kind", "ending"), [("wacz", ".wacz"), ("warc", ".warc.gz"), ("cdxj", ".cdxj")])
def test_export_and_import(kept: Kept, tmp_path: Path, kind: str, ending: str) -> None:
    progress: list[webkeep.WorkProgress] = []
    mine, theirs = tmp_path / f"mine{ending}", tmp_path / f"theirs{ending}"
    targets: Any = {kind: mine}
    exported = webkeep.export(kept.by_commands, **targets, on_progress=progress.append)
    told = call_command("export", kept.by_commands, f"--{kind}", theirs).summary
    assert same(exported, {**told, "bytes": exported.bytes})  # a WACZ has the time in it
    assert exported.file == str(mine)
    assert progress[-1].counts["bytes"] > 0
    if kind != "cdxj":
        imported = webkeep.import_files(mine, into=tmp_path / "a", on_progress=progress.append)
        assert same(imported, call_command("import", mine, "--into", tmp_path / "b").summary)
        assert (progress[-1].doing, progress[-1].counts["files"]) == ("importing", 1)


def test_an_export_is_one_file_and_never_standard_output(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(webkeep.UsageError, match="give one of wacz, warc, cdxj and states"):
        webkeep.export(kept.by_functions)
    with pytest.raises(webkeep.UsageError, match="give one of wacz, warc, cdxj and states"):
        webkeep.export(kept.by_functions, wacz="a.wacz", cdxj="a.cdxj")
    monkeypatch.chdir(tmp_path)
    webkeep.export(kept.by_functions, cdxj="-", url="*.png")
    assert (tmp_path / "-").read_text().count("\n") == 2


def test_files_of_a_website_are_imported(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<p>one")
    done = webkeep.import_files(tmp_path / "site", into=tmp_path / "a", base_url="http://example.org/")
    told = call_command("import", tmp_path / "site", "--into", tmp_path / "b", "--base-url", "http://example.org/")
    assert same(done, told.summary)
    assert (done.stored, done.new, done.held) == (1, 1, None)
    with pytest.raises(webkeep.UsageError, match="nothing to import"):
        webkeep.import_files(into=tmp_path / "c")


def test_remove(kept: Kept, tmp_path: Path) -> None:
    for name in ("a", "b"):
        webkeep.import_files(*(kept.by_functions / "warcs").iterdir(), into=tmp_path / name)
    seen: list[webkeep.Observation] = []
    would = webkeep.remove(tmp_path / "a", url=f"{kept.url}news", on_observation=seen.append)
    assert same(would, call_command("remove", tmp_path / "a", "--url", f"{kept.url}news").summary)
    assert would.would_remove == len(seen) == 2
    progress: list[webkeep.WorkProgress] = []
    removed = webkeep.remove(
        tmp_path / "a", url=f"{kept.url}news", reason="asked for", yes=True, on_progress=progress.append
    )
    told = call_command("remove", tmp_path / "b", "--url", f"{kept.url}news", "--yes")
    assert same(removed, told.summary)
    assert progress[-1].counts["bytes"] > 0
    with webkeep.open(tmp_path / "a") as archive:
        assert archive.lookup(f"{kept.url}news") is None
        assert {each.reason for each in archive.tombstones()} == {"asked for"}
    with pytest.raises(webkeep.UsageError, match="say what to remove"):
        webkeep.remove(tmp_path / "a", yes=True)


def test_report(kept: Kept) -> None:
    states = webkeep.report_states(kept.by_commands)
    told = call_command("report", kept.by_commands, "--states").summary
    assert json.loads(json.dumps(states.to_dict())) == told
    assert states.file.exists()
    assert can_travel(states)
    assert states.advice
    reported = webkeep.report(kept.by_commands)
    assert same(reported, call_command("report", kept.by_commands).summary)
    assert reported.file.exists()
    assert reported.verdict.sentence


def test_mirror_one_page_and_copy(kept: Kept, tmp_path: Path) -> None:
    progress: list[webkeep.WorkProgress] = []
    mirrored = webkeep.mirror(kept.by_commands, tmp_path / "a", exclude="*about", on_progress=progress.append)
    assert same(mirrored, call_command("mirror", kept.by_commands, tmp_path / "b", "--exclude", "*about").summary)
    assert mirrored.files == progress[-1].counts["files"] > 2
    single = webkeep.mirror_page(kept.by_commands, f"{kept.url}about", tmp_path / "about.html")
    told = call_command("mirror", kept.by_commands, tmp_path / "b.html", "--single-file", f"{kept.url}about").summary
    assert same(single, told)
    copied = webkeep.copy(kept.url, out=tmp_path / "c", browser="off", on_copy_progress=progress.append)
    assert same(copied, call_command("copy", kept.url, tmp_path / "d", "--browser", "off").summary)
    assert isinstance(copied.written, webkeep.MirrorSummary)
    assert copied.captured.archive == tmp_path / "c.archive"
    with pytest.raises(webkeep.UsageError, match="--profile cannot be 'floppy'; it may be"):
        webkeep.mirror(kept.by_commands, tmp_path / "e", profile="floppy")


def test_recover_and_survey(kept: Kept, tmp_path: Path) -> None:
    source = f"archive={kept.by_functions}"
    surveyed = webkeep.survey(kept.url, repositories=source)
    told = call_command("recover", kept.url, "--from", source, "--dry-run").summary
    assert json.loads(json.dumps(surveyed.to_dict())) == told
    progress: list[webkeep.RecoveryProgress] = []
    done = webkeep.recover(
        kept.url, repositories=[source], into=tmp_path / "a", copy=tmp_path / "c", on_progress=progress.append
    )
    assert can_travel(surveyed)
    assert can_travel(done)
    told = call_command("recover", kept.url, "--from", source, "--into", tmp_path / "b", "--copy", tmp_path / "d")
    mine, theirs = plain(done.to_dict()), plain(told.summary)
    places = ("summary", "summary_json", "report", "copy")
    assert {name: mine[name] for name in mine if name not in places} == {
        name: theirs[name] for name in theirs if name not in places
    }
    assert (done.recovered, done.missing, done.finished, done.is_whole) == (5, 0, True, True)
    assert progress[-1].recovered == 5
    with pytest.raises(webkeep.UsageError, match="nobody to ask"):
        webkeep.recover(kept.url, repositories=[], into=tmp_path / "e")


def test_serve(kept: Kept) -> None:
    with webkeep.serve(kept.by_functions, port=0, workers=1, words=False) as server:
        assert (server.workers, server.archives) == (1, (str(kept.by_functions),))
        with urlopen(f"{server.url}timemap/link/{kept.url}news") as answer:
            assert answer.read().count(b'rel="') >= 2
    assert server.close().to_dict() == {"url": server.url, "restarts": 0}
    with pytest.raises(OSError, match="refused"):
        urlopen(server.url)
    with pytest.raises(webkeep.UsageError, match="--port cannot be 99999"):
        webkeep.serve(kept.by_functions, port=99999)
    with pytest.raises(webkeep.UsageError, match="--port cannot be -1; choose one up to 65535, or 0 for any"):
        webkeep.record(into=kept.by_functions, port=-1)


def test_one_text_is_one_rule(kept: Kept, tmp_path: Path) -> None:
    with (
        webkeep.serve(kept.by_functions, port=0, workers=1, words=False, access=f"block:{kept.url}news*") as server,
        pytest.raises(HTTPError, match="451"),
    ):
        urlopen(f"{server.url}web/{kept.url}news")
    place = {"into": tmp_path / "a", "authority": tmp_path / "ca"}
    with (
        SmallSite({"/?berth=seven": linking()}) as harbour,
        webkeep.record(**place, port=0, private=True, redact="field:berth") as recording,
    ):
        build_opener(ProxyHandler({"http": recording.proxy})).open(harbour.url("/?berth=seven")).close()
    with webkeep.open(tmp_path / "a") as archive:
        assert {each.url for each in archive if each.url.startswith("http")} == {harbour.url("/?berth=redacted")}


def test_what_is_in_an_archive(kept: Kept) -> None:
    with webkeep.open(kept.by_functions) as archive:
        seen = archive.lookup(f"{kept.url}news")
        assert f"{kept.url}news" in archive
        assert f"{kept.url}nothing" not in archive
        assert seen in archive
        with pytest.raises(webkeep.UsageError, match="5 is neither a URL nor an observation"):
            _ = 5 in archive
        wrong: Any = None
        with pytest.raises(webkeep.UsageError, match="None is no observation; read what lookup or history give"):
            archive.read(wrong)
        with pytest.raises(webkeep.UsageError, match="None is no URL; give a text"):
            archive.lookup(wrong)


def test_record(site: tuple[ChangingSite, SmallSite], tmp_path: Path) -> None:
    exchanges: list[webkeep.RecordedExchange] = []
    pages: list[webkeep.RecordedPage] = []
    with webkeep.record(
        into=tmp_path / "a",
        port=0,
        private=True,
        authority=tmp_path / "ca",
        on_exchange=exchanges.append,
        on_page=pages.append,
    ) as recording:
        with pytest.raises(webkeep.UsageError, match="still under way"):
            _ = recording.summary
        with build_opener(ProxyHandler({"http": recording.proxy})).open(site[1].url("/about")) as answer:
            assert b"a harbour" in answer.read()
    done = recording.close()
    assert done is recording.summary
    assert recording.is_over
    assert (done.stored, done.failed, done.capture) == (1, 0, recording.capture)
    assert [each.url for each in exchanges] == [site[1].url("/about")]
    with webkeep.open(tmp_path / "a") as archive:
        assert archive.lookup(site[1].url("/about")) is not None
    told = {"capture", "stored", "duplicates", "failed", "refused", "cut", "left_out", "taken_down", "bytes", "seconds"}
    told |= {"pages", "sockets", "redactions", "unread", "gaps", "gap_reason", "archive"}
    assert set(done.to_dict()) == told


def test_a_recording_that_cannot_begin_says_why(tmp_path: Path) -> None:
    with webkeep.record(into=tmp_path / "a", port=0, authority=tmp_path / "ca") as recording:
        with pytest.raises(webkeep.UsageError, match=f"port {recording.port} of 127.0.0.1 is in use"):
            webkeep.record(into=tmp_path / "b", port=recording.port, authority=tmp_path / "ca")
        with pytest.raises(webkeep.StorageError):
            webkeep.record(into=tmp_path / "a", port=0, authority=tmp_path / "ca")


def test_an_exception_in_a_callback_ends_the_work_and_is_raised(kept: Kept, tmp_path: Path) -> None:
    def refuse(_: object) -> None:
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        webkeep.verify(kept.by_functions, on_progress=refuse)
    with pytest.raises(LookupError, match="no more"):
        webkeep.mirror(kept.by_functions, tmp_path / "site", on_progress=refuse)
    with pytest.raises(LookupError, match="no more"):
        webkeep.capture(kept.url, into=tmp_path / "a", browser="off", on_progress=refuse)
    done = webkeep.capture(kept.url, into=tmp_path / "a", browser="off")
    assert (done.resumed, done.finished) == (True, True)
    assert not webkeep.verify(tmp_path / "a").findings


def test_calls_from_other_threads_at_the_same_time(kept: Kept, tmp_path: Path) -> None:
    done: dict[str, webkeep.CaptureSummary] = {}

    def capture(name: str) -> None:
        done[name] = webkeep.capture(kept.url, into=tmp_path / name, browser="off")

    threads = [threading.Thread(target=capture, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [done[name].stored for name in "abc"] == [5, 5, 5]


INTERRUPTED = """
import sys, webkeep
try:
    webkeep.capture(sys.argv[1], into=sys.argv[2], browser="off", on_note=lambda text: print(text, flush=True))
except KeyboardInterrupt as error:
    print("interrupted", type(error).__name__, error)
"""


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "KeyboardInterrupt"), (signal.SIGTERM, "SignalExit")])
def test_ctrl_c_is_raised_when_the_capture_has_come_to_a_clean_end(
    tmp_path: Path, number: signal.Signals, name: str
) -> None:
    with SmallSite({"/": linking(*(f"/{number}" for number in range(50)))}) as server:
        server.hold_after(10)
        words = [sys.executable, "-c", INTERRUPTED, server.url(), str(tmp_path / "a")]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
            server.wait_for_requests(11)
            program.send_signal(number)
            assert program.stdout is not None
            assert program.stdout.readline().startswith("stopping: what is under way has")
            server.let_go()
            assert program.stdout.read().startswith(f"interrupted {name}")
        done = webkeep.capture(server.url(), into=tmp_path / "a", browser="off")
    assert (done.resumed, done.finished) == (True, True)
    assert len(set(server.paths)) == 51


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_the_program_handles_itself_stays_its_own(
    kept: Kept, tmp_path: Path, number: signal.Signals
) -> None:
    got: list[int] = []
    sent: list[object] = []

    def send_once(progress: object) -> None:
        if not sent:
            sent.append(progress)
            signal.raise_signal(number)

    before = signal.signal(number, lambda number, _: got.append(number))
    try:
        done = webkeep.capture(kept.url, into=tmp_path / "a", browser="off", on_progress=send_once)
    finally:
        signal.signal(number, before)
    assert (got, done.finished) == ([number], True)
