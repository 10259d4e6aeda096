"""`webkeep list` and `webkeep show` over a small archive with everything in it that is hard to print."""

import gzip
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import webkeep
from webkeep import BytesBody, Exchange, Moment
from webkeep.cli import main as command
from webkeep.model import Fate, UrlOutcome
from webkeep.url.scope import RuleSubject, include_rule

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
EVIL_URL = "http://example.org/evil\x1b]0;owned\x07"
UMLAUT_URL = "http://bücher.example/größe"
COMMAND = (sys.executable, "-m", "webkeep")


def page(url: str, when: str, body: bytes, head: bytes = HTML) -> Exchange:
    return Exchange(url, Moment.parse(when), head + b"\r\n", BytesBody(body))


def fill(path: Path) -> None:
    """Two captures: a crawl with all kinds of answers, and one that was cut short."""
    coded = HTML + b'Content-Encoding: gzip\r\nETag: "1"\r\n'
    unchanged = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n'
    with webkeep.open(path, create=True) as archive:
        with archive.begin("capture", ["http://example.org/", "http://bücher.example/"], {"operator": "me"}) as capture:
            capture.append(page("http://example.org/", "2024-03-01T10:00:00Z", b"<title>First</title>"))
            capture.append(page("http://example.org/", "2024-03-02T10:00:00Z", b"<title>Second \x1b[31m</title>"))
            capture.append(page("http://example.org/copy", "2024-03-02T11:00:00Z", b"<title>First</title>"))
            packed = gzip.compress(b"<title>Packed</title>" * 50, mtime=0)
            capture.append(page("http://example.org/packed", "2024-03-03T10:00:00Z", packed, coded))
            capture.append(page("http://example.org/packed", "2024-03-04T10:00:00Z", b"", unchanged))
            capture.append(page("http://example.org/Case", "2024-03-05T10:00:00Z", b"upper"))
            capture.append(page("http://example.org/case", "2024-03-05T11:00:00Z", b"lower"))
            capture.append(page(EVIL_URL, "2024-03-06T10:00:00Z", b"<p>", HTML + b"X-Evil: \x1b[2J\x9b\r\n"))
            capture.append(page(UMLAUT_URL, "2024-03-07T10:00:00Z", "<title>Größe</title>".encode()))
            capture.append_resource(
                "http://example.org/logo.bin", "image/x-logo", bytes(range(256)), Moment.parse("2024")
            )
            capture.submit_fates([Fate("http://example.org/private", UrlOutcome.REFUSED, "robots.txt")])
        unfinished = archive.begin("record", ["http://other.example/"])
        unfinished.append(page("http://other.example/", "2024-04-01T10:00:00Z", b"other"))
    command.main(["remove", str(path), "--url", "http://example.org/copy", "--reason", "asked to", "--yes"])


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "harbour"
    fill(path)
    return path


class Run:
    """The command, called in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[bytes]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object, code: int = 0) -> tuple[bytes, str]:
        given = command.main([str(word) for word in words])
        out, err = self._capsys.readouterr()
        assert given == code, err.decode()
        assert b"Traceback" not in err
        return out, err.decode()

    def lines(self, *words: object, code: int = 0) -> list[str]:
        return self(*words, code=code)[0].decode().splitlines()

    def events(self, *words: object, code: int = 0) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.lines(*words, "--json", code=code)]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Iterator[Run]:
    yield Run(capsysbinary)


def test_an_archive_at_a_glance(run: Run, archive: Path) -> None:
    out, err = run("list", archive)
    lines = out.decode().splitlines()
    assert lines[0] == f"archive  harbour ({archive})"
    assert lines[1].startswith("holds    10 observations of 8 URLs")
    assert lines[2] == "from     2024-01-01 00:00:00 to 2024-04-01 10:00:00 UTC"
    assert lines[5].split()[:3] == ["capture", "kind", "started"]
    assert "capture" in lines[6]
    assert lines[6].endswith("http://example.org/ and 1 more")
    assert "unfinished" in lines[7]
    assert lines[7].endswith("http://other.example/")
    assert err == "2 captures\n"


def test_programs_get_events_and_a_summary(run: Run, archive: Path) -> None:
    first, second, summary = run.events("list", archive)
    assert (first["event"], first["kind"], first["observations"]) == ("capture", "capture", 9)
    assert first["facts"] == {"operator": "me"}
    assert second["finished"] is None
    assert (summary["name"], summary["listed"], summary["more"]) == ("harbour", 2, False)
    assert (summary["observations"], summary["first"]) == (10, "2024-01-01T00:00:00Z")


def test_a_url_is_listed_in_time_order(run: Run, archive: Path) -> None:
    lines = run.lines("list", archive, "example.org")
    assert [line[:19] for line in lines[1:]] == ["2024-03-01 10:00:00", "2024-03-02 10:00:00"]
    assert "200  text/html" in lines[1]
    assert "response  http://example.org/" in lines[1]


@pytest.mark.parametrize(
    ("words", "urls"),
    [
        (["http://example.org/"], 2),
        (["example.org/*"], 8),
        (["example.org", "--match", "host"], 8),
        (["*.example.org"], 8),
        (["example", "--match", "domain"], 2),
        (["*"], 10),
        (["bücher.example/größe"], 1),
        (["http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe"], 1),
        (["example.org/*", "--since", "2024-03-04", "--until", "2024-03-05T10:30"], 2),
        (["*", "--until", "2024-02"], 1),
        (["*", "--limit", "3"], 3),
        (["*", "--limit", "0"], 0),
        (["*", "--limit", "9" * 30], 10),
        (["nowhere.example"], 0),
    ],
)
def test_observations_are_selected(run: Run, archive: Path, words: list[str], urls: int) -> None:
    *events, summary = run.events("list", archive, *words)
    assert len(events) == summary["listed"] == urls
    assert all(event["event"] == "observation" for event in events)
    places = {(event["file"], event["offset"]) for event in events}
    assert len(places) == urls


def test_a_limit_says_that_there_is_more(run: Run, archive: Path) -> None:
    assert run.events("list", archive, "*", "--limit", "3")[-1]["more"] is True
    assert run.events("list", archive, "*", "--limit", "10")[-1]["more"] is False
    assert run("list", archive, "*", "--limit", "1")[1] == "1 observation; --limit 1 left out the rest\n"


def test_one_capture_is_listed_by_the_start_of_its_name(run: Run, archive: Path) -> None:
    ids = [str(event["capture"]) for event in run.events("list", archive)[:-1]]
    *events, summary = run.events("list", archive, "--capture", ids[1][:8])
    assert summary["listed"] == 1
    assert events[0]["url"] == "http://other.example/"
    assert run.events("list", archive, "--captures", "--capture", ids[0])[-1]["listed"] == 1
    assert "no capture" in run("list", archive, "--capture", "zzz", code=2)[1]


def test_urls_are_listed_once_each_with_options_anywhere(run: Run, archive: Path) -> None:
    *events, summary = run.events("list", "--urls", archive, "--limit", "100", "example.org/*")
    assert [event["observations"] for event in events if event["url"] == "http://example.org/packed"] == [2]
    assert summary["listed"] == 6
    assert {"http://example.org/Case", "http://example.org/case"} <= {event["url"] for event in events}
    *events, _ = run.events("list", archive, "--urls", "--capture", run.events("list", archive)[1]["capture"])
    assert [event["url"] for event in events] == ["http://other.example/"]


PICTURES = ["http://a.test/b.png", "http://a.test/c/d.PNG?size=2", "http://png.test/e.jpg", "http://www.a.test/p"]


@pytest.mark.parametrize(
    ("pattern", "found", "is_rule"),
    [
        ("*.png", [0, 1], True),
        ("*/c/*", [1], True),
        ("/c/*", [1], True),
        ("a.test/*.png", [0, 1], True),
        ("a.test/*", [0, 1, 3], False),
        ("*.a.test", [0, 1, 3], False),
        ("*.test", [0, 1, 2, 3], False),
        ("*.example.org", [], False),
    ],
)
def test_a_pattern_finds_what_a_rule_of_a_capture_would_unless_it_is_a_host(
    run: Run, tmp_path: Path, pattern: str, found: list[int], is_rule: bool
) -> None:
    with webkeep.open(tmp_path / "a", create=True) as archive, archive.begin("capture") as capture:
        for url in PICTURES:
            capture.append(page(url, "2024-03-01T10:00:00Z", url.encode()))
    for view in ("--observations", "--urls"):
        *events, _ = run.events("list", tmp_path / "a", pattern, view)
        assert sorted(str(each["url"]) for each in events) == sorted(PICTURES[each] for each in found)
    if is_rule:
        rule = include_rule(pattern)
        assert [each for each, url in enumerate(PICTURES) if rule.holds(RuleSubject(url))] == found


def test_fates_can_be_narrowed_by_what_they_came_to(run: Run, archive: Path) -> None:
    fate, summary = run.events("list", archive, "--outcome", "refused")
    assert (fate["url"], fate["outcome"], summary["listed"]) == ("http://example.org/private", "refused", 1)
    assert run.events("list", archive, "--fates", "--outcome", "failed")[-1]["listed"] == 0
    assert "--outcome" in run("list", archive, "--urls", "--outcome", "failed", code=2)[1]


def test_files_fates_tombstones_and_findings(run: Run, archive: Path) -> None:
    files = run.events("list", archive, "--files")
    assert sum(int(str(event["observations"])) for event in files[:-1]) == 10
    fate, summary = run.events("list", archive, "--fates", "example.org/*")
    assert (fate["url"], fate["outcome"], fate["reason"]) == ("http://example.org/private", "refused", "robots.txt")
    recorded, _ = run.events("list", archive, "--fates", "other.example")
    assert (recorded["outcome"], recorded["url"]) == ("stored", "http://other.example/"), "though it was cut short"
    stone, summary = run.events("list", archive, "--tombstones", "--since", "2024")
    assert (stone["url"], stone["reason"], summary["listed"]) == ("http://example.org/copy", "asked to", 1)
    assert run.events("list", archive, "--tombstones", "--until", "2024")[-1]["listed"] == 0
    assert run.events("list", archive, "--findings")[-1]["listed"] == 0
    for view in ("--files", "--fates", "--tombstones", "--findings", "--urls", "--observations"):
        run("list", archive, view)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--files", "example.org"], "cannot be narrowed by a URL"),
        (["--findings", "--since", "2024"], "cannot be narrowed by --since"),
        (["--fates", "--until", "2024"], "cannot be narrowed by --until"),
        (["--captures", "example.org"], "cannot be narrowed by a URL"),
        (["--match", "host"], "give the URL"),
        (["*.example.org", "--match", "host"], "leave out --match"),
        (["example.org", "--since", "the day before"], "not a moment"),
        (["example.org", "--since", "2025", "--until", "2024"], "exchange them"),
        (["example.org", "--limit", "-3"], "whole number"),
        (["mailto:me", "--match", "host"], "has no host"),
        ([""], "the URL is empty"),
        ([" "], "the URL is empty"),
        (["--files", "--urls"], "not allowed with"),
    ],
)
def test_a_wrong_call_is_one_line(run: Run, archive: Path, words: list[str], message: str) -> None:
    _, err = run("list", archive, *words, code=2)
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["list", "show"])
def test_what_is_no_archive_is_said_so(run: Run, tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.warc.gz"
    file.write_bytes(b"")
    rest = ["example.org"] if name == "show" else []
    assert "is not a webkeep archive" in run(name, tmp_path, *rest, code=2)[1]
    assert "is not a webkeep archive" in run(name, tmp_path / "nowhere", *rest, code=2)[1]
    assert "is not a webkeep archive" in run(name, file / "below", *rest, code=2)[1]
    assert "webkeep import" in run(name, file, *rest, code=2)[1]
    assert json.loads(run.lines(name, file, *rest, "--json", code=2)[-1])["exit"] == 2


def test_an_empty_archive_is_no_trouble(run: Run, tmp_path: Path) -> None:
    webkeep.open(tmp_path / "empty", create=True).close()
    out, err = run("list", tmp_path / "empty")
    assert b"nothing yet" in out
    assert err == "0 captures\n"
    assert run.events("list", tmp_path / "empty")[-1]["first"] is None
    assert run.events("list", tmp_path / "empty", "*")[-1]["listed"] == 0
    assert "is not held" in run("show", tmp_path / "empty", "example.org", code=1)[1]


def test_files_dropped_in_are_listed_though_no_capture_made_them(run: Run, archive: Path, tmp_path: Path) -> None:
    webkeep.open(tmp_path / "other", create=True).close()
    for file in (archive / "warcs").iterdir():
        (tmp_path / "other" / "warcs" / f"dropped-{file.name}").write_bytes(file.read_bytes())
    assert run.events("list", tmp_path / "other")[-1]["observations"] == 10


def test_the_facts_of_a_url(run: Run, archive: Path) -> None:
    facts = dict(line.split("  ", 1) for line in run.lines("show", archive, "example.org")[:11])
    assert facts["URL"].strip() == "http://example.org/"
    assert facts["title"].strip() == r"Second \x1b[31m"
    assert facts["moment"].strip() == "2024-03-02 10:00:00 UTC"
    assert facts["status"].strip() == "200 OK"
    assert facts["seen"].strip() == "2 times, this is number 2; 2 different payloads; before 2024-03-01 10:00:00"
    lines = run.lines("show", archive, "example.org")
    assert lines[-2:] == ["HTTP/1.1 200 OK", "Content-Type: text/html; charset=utf-8"]


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        ("2020", "2024-03-01T10:00:00Z"),
        ("20240301230000", "2024-03-02T10:00:00Z"),
        ("2024-03-01T12:00", "2024-03-01T10:00:00Z"),
        ("yesterday", "2024-03-02T10:00:00Z"),
    ],
)
def test_a_url_as_it_was_nearest_to_a_moment(run: Run, archive: Path, at: str, moment: str) -> None:
    assert run.events("show", archive, "example.org", "--at", at)[0]["moment"] == moment


def test_the_exact_spelling_goes_first(run: Run, archive: Path) -> None:
    for url in ("http://example.org/Case", "http://example.org/case", "example.org/Case"):
        shown = run.events("show", archive, url)[0]
        assert str(shown["url"]).endswith(url[-4:])
        assert shown["versions"] == 1


def test_versions_are_those_that_differ(run: Run, archive: Path) -> None:
    for at, number in (("2024-03-01", 1), ("2024-03-02T10:00:00Z", 2)):
        (shown,) = run.events("show", archive, "http://example.org/", "--at", at)
        assert (shown["observations"], shown["observation"]) == (2, number)
        assert (shown["versions"], shown["version"]) == (2, number)


def test_what_was_not_modified_is_no_other_version_whoever_wrote_it_down(run: Run, tmp_path: Path) -> None:
    """Tools that know no revisits store a 304 like any answer."""
    url, plain = "http://example.org/", []
    for number, message in enumerate((b"HTTP/1.1 200 OK\r\n\r\n<p>here", b"HTTP/1.1 304 Not Modified\r\n\r\n")):
        fields = [f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>", "WARC-Type: response",
                  f"WARC-Date: 2024-03-0{number + 1}T00:00:00Z", f"WARC-Target-URI: {url}",
                  "Content-Type: application/http; msgtype=response", f"Content-Length: {len(message)}"]  # fmt: skip
        plain.append("\r\n".join(["WARC/1.0", *fields, "", ""]).encode() + message + b"\r\n\r\n")
    (tmp_path / "other.warc").write_bytes(b"".join(plain))
    run("import", tmp_path / "other.warc", "--into", tmp_path / "archive")
    (shown,) = run.events("show", tmp_path / "archive", url)
    assert (shown["observations"], shown["versions"], shown["version"]) == (2, 1, 1)
    assert any("always the same payload" in line for line in run.lines("show", tmp_path / "archive", url))


def test_a_revisit_says_of_what_and_gives_its_content(run: Run, archive: Path) -> None:
    (shown,) = run.events("show", archive, "example.org/packed")
    assert (shown["record"], shown["status"], shown["title"]) == ("revisit", 200, "Packed")
    assert shown["content_size"] == 21 * 50
    assert (shown["observations"], shown["observation"], shown["versions"], shown["version"]) == (2, 2, 1, 1)
    refers_to = shown["refers_to"]
    assert isinstance(refers_to, dict)
    assert refers_to["moment"] == "2024-03-03T10:00:00Z"
    assert str(refers_to["profile"]).endswith("server-not-modified")
    assert any(line.startswith("revisit  of the same URL") for line in run.lines("show", archive, "example.org/packed"))
    for at in ("2024-03-03", "2024-03-05"):
        assert run("show", archive, "example.org/packed", "--body", "--at", at)[0] == b"<title>Packed</title>" * 50
        assert run("show", archive, "example.org/packed", "--raw", "--at", at)[0][:2] == b"\x1f\x8b"
    assert run("show", archive, "example.org/packed", "--head")[0].startswith(b"HTTP/1.1 200 OK\r\n")


def test_content_is_byte_for_byte(run: Run, archive: Path, tmp_path: Path) -> None:
    data = bytes(range(256))
    assert run("show", archive, "example.org/logo.bin", "--body")[0] == data
    target = tmp_path / "logo.bin"
    out, err = run("show", archive, "example.org/logo.bin", "--output", target)
    assert (out, err) == (b"", f"256 bytes written to {target}\n")
    assert target.read_bytes() == data
    assert "is there already" in run("show", archive, "example.org/logo.bin", "--output", target, code=2)[1]
    (summary,) = run.events("show", archive, "example.org/logo.bin", "--raw", "--output", tmp_path / "raw")
    assert (summary["part"], summary["bytes"]) == ("raw", 256)
    assert "cannot write" in run("show", archive, "example.org", "--output", tmp_path / "no" / "no", code=3)[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logo.bin", "raw"]


def test_a_record_is_a_warc_file_of_its_own(run: Run, archive: Path, tmp_path: Path) -> None:
    run("show", archive, "example.org", "--record", "--output", tmp_path / "one.warc")
    record = (tmp_path / "one.warc").read_bytes()
    assert record.startswith(b"WARC/1.1\r\n")
    assert record.endswith(b"</title>\r\n\r\n")
    with webkeep.open(tmp_path / "made", create=True) as made:
        (made.path / "warcs" / "one.warc").write_bytes(record)
    with webkeep.open(tmp_path / "made") as made:
        assert [each.url for each in made] == ["http://example.org/"]


def test_what_is_not_held_has_exit_code_1_and_neighbours(run: Run, archive: Path) -> None:
    _, err = run("show", archive, "example.org/pac", code=1)
    assert err.splitlines()[0].startswith("example.org/pac is not held")
    assert "  http://example.org/packed" in err.splitlines()
    assert run.events("show", archive, "example.org/pac", code=1)[-1]["held"] is False
    assert "nothing of its host" in run("show", archive, "nowhere.example", code=1)[1]
    assert "is not held" in run("show", archive, "example.org/copy", code=1)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["example.org/*"], "many URLs"),
        ([""], "no URL to look up"),
        (["example.org", "--at", "soon"], "not a moment"),
        (["example.org", "--body", "--json"], "add --output FILE"),
        (["example.org", "--body", "--raw"], "not allowed with"),
    ],
)
def test_a_wrong_call_of_show_is_one_line(run: Run, archive: Path, words: list[str], message: str) -> None:
    assert message in run("show", archive, *words, code=2)[1]


def test_nothing_archived_commands_a_terminal(run: Run, archive: Path) -> None:
    for words in (["list", archive, "*"], ["list", archive, "--urls"], ["show", archive, EVIL_URL]):
        out, err = run(*words)
        assert b"\x1b" not in out
        assert b"\x07" not in out
        assert "\x1b" not in err
    assert rb"X-Evil: \x1b[2J" in run("show", archive, EVIL_URL)[0]
    events = run.events("list", archive, "*")
    assert EVIL_URL in [event.get("url") for event in events]


def test_letters_beyond_ascii_are_printed_as_they_are(run: Run, archive: Path) -> None:
    assert UMLAUT_URL in run.lines("list", archive, "bücher.example/*")[1]
    assert "title    Größe" in run.lines("show", archive, UMLAUT_URL)


def test_a_damaged_record_gives_what_is_left_and_says_so(run: Run, tmp_path: Path) -> None:
    body = os.urandom(300_000)
    with webkeep.open(tmp_path / "a", create=True) as made:
        made.append(page("http://example.org/", "2024", body))
    (warc,) = (tmp_path / "a" / "warcs").iterdir()
    data = bytearray(warc.read_bytes())
    data[200_000:200_100] = bytes(100)
    warc.write_bytes(data)
    out, err = run("show", tmp_path / "a", "example.org", "--raw", code=1)
    assert "is damaged" in err
    assert "webkeep verify" in err
    assert len(out) < len(body)


def test_a_terminal_is_not_sent_what_could_disturb_it(archive: Path) -> None:
    leader, follower = pty.openpty()
    words = [*COMMAND, "show", str(archive), "example.org/logo.bin", "--body"]
    try:
        ended = subprocess.run(words, stdout=follower, stderr=subprocess.PIPE, timeout=60, check=False)
    finally:
        os.close(follower)
        os.close(leader)
    assert ended.returncode == 2
    assert b"could disturb the terminal" in ended.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    with webkeep.open(tmp_path / "a", create=True) as made, made.begin("capture") as capture:
        for number in range(2000):
            capture.submit(page(f"http://example.org/{number}", "2024", b"x"))
    words = [*COMMAND, "list", str(tmp_path / "a"), "*"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0
