"""An archive's answer for a memento, made into what the lost server once sent."""

import gzip
from pathlib import Path

import pytest

from webkeep.formats.http import parse_response
from webkeep.model import BytesBody, Digest, Exchange, Moment
from webkeep.recover.repositories import FetchedVersion, KeptForm, ListedVersion, RepositoryTraits, VersionFidelity
from webkeep.recover.repositories.memento_response import unwrap_memento
from webkeep.recover.repositories.repository_transport import RepositoryResponse

URL = "http://lost.example/"
MOMENT = Moment.parse("20200101120000")
PAGE = b"<p>home"
PACKED = gzip.compress(PAGE, mtime=0)
DATE = "Memento-Datetime: Wed, 01 Jan 2020 12:00:00 GMT"
PREFIXED = "X-Archive-Orig-Content-Type: text/html"


def found(
    folder: Path,
    body: bytes,
    *fields: str,
    digest: bytes | None = None,
    traits: RepositoryTraits | None = None,
    raw: bool = True,
) -> FetchedVersion:
    head = "\r\n".join(["HTTP/1.1 200 OK", DATE, *fields, "", ""]).encode()
    uri = f"http://archive.example/web/20200101120000id_/{URL}"
    exchange = Exchange(uri, Moment.parse("2026"), head, BytesBody(body))
    reply = RepositoryResponse(uri, exchange, parse_response(head), 1, Moment.parse("2026"))
    known = Digest.from_chunks("sha1", [digest]) if digest is not None else None
    held = ListedVersion("archive", URL, MOMENT, uri, digest=known)
    return unwrap_memento(reply, held, traits or RepositoryTraits("archive"), folder, raw)


def content_of(answer: FetchedVersion) -> tuple[bytes, str]:
    headers = parse_response(answer.exchange.response).headers
    return b"".join(answer.exchange.body.chunks()), headers.get("content-encoding")


def codes(answer: FetchedVersion) -> list[str]:
    return [finding.code for finding in answer.findings]


@pytest.mark.parametrize(
    ("body", "fields", "digest", "kept"),
    [
        (PAGE, ["Content-Type: text/html"], PAGE, (PAGE, "")),
        (PACKED, [PREFIXED, "Content-Encoding: gzip"], PAGE, (PAGE, "")),
        (
            PACKED,
            [PREFIXED, "Content-Encoding: gzip", "X-Archive-Orig-Content-Encoding: gzip"],
            PACKED,
            (PACKED, "gzip"),
        ),
        (PACKED, ["Content-Type: text/html", "Content-Encoding: gzip"], PACKED, (PACKED, "gzip")),
        (PACKED, ["Content-Type: text/html", "Content-Encoding: gzip"], PAGE, (PAGE, "")),
        (PACKED, ["Content-Type: text/html", "Content-Encoding: gzip"], None, (PACKED, "gzip")),
        (PAGE, ["Content-Type: text/html", "X-Archive-Orig-Content-Encoding: gzip"], PACKED, (PAGE, "")),
        (b"7\r\n<p>home\r\n0\r\n\r\n", ["Content-Type: text/html", "Transfer-Encoding: chunked"], PAGE, (PAGE, "")),
    ],
    ids=[
        "plain",
        "packed-for-us",
        "recorded-packed",
        "packed-by-digest",
        "for-us-by-digest",
        "unknown",
        "unpacked",
        "chunks",
    ],
)
def test_bodies_are_as_they_were_recorded(
    tmp_path: Path, body: bytes, fields: list[str], digest: bytes | None, kept: tuple[bytes, str]
) -> None:
    answer = found(tmp_path, body, *fields, digest=digest)
    assert content_of(answer) == kept
    assert codes(answer) == []
    assert not answer.is_truncated
    assert f"Content-Length: {len(kept[0])}\r\n".encode() in answer.exchange.response
    assert b"Transfer-Encoding" not in answer.exchange.response


def test_url_and_moment_are_those_of_the_lost_server(tmp_path: Path) -> None:
    answer = found(tmp_path, PAGE, "Content-Type: text/html", f'Link: <{URL}>; rel="original"')
    assert (answer.exchange.url, answer.exchange.moment) == (URL, MOMENT)
    assert answer.fidelity is VersionFidelity.RAW
    assert answer.retrieved == Moment.parse("2026")


def test_a_version_of_another_url_is_told(tmp_path: Path) -> None:
    answer = found(tmp_path, PAGE, "Content-Type: text/html", 'Link: <http://lost.example/new>; rel="original"')
    assert answer.exchange.url == "http://lost.example/new"
    assert codes(answer) == ["other-url"]
    same = found(tmp_path, PAGE, "Content-Type: text/html", 'Link: <https://www.lost.example>; rel="original"')
    assert codes(same) == []


def test_bytes_that_contradict_their_digest_are_told(tmp_path: Path) -> None:
    assert codes(found(tmp_path, PAGE, "Content-Type: text/html", digest=b"other")) == ["digest-contradicted"]


def test_a_body_as_long_as_the_cap_is_probably_cut_off(tmp_path: Path) -> None:
    answer = found(
        tmp_path, PAGE, "Content-Type: text/html", digest=b"other", traits=RepositoryTraits("a", size_cap=len(PAGE))
    )
    assert answer.is_truncated
    assert answer.exchange.truncated == "length"
    assert codes(answer) == ["size-cap"], "that it is not what the digest was made of goes without saying"


def test_what_is_kept_as_something_else_is_said_so(tmp_path: Path) -> None:
    traits = RepositoryTraits("a", kept_forms={"text/html": KeptForm.CONVERTED})
    assert found(tmp_path, PAGE, "Content-Type: text/html", traits=traits).fidelity is VersionFidelity.CONVERTED


def test_only_text_is_turned_back(tmp_path: Path) -> None:
    link = b'"/web/20200101120000im_/http://lost.example/p.png"'
    page = found(tmp_path, link, "Content-Type: text/html", raw=False)
    assert content_of(page)[0] == b'"http://lost.example/p.png"'
    assert page.fidelity is VersionFidelity.REBUILT
    picture = found(tmp_path, link, "Content-Type: image/png", raw=False)
    assert content_of(picture)[0] == link
    assert picture.fidelity is VersionFidelity.RAW
