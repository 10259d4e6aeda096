"""`webkeep recover` against archives that answer with nonsense, disks that are full, and calls that cannot be."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hostile_archive import MOMENT, SITE, Answer, Told, home, hostile, memento, row, rows
from serve_calls import archive_of, page
from small_disk import filling_up, make_room

from webkeep.cli.main import main

BOTH = rows(SITE, SITE + "a")


@dataclass
class Came:
    """What a call came to."""

    code: int
    summary: dict[str, object]
    said: list[str]
    asked: list[str]


Call = Callable[..., Came]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def called(index: Answer, version: Answer = home, *words: str) -> Came:
        with hostile(index, version) as (address, asked):
            command = ["recover", SITE, "--from", f"cdx={address} name=q", "--into", str(tmp_path / "back"), "--json"]
            code = main([*command, "--ledger", str(tmp_path / "ledger.sqlite"), *words])
        told = capsys.readouterr()
        said = told.err.splitlines()
        assert not [line for line in said if "an error of webkeep" in line or "Traceback" in line]
        assert all(len(line) < 1000 for line in said)
        return Came(code, json.loads(told.out.splitlines()[-1]), said, asked)

    return called


def odd_rows() -> bytes:
    """Sound rows among those that no parser or database likes."""
    big = "9" * 6000
    return b"".join((
        row(SITE), b"\0\0\0\n", b"x\n", b"[[1]]\n", b'{"url": 1, "timestamp": []}\n', b'{"a":' * 5000 + b"\n",
        row(SITE + "half\ud800", mime="te\udfff", digest="\ud801", filename="\ud800", offset="5", length="7"),
        row(SITE + "nul\0"), row(SITE + "status", status=big), row(SITE + "length", length="9" * 19),
        row(SITE + "zero", "00000000000000"), row(SITE + "nines", "99999999999999"),
        row(SITE + "first", "00010101000000"), row(SITE + "last", "99991231235959"),
        row("http://[::1/"), row("javascript:alert(1)"), row("http://xn--/"), row(SITE + "%zz%ff"),
        row(SITE + "b" * 100_000), row(SITE + "sound"),
    ))  # fmt: skip


def test_rows_that_cannot_be_are_passed_over_and_the_others_come_back(call: Call) -> None:
    came = call(lambda _: Told(odd_rows()))
    assert came.code == 1
    listed = {path.partition("/http://")[2].removeprefix("lost.example/") for path in came.asked if "/web/" in path}
    assert {"", "sound", "status", "first", "last"} <= listed
    assert not {"length", "zero", "nines"} & listed
    assert [line for line in came.said if "cannot be read, which is passed over" in line]


def test_an_index_that_leads_in_a_circle_is_told_once_and_asked_once_more(call: Call) -> None:
    came = call(lambda path: Told(b"", 302, {"Location": path}))
    assert (came.code, came.summary["recovered"]) == (1, 2)
    assert len([line for line in came.said if "redirects in a circle" in line]) == 1
    assert len([path for path in came.asked if path.startswith("/cdx")]) == 2


def test_a_listing_that_always_breaks_off_is_told_once(call: Call) -> None:
    came = call(lambda _: Told(row(SITE) + row(SITE + "a"), short=1000))
    assert (came.code, came.summary["recovered"]) == (1, 2)
    assert len([line for line in came.said if "broke off after 2 rows" in line]) == 1


def test_a_version_that_leads_to_itself_is_missing_and_says_why(call: Call, tmp_path: Path) -> None:
    came = call(BOTH, lambda path: Told(b"", 302, {"Location": path}), "--summary", str(tmp_path / "told.tsv"))
    assert (came.code, came.summary["missing"]) == (1, 2)
    assert came.summary["reasons"] == {"advertised-but-absent": 2}
    assert "redirects in a circle" in (tmp_path / "told.jsonl").read_text()


def test_versions_that_break_off_are_kept_and_told(call: Call) -> None:
    came = call(BOTH, lambda _: memento(b"<p>half of a page", short=1000))
    assert (came.code, came.summary["recovered"], came.summary["truncated"]) == (1, 2, 2)


@pytest.mark.parametrize(
    "version",
    [
        pytest.param(memento(b"<p>hi", X_Archive_Orig_Content_Length="9" * 5000), id="length-of-5000-digits"),
        pytest.param(memento(b"<p>hi", Memento_Datetime="Fri, 99 Foo 0000 00:00:00 GMT"), id="no-such-day"),
        pytest.param(memento(b"<p>hi", Memento_Datetime="Fri, 31 Dec 9999 23:59:59 GMT"), id="the-last-second"),
        pytest.param(memento(b"\x1f\x8bnonsense", Content_Encoding="gzip"), id="no-gzip"),
        pytest.param(memento(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip"), id="a-bomb"),
        pytest.param(memento(b'<a href="/&#xd800;">x</a><a href="/%00">' + b"<a href=/" + b"b" * 99_999), id="links"),
    ],
)
def test_odd_versions_do_no_harm(call: Call, version: Told) -> None:
    came = call(BOTH, lambda path: version if path.endswith("example/") else home(path))
    assert came.code in (0, 1)
    assert came.summary["recovered"] == 2
    assert came.summary["finished"] is True


@pytest.mark.parametrize(
    "seed", ["http://[::1]:8080/x/y.html", "http://lost.example:8080/", "http://bücher.example/ä b%20c?q=ü"]
)
def test_odd_seeds_that_nobody_holds_are_told(seed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = archive_of(tmp_path / "held", page(SITE, "2010-01-01", "<p>home"))
    assert main(["recover", seed, "--from", str(held), "--into", str(tmp_path / "back"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["reasons"] == {"not-held": 1}


@pytest.mark.parametrize(
    ("held", "seed"),
    [
        ("http://[::1]:8080/x/y.html", "http://[0:0::1]:8080/x/y.html"),
        ("http://lost.example:8080/", "http://LOST.example:8080"),
        ("http://xn--bcher-kva.example/%C3%A4%20b?q=%C3%BC", "http://bücher.example/ä b?q=ü"),
        ("http://lost.example/%7Eann/a%2fb", "http://lost.example/~ann/a%2Fb"),
    ],
)
def test_other_spellings_of_a_seed_are_the_same_page(held: str, seed: str, tmp_path: Path) -> None:
    shelf = archive_of(tmp_path / "held", page(held, "2010-01-01", "<p>here it is"))
    assert main(["recover", seed, "--from", str(shelf), "--into", str(tmp_path / "back")]) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--reach", "nan"], "number of days"),
        (["--include", "["], "fits no URL"),
        (["--summary", "/"], "is a directory"),
        (["--report", "FOLDER"], "is a directory"),
        (["--copy", "FOLDER"], "did not put there"),
        (["--rehost", "FOLDER"], "no re-host export"),
        (["--compare", "http://lost.example/"], "webkeep capture http://lost.example/"),
        (["--compare", "FOLDER"], "no archive"),
        (["--compare", "FOLDER/file"], "no archive"),
        (["--repositories", "FOLDER"], "is no file"),
        (["--from", "PIPE"], "neither a file nor a directory"),
        (["--from", "warc=PIPE"], "neither a file nor a directory"),
        (["--from", "cdx=http://["], "no web address"),
        (["--from", "cdx=http://x/cdx raw=http://x/web/"], "lacks {timestamp}"),
    ],
)
def test_what_could_not_be_done_in_the_end_is_told_at_the_beginning(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("mine")
    held = archive_of(tmp_path / "held", page(SITE, "2010-01-01", "<p>home"))
    os.mkfifo(tmp_path / "pipe.warc")
    option, value = words
    value = value.replace("FOLDER", str(tmp_path / "mine")).replace("PIPE", str(tmp_path / "pipe.warc"))
    assert main(["recover", SITE, "--from", str(held), "--into", str(tmp_path / "back"), option, value]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line
    assert not (tmp_path / "back").exists()


def test_two_recoveries_into_one_archive_do_not_meet(tmp_path: Path) -> None:
    """The second is turned away while the first waits for an answer, and the first is not disturbed."""
    into = str(tmp_path / "back")
    seconds: list[subprocess.CompletedProcess[str]] = []

    def version(path: str) -> Told:
        if not seconds:
            words = [sys.executable, "-m", "webkeep", "recover", SITE, "--from", "live", "--into", into]
            seconds.append(subprocess.run(words, capture_output=True, text=True, timeout=60, check=False))
        return home(path)

    with hostile(rows(SITE), version) as (address, _):
        words = ["recover", SITE, "--from", f"cdx={address}", "--into", into, "--ledger", str(tmp_path / "l.sqlite")]
        assert main([*words, "--max-resources", "1"]) in (0, 1, 3)
    (second,) = seconds
    assert second.returncode == 3
    assert "being written by another process" in second.stderr
    assert main(["verify", into]) == 0


def test_a_full_disk_ends_with_one_line_and_room_lets_it_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = [page(f"{SITE}{number}", "2010-01-01", str(number) * 300_000) for number in range(10, 20)]
    held = archive_of(tmp_path / "held", page(SITE, "2010-01-01", "<p>home"), *large)
    with filling_up(tmp_path / "disk") as disk:
        words = ["recover", SITE, "--from", str(held), "--into", str(disk / "back")]
        (disk / "more").write_bytes(bytes(1_700_000))
        assert main(words) == 3
        assert "nothing kept is lost" in capsys.readouterr().err.splitlines()[-1]
        (disk / "more").unlink()
        make_room(disk)
        assert main(words) == 0
        assert main(["verify", str(disk / "back")]) == 0


def test_a_capture_of_the_original_may_lie_in_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = [page(f"{SITE}{name}", "2010-01-01", f"<p>page {name}") for name in ("", "a", "b")]
    held = archive_of(tmp_path / "held", *pages[:2])
    whole = archive_of(tmp_path / "whole", *pages)
    (tmp_path / "files").mkdir()
    assert main(["export", str(whole), "--warc", str(tmp_path / "files/whole.warc.gz")]) == 0
    assert main(["export", str(whole), "--wacz", str(tmp_path / "whole.wacz")]) == 0
    words = ["recover", SITE, "--from", str(held), "--into", str(tmp_path / "back"), "--json"]
    for original in ("whole", "files", "files/whole.warc.gz", "whole.wacz"):
        main([*words, "--compare", str(tmp_path / original)])
        told = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert told["difference"] == pytest.approx({"changed": 0.0, "missing": 1 / 3, "added": 0.0}), original


def test_an_original_that_holds_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = archive_of(tmp_path / "held", page(SITE, "2010-01-01", "<p>home"))
    empty = archive_of(tmp_path / "empty")
    words = ["recover", SITE, "--from", str(held), "--into", str(tmp_path / "back"), "--compare", str(empty)]
    assert main(words) == 0
    assert "nothing to compare with" in capsys.readouterr().err


def test_the_end_of_time_is_a_date(tmp_path: Path) -> None:
    held = archive_of(tmp_path / "held", page(SITE, MOMENT, "<p>home"))
    for number, day in enumerate(("9999", "9999-12", "9999-12-31")):
        into = str(tmp_path / f"back-{number}")
        assert main(["recover", SITE, "--from", str(held), "--into", into, "--to-date", day]) == 0


def test_a_dry_run_counts_with_the_limits_that_a_person_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with hostile(rows(*(f"{SITE}{number}" for number in range(6)))) as (address, _):
        root = address.removesuffix("/cdx")
        (tmp_path / "mine.toml").write_text(
            f'[mine]\nindex = "{address}"\nraw = "{root}/web/{{timestamp}}id_/{{url}}"\n'
            'limits.playback = { requests = "2/hour" }\n'
        )
        words = ["recover", SITE, "--from", "mine", "--repositories", str(tmp_path / "mine.toml"), "--dry-run"]
        assert main([*words, "--ledger", str(tmp_path / "ledger.sqlite"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["repositories"][0]["urls"] == 6
    assert told["estimated_seconds"] >= 3600


def test_a_version_of_another_page_is_not_taken_for_this_one(call: Call) -> None:
    other = '<http://other.example/>; rel="original"'
    came = call(BOTH, lambda path: memento(b"<p>someone else's", Link=other) if path.endswith("/a") else home(path))
    assert (came.summary["recovered"], came.summary["missing"]) == (1, 1)
    assert came.summary["refused"] == {"a version of another page": 1}


@pytest.mark.parametrize("target", ["/", "https://www.lost.example/", "http://LOST.example:80/#top"])
def test_a_redirect_to_itself_is_no_page(call: Call, target: str) -> None:
    def version(path: str) -> Told:
        moved = Told(b"", 301, {"Location": target, "Memento-Datetime": "Fri, 01 Jan 2010 00:00:00 GMT"})
        return moved if path.endswith("example/") else home(path)

    came = call(BOTH, version)
    assert came.summary["refused"] == {"a redirect to itself": 1}
    assert (came.summary["recovered"], came.summary["missing"]) == (1, 1)


def test_a_page_that_moved_to_another_scheme_is_back_from_there(call: Call) -> None:
    """The version that only leads on is the newer one; the page itself is what is wanted."""
    listed = row(SITE, "20110101000000", status="301") + row("https://lost.example/")

    def version(path: str) -> Told:
        there = "https://lost.example/"
        moved = Told(b"", 301, {"Location": there, "Memento-Datetime": "Sat, 01 Jan 2011 00:00:00 GMT"})
        return moved if "/20110101000000" in path else home(path)

    came = call(lambda _: Told(listed), version, "--scope", "host")
    assert came.summary["repositories"] == {"q": 1}
    assert came.summary["years"] == {"2010": 1}
