"""`webkeep serve` as a person starts it: several processes, loose files, proxy mode."""

from __future__ import annotations

import base64
import gzip
import json
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from serve_calls import Client, Reply, archive_of, page

from webkeep.replay.endpoints.basic_auth import MAX_GUESSES, SECONDS_PER_GUESS

AT = "20240301120000"
URL = "http://example.org/"


@contextmanager
def command(*arguments: str, most_files: int = 0) -> Iterator[tuple[Client, dict[str, object]]]:
    """The command, its client, and what it told when it was ready; `most_files` is how many may be open."""
    call = [sys.executable, "-m", "webkeep", "serve", *arguments, "--port", "0", "--json"]
    if most_files:
        call = ["sh", "-c", f'ulimit -n {most_files}; exec "$@"', "sh", *call]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        told: dict[str, object] = {}
        wanted = 2 if "--proxy-port" in arguments else 1
        for _ in range(wanted):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            event = json.loads(line)
            told[str(event["event"])] = event
        try:
            yield Client(int(told["listening"]["port"])), told  # type: ignore[index]
        finally:
            process.send_signal(signal.SIGTERM)
            output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert json.loads(output.splitlines()[-1])["restarts"] == 0
    assert "Traceback" not in errors


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive_of(
        tmp_path_factory.mktemp("serve") / "archive",
        page(URL, AT, "<title>Lighthouse</title><p>The keeper trims the lamp."),
        page("https://secure.example/", AT, "secret", head="Strict-Transport-Security: max-age=9\r\nX-Own: 1\r\n"),
        page("http://example.org/later", "20250301120000", "later"),
    )


def test_it_serves_with_several_processes_and_ends_when_told(archive: Path) -> None:
    with command(str(archive), "--workers", "2") as (client, told):
        assert told["listening"]["workers"] == 2  # type: ignore[index]
        for _ in range(8):
            assert client.ask(f"/web/{AT}id_/{URL}").body.startswith(b"<title>Lighthouse")
        assert b"example.org" in client.ask("/").body


TITLE = {"warc": [], "wacz": ["--title", "All of the harbour"]}


def test_warc_and_wacz_files_and_directories_are_served_as_they_lie(archive: Path, tmp_path: Path) -> None:
    for kind in ("warc", "wacz"):
        name = tmp_path / f"loose.{'warc.gz' if kind == 'warc' else 'wacz'}"
        subprocess.run(
            [sys.executable, "-m", "webkeep", "export", str(archive), f"--{kind}", str(name), *TITLE[kind]],
            check=True,
            capture_output=True,
        )
        with command(str(name), "--workers", "1", "--no-words") as (client, _):
            assert client.ask(f"/web/{AT}id_/{URL}").body.startswith(b"<title>Lighthouse")
            shown = "loose.warc.gz" if kind == "warc" else "All of the harbour"
            assert f"<h1>{shown}</h1>".encode() in client.ask("/").body
    with command(str(tmp_path), "--workers", "1", "--no-words") as (client, _):
        assert client.ask(f"/timemap/link/{URL}").status == 200
    assert sorted(each.name for each in tmp_path.iterdir()) == ["loose.wacz", "loose.warc.gz"]


def test_a_file_that_was_compressed_in_one_piece_is_served_too(archive: Path, tmp_path: Path) -> None:
    (file,) = (archive / "warcs").iterdir()
    packed = tmp_path / "one.warc.gz"
    packed.write_bytes(gzip.compress(gzip.decompress(file.read_bytes())))
    with command(str(packed), "--workers", "1", "--no-words") as (client, _):
        assert client.ask(f"/web/{AT}id_/{URL}").body.startswith(b"<title>Lighthouse")


def test_more_clients_than_files_can_be_open_wait_for_others_to_go(archive: Path) -> None:
    with command(str(archive), "--workers", "1", "--no-words", most_files=100) as (client, _):
        with ExitStack() as crowd:
            for _ in range(150):
                crowd.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=30))
        assert client.ask(f"/web/{AT}id_/{URL}").status == 200


def test_as_a_proxy_it_shows_sites_under_their_very_addresses(archive: Path, tmp_path: Path) -> None:
    authority = tmp_path / "authority"
    arguments = [str(archive), "--workers", "1", "--no-words", "--proxy-port", "0", "--authority", str(authority)]
    with command(*arguments) as (_, told):
        proxy = f"http://127.0.0.1:{told['proxy']['port']}"  # type: ignore[index]
        trust = ssl.create_default_context(cafile=str(authority / "webkeep-authority.pem"))
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({"http": proxy, "https": proxy}), urllib.request.HTTPSHandler(context=trust)
        )
        with opener.open(URL, timeout=30) as answer:
            assert answer.read().startswith(b"<title>Lighthouse")
            assert answer.headers["Memento-Datetime"] == "Fri, 01 Mar 2024 12:00:00 GMT"
            assert "Content-Security-Policy" not in answer.headers
            assert answer.headers["Connection-Allowlist"].startswith('("http://*:*" "https://*:*"')
        with opener.open("https://secure.example/", timeout=30) as answer:
            assert answer.read() == b"secret"
            assert answer.headers["X-Own"] == "1"
            assert answer.headers["Strict-Transport-Security"] is None
        with pytest.raises(urllib.request.HTTPError) as missing:
            opener.open("https://elsewhere.example/", timeout=30)
        assert missing.value.code == 404
        missing.value.close()


def test_a_proxy_takes_its_password_for_https_too(archive: Path, tmp_path: Path) -> None:
    authority, secret = tmp_path / "authority", tmp_path / "password"
    secret.write_text("open sesame\n")
    arguments = [str(archive), "--workers", "1", "--no-words", "--proxy-port", "0", "--authority", str(authority)]
    with command(*arguments, "--password-file", str(secret)) as (_, told):
        place = f"127.0.0.1:{told['proxy']['port']}"  # type: ignore[index]
        trust = ssl.create_default_context(cafile=str(authority / "webkeep-authority.pem"))

        def asked(url: str, login: str) -> tuple[int, bytes]:
            proxy = f"http://{login}{place}"
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({"http": proxy, "https": proxy}), urllib.request.HTTPSHandler(context=trust)
            )
            try:
                with opener.open(url, timeout=30) as answer:
                    return answer.status, answer.read()
            except urllib.request.HTTPError as error:
                with error:
                    return error.code, b""
            except OSError as error:  # what a tunnel is refused with stands in the words alone
                return int(next(word for word in str(error).split() if word.isdigit())), b""

        for url in ("https://secure.example/", URL):
            assert asked(url, "")[0] == 407
            assert asked(url, "me:wrong@")[0] == 407
            assert asked(url, "me:open%20sesame@")[0] == 200
        assert asked("https://secure.example/", "me:open%20sesame@") == (200, b"secret")


def test_guesses_of_a_password_are_slowed_down(archive: Path, tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("open sesame\n")
    with command(str(archive), "--workers", "1", "--no-words", "--password-file", str(secret)) as (client, _):

        def asked(password: str) -> Reply:
            return client.ask("/", Authorization="Basic " + base64.b64encode(f"me:{password}".encode()).decode())

        assert asked("open sesame").status == 200
        assert [asked(f"guess {number}").status for number in range(MAX_GUESSES)] == [401] * MAX_GUESSES
        held = asked("open sesame")
    assert held.status == 429
    assert 0 < int(dict(held.headers)["Retry-After"]) <= SECONDS_PER_GUESS + 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nothing"], "not a webkeep archive"),
        (["ARCHIVE", "--port", "70000"], "--port"),
        (["ARCHIVE", "--base", "nonsense"], "not an address"),
        (["ARCHIVE", "--access", "maybe:x"], "access rule"),
        (["ARCHIVE", "--access-file", "none.toml"], "none.toml"),
        (["ARCHIVE", "--password-file", "none"], "none"),
        (["ARCHIVE", "--host", "no.such.host.invalid"], "no address 'no.such.host.invalid' to listen on"),
        (["ARCHIVE", "--proxy-at", "2024"], "--proxy-at is about the proxy, and there is none"),
        (["ARCHIVE", "--elsewhere", "foo"], "--elsewhere 'foo' is no address"),
        (["ARCHIVE", "--proxy-port", "0", "--proxy-at", "someday"], "not a moment"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(archive: Path, tmp_path: Path, arguments: list[str], word: str) -> None:
    call = [
        sys.executable,
        "-m",
        "webkeep",
        "serve",
        *([] if "--port" in arguments else ["--port", "0"]),
        *[str(archive) if each == "ARCHIVE" else each for each in arguments],
    ]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 2, done.stderr
    assert word in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
