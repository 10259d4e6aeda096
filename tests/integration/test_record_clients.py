"""Programs that go through the recording proxy, and what they leave in the archive."""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from capture_calls import fates, is_sound
from raw_server import RawServer
from record_calls import kept, recording, requests, responses
from stream_server import FILE, PAGE, StreamServer
from test_record_streams import TRUST, tls
from warc_material import webkeep

from webkeep.cli.commands.record import arguments
from webkeep.crawl.recording import RecordedExchange, RecordedPage, RecordingPlan, open_recording as in_process
from webkeep.fetch.proxy import InterceptedRequest, LocalResponse, ProxyDecision, RefuseRequest
from webkeep.model import BytesBody
from webkeep.store.archive import WritableArchive
from webkeep.url.scope import RuleSubject, exclude_rule, include_rule


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_curl_wget_and_python_work_unchanged(tmp_path: Path, is_encrypted: bool) -> None:
    with StreamServer(tls() if is_encrypted else None) as server, recording(tmp_path, *TRUST) as run:
        assert run.curl(server.url()).stdout == PAGE
        environment = {"http_proxy": run.proxy, "https_proxy": run.proxy, "no_proxy": "", "PATH": os.environ["PATH"]}
        wget = ["wget", "-q", "-O", "-", f"--ca-certificate={run.certificate}", server.url("file")]
        assert subprocess.run(wget, env=environment, capture_output=True, check=True).stdout == FILE
        program = f"import urllib.request; print(urllib.request.urlopen({server.url()!r}).read().decode())"
        environment["SSL_CERT_FILE"] = str(run.certificate)
        python = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        assert python.stdout.strip() == PAGE
        summary = run.end()
    assert (summary["stored"], summary["duplicates"]) == (2, 1)
    assert {each.url for each in responses(run.archive)} == {server.url(), server.url("file")}
    assert {url: outcome for url, (outcome, _) in fates(run.archive).items()} == {
        server.url(): "duplicate",
        server.url("file"): "stored",
    }
    assert is_sound(run.archive)


def test_a_burst_is_answered_and_recorded_whole(tmp_path: Path) -> None:
    pages = {f"p{number}": (b"text/plain", b"%d" % number * 50) for number in range(400)}
    with StreamServer(pages=pages) as server, recording(tmp_path, *TRUST) as run:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": run.proxy}))

        def load(path: str) -> bytes:
            with opener.open(server.url(path), timeout=30) as answer:
                return bytes(answer.read())

        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(load, pages)) == [body for _, body in pages.values()]
        summary = run.end()
    assert summary["stored"] == 400
    assert {each.url: each.body for each in responses(run.archive)} == {
        server.url(path): body for path, (_, body) in pages.items()
    }


def test_a_recording_is_a_capture_like_any_other(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        run.curl("-H", "Accept: text/html", server.url())
        summary = run.end()
    assert summary["pages"][0]["title"] == "Streams"
    listed = [json.loads(line) for line in webkeep("list", run.archive).out.splitlines()]
    (capture,) = [each for each in listed if each.get("event") == "capture"]
    assert (capture["kind"], capture["capture"]) == ("record", summary["capture"])
    assert capture["finished"]


def test_secrets_pass_and_are_not_recorded(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: id=topsecret\r\nContent-Length: 2\r\n\r\nok"
    with RawServer(answer) as server, recording(tmp_path, *TRUST) as run:
        words = (
            "-i",
            "-u",
            "me:topsecret",
            "-b",
            "id=topsecret",
            "-d",
            "password=topsecret",
            server.url + "?pwd=topsecret",
        )
        assert b"Set-Cookie: id=topsecret" in run.curl(*words).stdout
        summary = run.end()
        (asked,) = server.received
    assert asked.count(b"topsecret") == 3
    assert b"Authorization: Basic" in asked
    assert summary["redactions"] == 5
    for record in kept(run.archive):
        assert b"topsecret" not in record.head + record.body
        assert "topsecret" not in record.url
    for file in (run.archive / "warcs").iterdir():
        assert b"topsecret" not in file.read_bytes()
    assert is_sound(run.archive)


def test_rules_say_what_is_recorded(tmp_path: Path) -> None:
    pages = {"a.html": (b"text/html", b"a"), "b.png": (b"image/png", b"b" * 10), "c.png": (b"image/png", b"c" * 1000)}
    rules = ("--exclude", "type:image/*", "--include", "size:>100")
    with StreamServer(pages=pages) as server, recording(tmp_path, *TRUST, *rules) as run:
        for path, (_, body) in pages.items():
            assert run.curl(server.url(path)).stdout == body
        summary = run.end()
    assert {each.url for each in responses(run.archive)} == {server.url("a.html"), server.url("c.png")}
    assert summary["left_out"] == 1
    assert fates(run.archive)[server.url("b.png")] == ("out-of-scope", "left out by rule")


def test_one_connection_serves_many_requests(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        one = f"GET {server.url('missing')} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        last = f"GET {server.url('missing')} HTTP/1.0\r\n\r\n".encode()
        assert run.ask(one * 5 + last).count(b"nothing here") == 6
        run.end()
    assert len(responses(run.archive)) == 6
    assert len(requests(run.archive)) == 6


def test_an_old_client_gets_no_chunks(tmp_path: Path) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    with RawServer(chunked) as server, recording(tmp_path, *TRUST) as run:
        answer = run.ask(f"GET {server.url} HTTP/1.0\r\n\r\n".encode())
        run.end()
    assert answer == b"HTTP/1.1 200 OK\r\n\r\nabcde"
    assert responses(run.archive)[0].body == chunked.partition(b"\r\n\r\n")[2]


class Nobody:
    """A watcher who looks at nothing."""

    def on_started(self, capture: str, address: str) -> None: ...

    def on_exchange(self, passing: RecordedExchange) -> None: ...

    def on_page(self, page: RecordedPage) -> None: ...

    def on_note(self, text: str) -> None: ...


async def asked_of(port: int, *urls: str) -> list[bytes]:
    answers = []
    for url in urls:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answers.append(await reader.read())
        writer.close()
    return answers


def test_in_process_a_hook_sends_answers_refuses_and_holds(tmp_path: Path) -> None:
    held = asyncio.Event()
    order: list[str] = []

    async def hook(asked: InterceptedRequest) -> ProxyDecision | None:
        order.append(asked.url.rpartition("/")[2])
        if asked.url.endswith("/archived"):
            held.set()
            return LocalResponse(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", BytesBody(b"old"))
        if asked.url.endswith("/held"):
            await held.wait()
        return RefuseRequest(403, "not here") if asked.url.endswith("/refused") else None

    async def run(server: StreamServer) -> list[bytes]:
        plan = RecordingPlan(tmp_path / "authority", port=0, private=True, hook=hook)
        with WritableArchive.create(tmp_path / "archive") as archive:
            async with in_process(plan, archive, Nobody()) as (proxy, session):
                waiting = asyncio.create_task(asked_of(proxy.port, server.url("held")))
                others = await asked_of(proxy.port, *map(server.url, ("", "refused", "archived")))
                answers = [*others, *await waiting]
            assert session.result.capture
        return answers

    with StreamServer() as server:
        answers = asyncio.run(run(server))
        assert [head.split(b" ")[1] for head in server.asked] == [b"/", b"/held"]
    assert [answer[9:12] for answer in answers] == [b"200", b"403", b"200", b"404"]
    assert order[-1] == "archived"
    assert {each.url for each in responses(tmp_path / "archive")} == {server.url(), server.url("held")}


def test_the_last_rule_that_holds_decides() -> None:
    plan = RecordingPlan(
        Path("unused"), rules=(include_rule("host:a.test"), exclude_rule("*.gif"), include_rule("size:>9"))
    )
    wanted = [plan.is_recorded(RuleSubject(url)) for url in ("http://b.test/", "http://a.test/", "http://a.test/b.gif")]
    assert wanted == [None, True, None]
    assert plan.is_recorded(RuleSubject("http://a.test/b.gif", "image/gif", 10)) is True
    assert plan.is_recorded(RuleSubject("http://a.test/b.gif", "image/gif", 1)) is False


def test_every_option_is_in_the_guide() -> None:
    parser = argparse.ArgumentParser()
    arguments(parser)
    shown = [action for action in parser._actions if action.help is not argparse.SUPPRESS]
    options = {word for action in shown for word in action.option_strings if word.startswith("--")}
    guide = (Path(__file__).parents[2] / "docs/guide/record.md").read_text()
    assert {option for option in options if f"{option}`" not in guide and f"{option} " not in guide} == {"--help"}


def test_trust_is_explained(tmp_path: Path) -> None:
    done = webkeep("record", "--trust", "--authority", tmp_path)
    assert done.code == 0
    certificate = json.loads(done.out.splitlines()[-1])["certificate"]
    assert Path(certificate).read_bytes().startswith(b"-----BEGIN CERTIFICATE-----")


def test_a_port_that_is_taken_is_a_wrong_call_for_all_who_listen(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with WritableArchive.create(archive):
        pass
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (("record", "--into", archive), ("serve", archive), ("demo",)):
            done = webkeep(*words, "--port", port)
            assert (done.code, done.err.count("\n")) == (2, 1), words
            assert "choose another" in done.err


def test_a_wrong_call_is_told_in_one_line(tmp_path: Path) -> None:
    for words in ((), ("--into", tmp_path / "no" / "where"), ("--into", tmp_path / "a", "--port", "70000"),
                  ("--into", tmp_path / "a", "--redact", "cookie"), ("--into", tmp_path / "a", "--exclude", "type:"),
                  ("--into", tmp_path / "a", "--open", "not a url"), ("--into", tmp_path / "a", "--headless"),
                  ("--into", tmp_path / "a", "--ca", tmp_path / "none.pem"),
                  ("--into", tmp_path / "a", "--ca", __file__)):  # fmt: skip
        done = webkeep("record", *words)
        assert (done.code, done.err.count("\n")) == (2, 1), words
