"""What people still have of a lost site on their disks, as repositories: mirrors, HAR, MHTML, caches of browsers."""

import base64
import gzip
import json
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from archive_quirks import Asked, Told, quirk, quirky
from repository_calls import asked

from webkeep.errors import UsageError
from webkeep.formats.http import parse_response
from webkeep.model import Finding
from webkeep.recover.repositories import FetchedVersion, Repository
from webkeep.recover.repositories.spooled_body import decode_content
from webkeep.url import UrlMatch

PAGES = {
    "": ("text/html", b'<html><link rel="stylesheet" href="style.css"><a href="more?x=1">more</a><p>home'),
    "more?x=1": ("text/html", b"<p>more"),
    "style.css": ("text/css", b"p { color: red }"),
}


@quirk("site")
def _site(asked: Asked) -> Told:
    kind, body = PAGES.get(asked.corner + ("?x=1" if asked.query else ""), ("", b""))
    headers = {"Content-Type": kind, "Cache-Control": "max-age=3600"}
    return Told(body, 200, headers) if body else Told(b"", 404)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with quirky() as server:
        yield f"{server.root}/site/"


def contents(folder: Path, text: str, url: str, told: list[Finding] | None = None) -> dict[str, tuple[str, bytes]]:
    """What a leftover has of a host: type and content by URL."""

    async def ask(repository: Repository) -> dict[str, tuple[str, bytes]]:
        found = {}
        async for batch in repository.list_site(url, UrlMatch.HOST):
            for held in batch.rows:
                answer = await repository.fetch_version(held)
                assert isinstance(answer, FetchedVersion), answer
                headers = parse_response(answer.exchange.response).headers
                data = b"".join(decode_content(headers, answer.exchange.body))
                found[held.url] = (headers.get("content-type"), data)
        return found

    spool = folder / "spool"
    spool.mkdir()
    return asked(spool, text, ask, told=told)


def test_a_mirror_that_wget_made(site: str, tmp_path: Path) -> None:
    call = ["wget", "--quiet", "--recursive", "--no-parent", "--directory-prefix", str(tmp_path / "mirror"), site]
    subprocess.run(call, check=False, timeout=60, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    found = contents(tmp_path, f"mirror={tmp_path}/mirror", site)
    assert {url.removeprefix(site): body for url, (_, body) in found.items()} == {
        name: body for name, (_, body) in PAGES.items()
    }


def test_a_mirror_that_httrack_made(site: str, tmp_path: Path) -> None:
    call = ["httrack", site, "-O", str(tmp_path / "mirror"), "-q", "-I0", "-s0", "-A1000000000", "-%c0"]
    subprocess.run(call, check=False, timeout=60, capture_output=True)
    found = contents(tmp_path, str(tmp_path / "mirror"), site)
    for name, (kind, body) in PAGES.items():
        assert found[site + name] == (kind, body)


def har_entry(url: str, text: str, **more: object) -> dict[str, object]:
    headers = [{"name": "content-type", "value": "text/html"}, {"name": "content-encoding", "value": "br"}]
    return {
        "startedDateTime": "2020-01-01T12:00:00.5Z",
        "request": {"method": "GET", "url": url},
        "response": {
            "status": 200,
            "statusText": "",
            "headers": [{"name": ":status", "value": "200"}, *headers],
            "content": {"size": len(text), "mimeType": "text/html", "text": text, **more},
        },
    }


def test_a_har_file_gives_what_it_has_the_content_of(tmp_path: Path) -> None:
    picture = base64.b64encode(bytes(range(256))).decode()
    entries = [
        har_entry("http://lost.example/#top", "<p>home"),
        har_entry("http://lost.example/picture", picture, encoding="base64"),
        {"startedDateTime": "no date", "request": {"url": "http://lost.example/bad"}, "response": {}},
        "nonsense",
    ]
    (tmp_path / "saved.har").write_text(json.dumps({"log": {"entries": entries}}))
    told: list[Finding] = []
    found = contents(tmp_path, f"{tmp_path}/saved.har", "http://lost.example/", told)
    assert found == {
        "http://lost.example/": ("text/html", b"<p>home"),
        "http://lost.example/picture": ("text/html", bytes(range(256))),
    }
    assert [finding.code for finding in told] == ["har-passed-over"] * 2


def test_an_mhtml_file_gives_its_parts(tmp_path: Path) -> None:
    picture = base64.b64encode(bytes(range(256)) * 3)
    message = (
        b"From: <Saved by Blink>\r\nSnapshot-Content-Location: http://lost.example/\r\n"
        b"Date: Wed, 1 Jan 2020 12:00:00 -0000\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="----b"\r\n\r\n'
        b"------b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n"
        b"Content-Location: http://lost.example/\r\n\r\n<p>caf=C3=A9 =\r\nhome\r\n"
        b"------b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
        b"Content-Location: http://lost.example/p.png\r\n\r\n" + picture + b"\r\n------b--\r\n"
    )
    (tmp_path / "saved.mhtml").write_bytes(message)
    found = contents(tmp_path, f"{tmp_path}/saved.mhtml", "http://lost.example/")
    assert found == {
        "http://lost.example/": ("text/html", "<p>café home".encode()),
        "http://lost.example/p.png": ("image/png", bytes(range(256)) * 3),
    }


def firefox_entry(url: str, body: bytes, head: str, compiled: bytes = b"") -> bytes:
    """An entry as Firefox writes it, by its sources' description of the format."""
    key = f"O^partitionKey=%28http%2Clost.example%29,:{url}".encode()
    elements = {"request-method": "GET", "response-head": head}
    if compiled:
        elements["alt-data"] = f"1;{len(body)},javascript/moz-bytecode"
    data = body + compiled
    metadata = struct.pack(">IIIIIIII", 3, 1, 1_577_880_000, 1_577_880_000, 0, 0, len(key), 0) + key + b"\0"
    metadata += b"".join(f"{name}\0{value}\0".encode() for name, value in elements.items())
    hashes = b"\0" * (4 + 2 * -(-len(data) // (256 * 1024)))
    return data + hashes + metadata + len(data).to_bytes(4, "big")


def test_the_cache_of_firefox(tmp_path: Path) -> None:
    entries = tmp_path / "cache2" / "entries"
    entries.mkdir(parents=True)
    packed = gzip.compress(b"<p>home", mtime=0)
    head = "HTTP/2 200 \r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\n"
    (entries / ("A" * 40)).write_bytes(firefox_entry("http://lost.example/", packed, head))
    script = firefox_entry(
        "http://lost.example/s.js", b"let a", "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n", b"\1\2"
    )
    (entries / ("B" * 40)).write_bytes(script)
    (entries / ("C" * 40)).write_bytes(b"torn")
    told: list[Finding] = []
    found = contents(tmp_path, f"cache={tmp_path}/cache2", "http://lost.example/", told)
    assert found == {
        "http://lost.example/": ("text/html", b"<p>home"),
        "http://lost.example/s.js": ("text/javascript", b"let a"),
    }
    assert [finding.code for finding in told] == ["cache-passed-over"]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("saved.har", b"{}", "no HAR file"),
        ("saved.har", b'{"log": {"entries": 7}}', "no HAR file"),
        ("saved.mhtml", b"nothing of the kind", "no MHTML file"),
        ("saved.warc.gz", b"nothing of the kind", "nothing that can be recovered from"),
        ("saved.wacz", b"PK\x03\x04 and then nothing", "no WACZ that can be read"),
        (
            "index.cdxj",
            b'lost)/ 20200101 {"url": "http://lost/", "filename": "away.warc.gz"}\n',
            "do not lie beside it",
        ),
        ("index.cdxj", b"", "holds no WARC"),
    ],
    ids=["har-empty", "har-no-list", "mhtml", "warc", "wacz", "cdxj-alone", "cdxj-empty"],
)
def test_what_is_no_leftover_is_refused_in_one_line(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError, match=says):
        contents(tmp_path, str(tmp_path / name), "http://lost.example/")


def test_a_folder_that_is_no_mirror_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(UsageError, match="is no mirror"):
        contents(tmp_path, f"{tmp_path}/photos", "http://lost.example/")
