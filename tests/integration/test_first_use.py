"""What somebody meets who uses the command for the first time: slips, servers that are not there, things half had."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from capture_calls import ask_to_stop, capture, ended, events, fates, running
from small_site import Page, SmallSite, linking, moved
from warc_material import Done, gzipped, http, response, webkeep

TLS = Path(__file__).parent.parent / "data/tls"
PRIVATE = "http://example.org/private"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def people(*words: object) -> Done:
    """The command as people see it."""
    return webkeep(*words, as_json=False)


# ---- what was taken down ----


def test_a_takedown_is_named_wherever_it_is_looked_for(archive: Path) -> None:
    with SmallSite({"/": linking("/private"), "/private": Page(b"secret")}) as site:
        assert capture(archive, site.url()).code == 0
        private = site.url("/private")
    assert webkeep("remove", archive, "--url", private, "--reason", "court order", "--yes").code == 0
    shown, why, listed = (people(*words) for words in (("show", archive, private), ("why", archive, private),
                                                       ("list", archive, "--fates", private)))  # fmt: skip
    assert shown.code == 1
    assert "was taken down" in shown.lines[0]
    assert "(court order)" in shown.lines[0]
    assert b"stored; taken down" in why.out
    assert b"(court order)" in why.out
    assert b"  removed  taken down" in listed.out
    assert webkeep("show", archive, private).summary["removal_reason"] == "court order"
    (answer,) = webkeep("why", archive, private).summary["captures"]
    (fate,) = events(webkeep("list", archive, "--fates", private), "fate")
    assert answer["removed"] == fate["removed"] is not None
    (other,) = events(webkeep("list", archive, "--fates", site.url()), "fate")
    assert other["removed"] is None


def test_what_was_restored_is_not_taken_down(archive: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(gzipped([response(1, PRIVATE, b"secret")]))
    assert webkeep("import", source, "--into", archive).code == 0
    assert webkeep("remove", archive, "--url", PRIVATE, "--yes").code == 0
    again = people("import", source, "--into", archive)
    assert again.lines[-1].endswith("1 was taken down once and left out: --restore brings them back")
    assert "get flawed files again" not in again.err
    assert webkeep("import", source, "--into", archive, "--restore").code == 0
    assert people("show", archive, PRIVATE).code == 0


# ---- bodies that are not whole ----


def block(body: bytes, *fields: str) -> bytes:
    return http(body, *fields)


@pytest.mark.parametrize(
    ("fields", "truncated", "said"),
    [
        (("Content-Length: 1000",), "disconnect", "the connection broke off; 5 of 1,000 bytes (1.0 kB) came"),
        (("Content-Length: 1000",), None, "5 of 1,000 bytes (1.0 kB) came"),
        ((), "length", "cut off at a limit of size"),
        ((), "because", "cut off (because)"),
        (("Content-Length: 5",), None, ""),
        (("Content-Length: 3",), None, ""),
        (("Content-Length: ∞",), None, ""),
    ],
)
def test_a_body_that_is_not_all_there(
    archive: Path, tmp_path: Path, fields: tuple[str, ...], truncated: str | None, said: str
) -> None:
    source = tmp_path / "a.warc.gz"
    made = response(1, PRIVATE, b"short", block=block(b"short", *fields), WARC_Truncated=truncated)
    source.write_bytes(gzipped([made]))
    assert webkeep("import", source, "--into", archive).code == 0
    sheet, body = webkeep("show", archive, PRIVATE), people("show", archive, PRIVATE, "--body")
    assert sheet.summary["truncated"] == said
    assert body.out == b"short"
    assert body.lines == ([f"{PRIVATE}: this is not all of it: {said}"] if said else [])
    assert sheet.code == body.code == int(bool(said))


def test_verify_is_not_advised_where_it_has_nothing_to_say(archive: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    message = block(b"5\r\nhello\r\nZZ\r\n", "Transfer-Encoding: chunked")
    source.write_bytes(gzipped([response(1, PRIVATE, b"5\r\nhello\r\nZZ\r\n", block=message)]))
    assert webkeep("import", source, "--into", archive).code == 0
    body = people("show", archive, PRIVATE, "--body")
    assert body.code == 1
    assert len(body.lines) == 1
    assert "verify" not in body.err
    sheet = people("show", archive, PRIVATE)
    assert sheet.code == 1
    assert b"flaws    chunk framing breaks off" in sheet.out


# ---- seeds that come to nothing ----


@pytest.mark.parametrize("status", [401, 404, 410])
def test_a_seed_that_comes_to_nothing_is_a_finding(archive: Path, status: int) -> None:
    with SmallSite({"/": Page(b"no", status=status)}) as site:
        done = people("capture", site.url(), "--into", archive)
        assert done.code == 1
        assert f"the seed {site.url()} came to nothing: status {status}" in done.lines


FORM = Page(b"<title>Who?</title><form method=post><input name=user><input name=word type='password'></form>")


def test_a_seed_that_leads_to_a_login_has_come_to_nothing(archive: Path, tmp_path: Path) -> None:
    jar = tmp_path / "jar.txt"
    jar.write_text("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\texpired-long-ago\n")
    with SmallSite({"/members/": moved("/login"), "/login": FORM}) as site:
        seed = site.url("/members/")
        ended_before = people("capture", seed, "--into", archive, "--scope", "host", "--cookies", jar)
        unknown = people("capture", seed, "--into", tmp_path / "other")
        meant = people("capture", seed, "--into", tmp_path / "meant", "--scope", "host")
    assert (ended_before.code, unknown.code, meant.code) == (1, 1, 0)
    asks = f"the seed {seed} came to nothing: leads to {site.url('/login')}"
    assert f"{asks}, which asks for a password: nobody is logged in by the credentials that were given" in (
        ended_before.err
    )
    assert f"{asks}, which is out of scope and looks like a login: give --cookies, or use webkeep login" in unknown.err


def test_what_was_not_asked_for_want_of_rules_is_not_said_to_have_been(archive: Path) -> None:
    people("capture", "http://127.0.0.1:9/", "--into", archive, "--retries", "0")
    said = people("why", archive, "http://127.0.0.1:9/")
    assert "not asked for, as the robots.txt of its host could not be had: nobody listens there" in said.out.decode()


def test_a_limit_that_was_set_is_none(archive: Path) -> None:
    with SmallSite({"/": linking("/a", "/b", "/c")}) as site:
        done = capture(archive, site.url(), "--max-urls", "1")
        assert done.summary["fates"]["cut"] == 3
        assert done.code == 0


def test_servers_that_are_not_there_in_plain_words(archive: Path) -> None:
    closed = "http://127.0.0.1:9/"
    done = people("capture", closed, "--into", archive, "--retries", "0")
    assert done.code == 1
    assert done.lines[0] == f"failed: {closed} (nobody listens there)"
    assert done.lines[1].startswith("stored 0 URLs, 1 failed (0 bytes in 0.")
    assert "cannot-connect" in fates(archive)[closed][1]


def test_a_server_that_does_not_speak_tls(archive: Path) -> None:
    with SmallSite({}) as site:
        url = site.url().replace("http:", "https:")
        done = people("capture", url, "--into", archive, "--retries", "0")
    assert done.lines[0] == f"failed: {url} (it does not speak TLS; try http://)"


# ---- passwords, cookies and certificates ----


def guarded(site: SmallSite) -> list[str]:
    return [fields["authorization"] for fields in site.fields if "authorization" in fields]


@pytest.mark.parametrize(("host", "sent"), [("127.0.0.1:{port}", True), ("127.0.0.1", True), ("127.0.0.1:1", False)])
def test_passwords_for_a_host_and_port(archive: Path, host: str, sent: bool) -> None:
    asks = Page(b"who?", status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
    with SmallSite({"/": asks}) as site:
        named = host.format(port=site.port)
        done = people("capture", site.url(), "--into", archive, "--auth", f"{named}=me:secret")
        assert bool(guarded(site)) is sent
    told = f"nothing was asked of {named}, for which --auth has a password; check how it is written"
    assert (told in done.lines) is not sent
    assert "secret" not in done.err


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--cookies", "a=b; c=d\n", "line 1 is no Netscape cookie"),
        ("--cookies", "# title\n\nexample.org\tTRUE\t/\tFALSE\t0\n", "line 3 is no Netscape cookie"),
        ("--ca", "hello", "no certificate in PEM"),
        ("--ca", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n", "no certificate in PEM"),
        ("--client-certificate", "hello", "cannot be used"),
        ("--client-key", "hello", "add --client-certificate"),
    ],
)
def test_files_that_cannot_be_meant(archive: Path, tmp_path: Path, option: str, text: str, said: str) -> None:
    (tmp_path / "file").write_text(text)
    done = people("capture", "http://127.0.0.1:9/", "--into", archive, option, tmp_path / "file")
    assert done.code == 2
    assert len(done.lines) == 1
    assert said in done.err
    assert not archive.exists()


@pytest.mark.parametrize("text", ["https://example.org=a:b", "=a:b", "example.org=a", "a b=c:d", "example.org:x=a:b"])
def test_passwords_for_no_host(archive: Path, text: str) -> None:
    done = people("capture", "http://127.0.0.1:9/", "--into", archive, "--auth", text)
    assert done.code == 2
    assert done.lines == [
        "webkeep: auth: not HOST=USER:PASSWORD; write it as example.org=reader:secret, or example.org:8080=…"
    ]


def test_files_that_are_what_they_should_be(archive: Path, tmp_path: Path) -> None:
    jar = tmp_path / "cookies.txt"
    jar.write_text("# Netscape HTTP Cookie File\n\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n")
    with SmallSite({"/": linking()}) as site:
        words = ["--cookies", jar, "--ca", TLS / "ca.pem", "--client-certificate", TLS / "client.pem"]
        assert capture(archive, site.url(), *words).code == 0
        assert site.fields[-1]["cookie"] == "name=value"


# ---- seeds out of files ----


def seeds_from(archive: Path, source: object) -> Done:
    return people("capture", "--seeds-from", source, "--into", archive, "--scope", "page")


def test_a_list_from_windows(archive: Path, tmp_path: Path) -> None:
    with SmallSite({"/a": linking(), "/b": linking()}) as site:
        for name, encoding in (("one", "utf-8-sig"), ("two", "utf-16")):
            (tmp_path / name).write_bytes(f"{site.url('/a')}\r\n{site.url('/b')}  # b\r\n".encode(encoding))
            assert seeds_from(archive, tmp_path / name).code == 0
        assert sorted(site.paths) == ["/a", "/a", "/b", "/b"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n# remark\nhttp://127.0.0.1:9/\nnot a url\n", "{file}, line 4: not a web address: 'not a url'"),
        (b"http://127.0.0.1:9/\n" * 500 + b"not a url\n", "{file}, line 501: not a web address"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "{file} is neither a list of URLs nor a sitemap, feed or archive"),
        (b"", "nothing to capture"),
    ],
    ids=["a line", "a late line", "a picture", "empty"],
)
def test_seed_files_that_are_none(archive: Path, tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "seeds"
    file.write_bytes(content)
    done = seeds_from(archive, file)
    assert done.code == 2
    assert len(done.lines) == 1
    assert said.format(file=file) in done.err


def test_seeds_from_a_url_are_refused_with_advice(archive: Path) -> None:
    done = seeds_from(archive, "https://example.org/sitemap.xml")
    assert done.code == 2
    assert "save it as a file" in done.err


def test_an_index_of_sitemaps_says_what_becomes_of_it(archive: Path, tmp_path: Path) -> None:
    index = tmp_path / "index.xml"
    with SmallSite({"/one.xml": Page(b"<urlset></urlset>", "application/xml")}) as site:
        index.write_text(f"<sitemapindex><sitemap><loc>{site.url('/one.xml')}</loc></sitemap></sitemapindex>")
        done = seeds_from(archive, index)
        assert site.paths == ["/one.xml"]
    assert done.lines[0].startswith(f"{index} is an index of sitemaps: the sitemaps it names become seeds")


# ---- going on ----


def test_an_unfinished_capture_of_another_plan_is_named(archive: Path) -> None:
    with SmallSite({"/": linking(*(f"/{n}" for n in range(20))), **{f"/{n}": linking() for n in range(20)}}) as site:
        site.hold_after(4)
        with running(archive, site.url(), "--max-urls", "15") as process:
            site.wait_for_requests(5)
            ask_to_stop(process, signal.SIGHUP)
            site.let_go()
            first = ended(process)
        assert first["code"] == 3
        assert not first["finished"]
        other = people("capture", site.url(), "--into", archive, "--max-urls", "16", "--browser", "off")
        assert f"capture {first['capture'][:8]} of " in other.lines[0]
        assert "is not finished; with max-urls 15 the command would go on with it" in other.lines[0]
        more = ("--browser", "off", "--timeout", "60", "--retries", "1")
        same = people("capture", site.url(), "--into", archive, "--max-urls", "15", *more)
        assert f"going on with capture {first['capture'][:8]}" in same.lines[0]
        assert "in all; this run took " in same.lines[-1]
        anew = people("capture", site.url(), "--into", archive, "--max-urls", "17", "--new")
        assert "is not finished" not in anew.err


def test_letting_go_ends_with_counts_and_how_to_go_on(archive: Path) -> None:
    with SmallSite({"/": linking("/a", "/b"), "/a": linking(), "/b": linking()}) as site:
        site.hold_after(2)
        with running(archive, site.url(), as_json=False) as process:
            assert process.stderr is not None
            site.wait_for_requests(3)
            process.send_signal(signal.SIGINT)
            assert "Ctrl-C again lets go of it" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            last = process.stderr.read().splitlines()[-1]
            assert process.wait(60) == 3
    assert "2 still queued" in last
    assert last.endswith("; stopped before the end: the same command goes on")


def test_a_person_who_goes_away_does_not_end_the_capture(archive: Path) -> None:
    with SmallSite({"/": linking("/a", "/gone.png"), "/a": linking()}) as site:
        reader, writer = os.pipe()
        os.close(reader)
        command = ["capture", site.url(), "http://127.0.0.1:9/", "--retries", "0", "--into", str(archive)]
        # With a standard output of its own, so that the exit code tells of standard error alone.
        words = [sys.executable, "-m", "webkeep", *command]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=writer, check=False, timeout=60)
        os.close(writer)
        assert done.returncode == 1, done.stdout
        assert {"/", "/a", "/gone.png"} == set(site.paths)


# ---- wrong calls ----


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["capture", "http://127.0.0.1:9/", "--into", ""], "argument --into: it is empty"),
        (["import", "a.warc", "--into", " "], "argument --into: it is empty"),
        (["list", ""], "argument ARCHIVE: it is empty"),
        (["verify", ""], "argument ARCHIVE|FILE: it is empty"),
        (
            ["capture", "http://127.0.0.1:9/", "--into", "a", "--max-url", "3"],
            "there is no option --max-url (did you mean --max-urls?); see webkeep capture --help",
        ),
        (["lst", "a"], "there is no command 'lst' (did you mean list?); see webkeep --help"),
        (["lab", "coherence", "--zzz"], "there is no option --zzz; see webkeep lab coherence --help"),
        (["capture", "http://a/", "--into", "a", "http://b/"], "'http://b/' is one word too many, or stands apart"),
        (["copy", "http://a/", "a", "--filters", "-*.gif"], "one argument, written with = where it begins with a dash"),
        (
            ["capture", "http://a/", "--into", "a", "--max-urls", "-3"],
            "max-urls cannot be '-3'; give a whole number, 1 or",
        ),
        (["list", "a", "--limit", "-1"], "'-1' cannot be; give a whole number, 0 or more"),
    ],
)
def test_wrong_calls(words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = people(*words)
    assert done.code == 2
    assert said in done.err
    assert not list(tmp_path.iterdir())


def test_a_login_needs_a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    words = ("login", "http://127.0.0.1:1/", "--browser-profile", tmp_path / "login", "--browser-program", program)
    done = webkeep(*words)
    assert done.code == 3
    assert "there is no screen for its window" in done.err


def test_why_of_what_is_no_url(archive: Path) -> None:
    with SmallSite({"/": linking()}) as site:
        capture(archive, site.url())
    for text in ("http://[bad", " "):
        done = people("why", archive, text)
        assert done.code == 2
        assert "is not a URL" in done.err
    none = people("list", archive, "--capture", "zz")
    assert f"no capture in {archive} begins with 'zz'" in none.err


def test_a_slip_in_a_plan_is_told_with_what_was_meant(archive: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('seeds = ["http://127.0.0.1:9/"]\nmax-url = 3\n')
    done = people("capture", "--plan", plan, "--into", archive)
    assert done.lines == ["webkeep: a plan has no 'max-url'; did you mean max-urls?"]
    plan.write_text('seeds = ["http://127.0.0.1:9/"]\n[hosts."a.example"]\ndelays = 3\n')
    assert people("capture", "--plan", plan, "--into", archive).lines == [
        "webkeep: host a.example has no 'delays'; did you mean delay?"
    ]


def test_control_says_what_was_set(archive: Path) -> None:
    with SmallSite({"/": linking("/a")}) as site:
        site.hold_after(1)
        with running(archive, site.url()) as process:
            site.wait_for_requests(2)
            done = people("control", archive, "set", "--delay", "2", "--exclude", "/x/*", "--include", "*.pdf")
            assert done.lines[0].endswith("to set the delay to 2 s, --include '*.pdf', --exclude '/x/*'")
            ask_to_stop(process)
            site.let_go()
            assert ended(process)["code"] == 3
