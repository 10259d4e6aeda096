"""The readers that meet bytes from anywhere, each as a function that takes any input and drains what comes of it."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import brotli
import zstandard

from bench import fuzz_evidence, fuzz_log, fuzz_replay, fuzz_vault
from bench.mutation import Mutator
from webkeep.change.detection import (
    LearnedNoise,
    NoiseModel,
    PageFingerprint,
    TimedPair,
    compare_blocks,
    compare_fingerprints,
    fingerprint_page,
    learn_noise,
    learn_slow_noise,
    parse_noise_rules,
    seen_content_key,
)
from webkeep.crawl.links.change_hints import read_change_hints
from webkeep.document import read_page_blocks, read_page_content, read_text_blocks, read_text_content, sniff_text
from webkeep.extract import DocumentKind, extract_links
from webkeep.extract.documents import read_sitemap
from webkeep.formats import Flaws, Strictness
from webkeep.formats.cdx import append_query, post_query, read_cdx
from webkeep.formats.codings import decode_body
from webkeep.formats.http import (
    declared_charset,
    declared_media_type,
    parse_request,
    parse_response,
    split_request,
    split_response,
    take_response_head,
)
from webkeep.formats.wacz import read_wacz
from webkeep.formats.warc import GZIP_MAGIC, ArcReader, RecordReader, WarcReader, read_stored_from
from webkeep.formats.warc.gzip_member import store_chunks
from webkeep.formats.warc.zstd_frames import ZSTD_MAGIC
from webkeep.model import BytesBody, Digest, Exchange, Headers, Moment, parse_moment
from webkeep.redaction import RedactionRules, Redactor
from webkeep.redaction.redactor import RedactedExchange
from webkeep.redaction.values import KnownValues
from webkeep.rewrite import HtmlEdits, LinkRenaming, rewrite_document, rewrite_field
from webkeep.url import UrlMatch, key_range, parse_url, resolve_url, surt
from webkeep.url.canonical import FETCH_IDENTITY, REPOSITORY_KEY
from webkeep.url.canonical.recipes import CANONICAL, SEED_COMPAT

_DECODED_LIMIT = 1 << 20
_NOW = Moment.parse("2024-03-01T12:00:00Z")
_STRICTNESS = (Strictness.NOTE, Strictness.NOTE, Strictness.IGNORE, Strictness.FAIL)


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, what inputs are made of, and how they are put to it."""

    seeds: Sequence[bytes]
    words: Sequence[bytes]
    put: Callable[[Random, bytes], None]

    def mutator(self) -> Mutator:
        """What makes its inputs."""
        return Mutator(self.seeds, self.words)


def _warc_record(number: int, block: bytes, kind: str = "response") -> bytes:
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{number}>\r\nWARC-Date: 2024-03-01T12:00:00Z\r\n"
        f"WARC-Target-URI: http://example.org/{number}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


_PAGE = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: "x"\r\n\r\n<p>Hello</p>'
_WARC = [_warc_record(1, _PAGE), _warc_record(2, b"", "warcinfo"), _warc_record(3, _PAGE * 3, "resource")]
_ARC = [
    b"filedesc://a.arc 0.0.0.0 20240301120000 text/plain 9\n1 0 Test\n\n",
    b"http://example.org/ 127.0.0.1 20240301120000 text/html %d\n%s\n" % (len(_PAGE), _PAGE),
]
_DICTIONARY = zstandard.ZstdCompressionDict(b"".join(_WARC))


def _frame(data: bytes, dictionary: zstandard.ZstdCompressionDict | None = None) -> bytes:
    return zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True).compress(data)


def _wrapped(chance: Random, data: bytes) -> bytes:
    """Damage inside a sound wrapping gets further than damage to it."""
    kind = chance.random()
    if kind < 0.35:
        return gzip.compress(data, 1, mtime=0)
    if kind < 0.45:
        return _frame(data)
    return b"".join(store_chunks([data])) if kind < 0.5 else data


def _drain_records(chance: Random, reader: RecordReader) -> None:
    for record in reader:
        how = chance.random()
        if how < 0.5:
            for _ in record.chunks():
                continue
        elif how < 0.7:
            next(record.chunks(), None)
        _ = (record.type, record.url, record.id, record.moment, record.is_http)
        record.finish()


def _put_warc(chance: Random, data: bytes) -> None:
    data = _wrapped(chance, data)
    start = chance.choice((0, 0, 0, chance.randrange(len(data) + 2)))
    _drain_records(chance, WarcReader(io.BytesIO(data), "fuzz", Flaws(chance.choice(_STRICTNESS)), start))
    pieces = read_stored_from(io.BytesIO(data), 0, chance.randrange(100))
    if pieces is not None:
        for _ in pieces:
            continue


def _put_arc(chance: Random, data: bytes) -> None:
    data = gzip.compress(data, 1, mtime=0) if chance.random() < 0.4 else data
    start = chance.choice((0, 0, 0, chance.randrange(len(data) + 2)))
    _drain_records(chance, ArcReader(io.BytesIO(data), "fuzz", Flaws(chance.choice(_STRICTNESS)), start))


def _put_http1(chance: Random, data: bytes) -> None:
    head, at = split_response(data)
    _ = (declared_media_type(head.headers), declared_charset(head.headers), head.status, data[at:])
    split_request(data)
    parse_response(data)
    parse_request(data)
    cut = chance.randrange(len(data) + 1)
    raw, rest = take_response_head([data[:cut], data[cut:]])
    if raw + b"".join(rest) != data:
        raise AssertionError("a head taken off a stream changed the message")


_CODINGS = ("chunked", "gzip", "x-gzip", "deflate", "br", "zstd", "identity", "x-none")


def _put_codings(chance: Random, data: bytes) -> None:
    content, transfer = (", ".join(chance.choices(_CODINGS, k=chance.choice((0, 1, 1, 2, 3)))) for _ in range(2))
    headers = Headers((("Content-Encoding", content), ("Transfer-Encoding", transfer)))
    step = chance.choice((1, 7, 100, 1 << 20)) if len(data) < 2000 else 1 << 20
    chunks = (data[at : at + step] for at in range(0, len(data), step))
    size = sum(map(len, decode_body(headers, chunks, _DECODED_LIMIT, _tell_nobody)))
    if size > _DECODED_LIMIT:
        raise AssertionError("more was decoded than was asked for")


def _tell_nobody(_code: str, _message: str) -> None:
    """Flaws are not what is looked for."""


def _put_cdxj(chance: Random, data: bytes) -> None:
    cut = chance.randrange(len(data) + 1)
    for line in read_cdx([data[:cut], data[cut:]], "fuzz", Flaws(chance.choice(_STRICTNESS))):
        _ = (bytes(line), line.moment, line.status_code)


def _put_wacz(chance: Random, data: bytes) -> None:
    if not data.startswith(b"PK"):  # damage inside a sound ZIP gets further than damage to it
        data = _zipped({chance.choice(_WACZ_PATHS): data, chance.choice(_WACZ_PATHS): b"{}"})
    wacz = read_wacz(io.BytesIO(data), "fuzz", Flaws(chance.choice(_STRICTNESS)))
    _ = (wacz.version, wacz.title, wacz.created, wacz.main_page, wacz.signature)
    wacz.verify()
    for page in wacz.pages():
        page.to_line()
    for member in wacz.warcs:
        with wacz.open(member) as stream:
            _drain_records(chance, WarcReader(stream, "fuzz", Flaws()))


def _put_url(chance: Random, data: bytes) -> None:
    cut = chance.randrange(len(data) + 1)
    base, ref = data[:cut].decode("utf-8", "surrogateescape"), data[cut:].decode("utf-8", "replace")
    whole = base + ref
    resolve_url(base, ref, chance.choice(("utf-8", "latin-1", "shift_jis", "nonsense")))
    surt(whole)
    for form in (CANONICAL, FETCH_IDENTITY, SEED_COMPAT, REPOSITORY_KEY):
        form(whole)
    key_range(whole, chance.choice(list(UrlMatch)))
    parse_url(whole)


def _put_rewrite(chance: Random, data: bytes) -> None:
    kind, charset_name = (
        chance.choice(list(DocumentKind)),
        chance.choice(("", "utf-8", "utf-16le", "shift_jis", "windows-1252")),
    )
    unchanged = rewrite_document(
        data, "https://e.example/a/b", LinkRenaming(lambda _: None), kind=kind, charset=charset_name
    )
    if unchanged != data:
        raise AssertionError("a document without new names changed")
    edits = HtmlEdits("<i>", True, True, True, True, True, True)
    renaming = LinkRenaming(lambda link: f"n/{link.url}", chance.random() < 0.5)
    rewrite_document(data, "https://e.example/a/b", renaming, kind=kind, charset=charset_name, edits=edits)
    rewrite_field("Link", data.decode("latin-1"), "https://e.example/", renaming)


_MEDIA_TYPES = (
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=XX", "application/json", "text/plain", "",
    "multipart/form-data", 'multipart/form-data; boundary="', "application/octet-stream",
)  # fmt: skip


def _put_post_key(chance: Random, data: bytes) -> None:
    query = post_query(chance.choice(("POST", "PUT", "get")), chance.choice(_MEDIA_TYPES), data)
    surt(append_query("http://example.org/", query))


def _put_sitemap(chance: Random, data: bytes) -> None:
    """A sitemap as captures read it, plain or packed: for its entries, its links, and what it says of pages."""
    data = gzip.compress(data, 1, mtime=0) if chance.random() < 0.2 else data
    named = chance.choice(("", "utf-8", "utf-16", "latin-1", "x-no-such"))
    for entry in read_sitemap(data, named):
        _ = (
            entry.url,
            entry.lastmod,
            entry.changefreq,
            entry.priority,
            entry.is_sitemap,
            entry.media,
            entry.alternates,
        )
    kind = chance.choice(("application/xml", "text/plain", "application/gzip", ""))
    headers = Headers((("Content-Type", kind),) if kind else ())
    for link in extract_links("http://example.org/sitemap.xml", headers, data):
        _ = (link.url, link.role, link.source)
    read_change_hints(
        "http://example.org/sitemap.xml",
        data,
        named,
        chance.choice((DocumentKind.XML, DocumentKind.PACKED, DocumentKind.TEXT)),
    )


def _put_moment(chance: Random, data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    digest = Digest.parse(text)
    _ = (str(digest), digest and digest.base32)
    moment = parse_moment(text, _NOW) if chance.random() < 0.5 else Moment.parse(text)
    if Moment.parse(moment.iso()) != moment:
        raise AssertionError("a moment is not read as it is written")
    moment.digits()


_PAGES = b'{"format": "json-pages-1.0", "id": "p"}\n{"id": "1", "url": "http://a/", "ts": "2024-03-01T12:00:00Z"}\n'
_WACZ_FILES = {"archive/a.warc.gz": gzip.compress(_WARC[0], mtime=0), "pages/pages.jsonl": _PAGES}
_WACZ_PATHS = (*_WACZ_FILES, "datapackage.json", "datapackage-digest.json")
_MANIFEST = json.dumps(
    {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "created": "2024-03-01T12:00:00Z",
        "mainPageUrl": "http://a/",
        "resources": [
            {"path": path, "bytes": len(data), "hash": str(Digest.from_chunks("sha256", [data]))}
            for path, data in _WACZ_FILES.items()
        ],
    }
).encode()


def _zipped(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as zipped:
        for path, data in files.items():
            zipped.writestr(path, data)
    return target.getvalue()


_HTTP_WORDS = [
    b"\r\n", b"\n", b"\r\n\r\n", b"HTTP/1.1", b"HTTP/1.0 404", b"ICY 200", b"Content-Type: ", b"charset=", b": ",
    b"\n ", b"Transfer-Encoding: chunked\r\n", b"GET / HTTP/1.1", b"Content-Length: ",
]  # fmt: skip
_WARC_WORDS = [
    b"WARC/1.0\r\n", b"WARC/1.1", b"WARC/0.18", b"Content-Length: ", b"WARC-Type: ", b"\r\n\r\n", b"\n\n", b"\r\n ",
    b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18", b"\x50\x2a\x4d\x18\x04\0\0\0", _WARC[1],
]  # fmt: skip

_REDACTORS = (
    Redactor(),
    Redactor(
        RedactionRules(added=("response:token", "field:a*", "frame:token"), kept=("field:sig",)),
        KnownValues(["seen-7"]),
    ),
)
_SENT = (
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=XX", "text/xml", "",
    "text/plain", "application/json; charset=utf-16", "application/octet-stream", "application/graphql",
    "text/plain; charset=utf-7",
)  # fmt: skip


def _put_redaction(chance: Random, data: bytes) -> None:
    """Any bytes as head, target, body and message, and what came of them once more."""
    redactor = chance.choice(_REDACTORS)
    at, to = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    coding = chance.choice((b"", b"", b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n"))
    kind = chance.choice(_SENT).encode()
    head = b"POST /%b HTTP/1.1\r\nContent-Type: %b\r\n%bX-Fuzz: %b\r\n\r\n" % (data[:at], kind, coding, data[at:to])
    response = b"HTTP/1.1 200 OK\r\n%b\r\n\r\n" % data[:at]
    body = gzip.compress(data[to:], 1, mtime=0) if b"gzip" in coding and chance.random() < 0.7 else data[to:]
    url = "http://example.org/" + data[:at].decode("latin-1")
    once = _redacted(redactor, Exchange(url, _NOW, response, BytesBody(data), head, BytesBody(body), via=url))
    twice = _redacted(redactor, once.exchange)
    if _parts(twice.exchange) != _parts(once.exchange):
        raise AssertionError("a second redaction left out what the first did not")
    redactor.redact_message(data, chance.random() < 0.5, chance.random() < 0.5)
    redactor.redact_text(data.decode("latin-1"))


def _parts(exchange: Exchange) -> tuple[object, ...]:
    bodies = (b"".join(body.chunks()) for body in (exchange.body, exchange.request_body))
    return exchange.url, exchange.via, exchange.request, exchange.response, *bodies


def _redacted(redactor: Redactor, exchange: Exchange) -> RedactedExchange:
    redacted = redactor.redact(exchange)
    _ = (redacted.finding, b"".join(redacted.exchange.body.chunks()))
    return redacted


def _put_changes(chance: Random, data: bytes) -> None:
    """Two versions of a page, one of them damaged further: fingerprints, blocks, noise that is learned, verdicts."""
    at = chance.randrange(len(data) + 1)
    charset = chance.choice(("", "utf-8", "shift_jis", "utf-16le", "no-such-charset"))
    texts = [sniff_text(each, charset).text for each in (data, data[:at] + data[at + 1 :])]
    contents = [(read_page_content if chance.random() < 0.8 else read_text_content)(each) for each in texts]
    prints = [fingerprint_page(each) for each in contents if each is not None]
    for one, other in pairwise(prints):
        compare_fingerprints(PageFingerprint.unpack(one.pack()), other)
        seen_content_key(one.pack())
    blocks = [read_page_blocks(each) or read_text_blocks(each) or [] for each in texts]
    learned = learn_noise([(blocks[0], blocks[1])] * 2)
    slow = LearnedNoise(
        learn_slow_noise([TimedPair(each, chance.random() * 7200, blocks[0], blocks[1]) for each in (1, 1, 1, 2, 2, 2)])
    )
    for noise in (NoiseModel(), NoiseModel(learned=learned), NoiseModel(slow=slow)):
        compare_blocks(blocks[0], blocks[1], noise).describe()
    if chance.random() < 0.2:
        parse_noise_rules(texts[0])


TARGETS: dict[str, Target] = {
    "log": Target(fuzz_log.LOG_SEEDS, fuzz_log.LOG_WORDS, fuzz_log.put_log),
    "changes": Target(
        [
            b"<title>T</title><main id=m><h1 class='a b'>H</h1><p>Words at 12:00:01 on Monday 3 May 2024</p></main>"
            b"<footer><p>Visitors: <b>1,001</b></p><a href='/x;jsessionid=1?sid=2&cb=3#f'>x</a><img src=i.png?v=1>",
            "<p>的一是在不了有和人这中大为上个国我以要他".encode(),
            "<p>Käse".encode("latin-1"),
            b"<template shadowrootmode=open><p>s</template><script nonce=a>x</script><input type=hidden name=a value=b",
            b"[[ignore]]\nelement = 'div.x'\nkind = 'date'\ntext = '^a.*b$'\n",
            b"{\"a\": [1, 2, \"three\"]}",
        ],
        [b"<", b">", b"<p>", b"</main>", b"<main>", b"<script>", b"&#xd800;", b"\0", b"\xff\xfe", b"12:00", b"...",
         b"<svg>", b"class=", b"<div>" * 40, b"visitors", b"generated at 1",
         b"3 days 04:22:17", b"5 min ", b" ago", b"[[ignore]]", b"<template>", b"\n" * 20],
        _put_changes,
    ),
    "warc": Target(
        [
            *_WARC,
            b"".join(_WARC),
            b"".join(gzip.compress(each, mtime=0) for each in _WARC),
            b"".join(map(_frame, _WARC)),
            b"\x5d\x2a\x4d\x18"
            + len(_DICTIONARY.as_bytes()).to_bytes(4, "little")
            + _DICTIONARY.as_bytes()
            + b"".join(_frame(each, _DICTIONARY) for each in _WARC),
            gzip.compress(b"".join(_WARC), mtime=0),
            b"".join(store_chunks([_warc_record(1, gzip.compress(_WARC[0]))])),
        ],
        _WARC_WORDS,
        _put_warc,
    ),
    "arc": Target(
        [b"".join(_ARC), b"".join(gzip.compress(each, mtime=0) for each in _ARC)],
        [b" ", b"\n", b"http://a/ ", b" 20240301120000 ", b"1.2.3.4", b"text/html ", b"filedesc:", GZIP_MAGIC, _ARC[1]],
        _put_arc,
    ),
    "http1": Target(
        [
            _PAGE,
            b"GET /a?b HTTP/1.1\r\nHost: example.org\r\nCookie: a=b\r\n\r\n",
            b"HTTP/1.0 301 Moved\nLocation: /x\nFolded: a\n b\n\nbody",
            b"HTTP/2 200\r\ncontent-type: t\xe9xt/html\r\n\r\n",
            b"<html>no head",
        ],
        _HTTP_WORDS,
        _put_http1,
    ),
    "codings": Target(
        [
            b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: a\r\n\r\n",
            gzip.compress(_PAGE * 5, mtime=0),
            gzip.compress(_PAGE, mtime=0)[10:-8],
            b"\x78\x9c" + gzip.compress(_PAGE, mtime=0)[10:-8] + b"\0\0\0\0",
            brotli.compress(_PAGE * 5),
            _frame(_PAGE * 5),
            b"%x\r\n%s\r\n0\r\n\r\n" % (len(gzip.compress(_PAGE, mtime=0)), gzip.compress(_PAGE, mtime=0)),
            gzip.compress(bytes(200_000), mtime=0),
            brotli.compress(bytes(200_000)),
        ],
        [b"\r\n", b"0\r\n\r\n", b"ffffffffffffffff\r\n", GZIP_MAGIC, ZSTD_MAGIC, b"\x78\x9c", b";", b"5\r\n"],
        _put_codings,
    ),
    "cdxj": Target(
        [
            b'org,example)/ 20240301120000 {"url": "http://example.org/", "mime": "text/html", "status": "200", '
            b'"digest": "sha1:ABC", "length": "100", "offset": "0", "filename": "a.warc.gz"}\n',
            b" CDX N b a m s k r M S V g\norg,example)/ 20240301120000 http://example.org/ a/b 200 ABC - - 1 2 f\n",
            b"org,example)/ 20240301120000 http://example.org/ text/html 200 ABC 123 file.warc.gz\n",
            b'!meta {"format": "cdxj-gzip-1.0"}\n',
        ],
        [b"{", b"}", b'"', b"\n", b" ", b'"offset": ', b"[" * 50, b"\\ud800", b" CDX ", b"null", b"20240301120000"],
        _put_cdxj,
    ),
    "wacz": Target(
        [
            _zipped(_WACZ_FILES | {"datapackage.json": _MANIFEST}),
            _zipped(_WACZ_FILES | {"datapackage.json": _MANIFEST}, zipfile.ZIP_DEFLATED),
            _MANIFEST,
            _PAGES,
        ],
        [b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\6", b"../", b"archive/", b"datapackage.json", b"\xff" * 4, b"{}"],
        _put_wacz,
    ),
    "urls": Target(
        [
            b"http://user:pw@www.Example.org:8080/a/../b%20c;jsessionid=0123456789abcdef0123456789abcdef?b=2&a=1#frag",
            "http://bücher.example/ü?ä".encode(),
            b"http://0x7f.1/%2541/",
            b"//[::1]/x",
            b"../../a?b",
            b"dns:example.org",
            b"data:text/html,x",
        ],
        [b"%", b"%25", b"/", b"..", b"//", b"?", b"#", b"@", b":", b"[", b"]", b"\\", b"http://", b"xn--", b"&"],
        _put_url,
    ),
    "rewrite": Target(
        [
            b'<!doctype html><base href=/x/><a href="y?a&amp;b">z</a><img srcset="a 1x, b 2x">',
            b"<style>p{b:url(c)}</style>",
            b"<script>location.href='/a/b.html';import('./x.js');w.postMessage(`${location}`,'*')</script>",
            b'<iframe srcdoc="<img src=\'i.png\'>"></iframe><!--[if IE]><link href=i.css><![endif]-->',
            b'{"imports": {"a": "./a.js"}, "start_url": "/a", "icons": [{"src": "i.png"}]}',
            b"<?xml version='1.0'?><rss><link>/a</link><description><![CDATA[<a href=b>]]></description></rss>",
            b'#EXTM3U\n#EXT-X-KEY:URI="k"\na.ts\n',
        ],
        [b"<", b">", b'"', b"'", b"=", b"\r\n", b"\0", b"<!--", b"-->", b"url(", b"`${", b"}", b"location", b"]]>"],
        _put_rewrite,
    ),
    "sitemap": Target(
        [
            b"<?xml version='1.0' encoding='UTF-8'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>"
            b"<loc>http://example.org/a?b&amp;c</loc><lastmod>2024-03-01T12:00:00+01:00</lastmod>"
            b"<changefreq>daily</changefreq><priority>0.8</priority></url></urlset>",
            b"<sitemapindex><sitemap><loc>http://example.org/1.xml.gz</loc><lastmod>2024</lastmod></sitemap></sitemapindex>",
            b"<urlset><url><loc>/x</loc><image:image><image:loc>i.png</image:loc></image:image><video:video>"
            b"<video:content_loc>v.mp4</video:content_loc><video:player_loc>p</video:player_loc></video:video>"
            b"<xhtml:link rel='alternate' hreflang='de' href='/de'/></url></urlset>",
            b"http://example.org/a\nhttps://example.org/b\r\nftp://example.org/c\n",
            "<urlset><url><loc>http://bücher.example/ü</loc></url></urlset>".encode("utf-16"),
            b"<rss><item><link>/a</link><pubDate>Fri, 01 Mar 2024 12:00:00 GMT</pubDate></item></rss>",
        ],
        [b"<url>", b"</url>", b"<loc>", b"</loc>", b"<sitemap>", b"<urlset", b"<sitemapindex>", b"<![CDATA[", b"]]>",
         b"&", b"&#xd800;", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<?xml ", b"<!--", b"-->", b"\xff\xfe", b"http://",
         b"\n", b"<lastmod>9999-99</lastmod>", b"<x:loc>", b"<url>" * 60, GZIP_MAGIC, b"\0"],
        _put_sitemap,
    ),
    "post_key": Target(
        [
            b"a=b&c=d%20e",
            b'{"a": 1, "b": [true, null, {"c": "d"}], "a.2_": 3}',
            b'--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
            b'--XX\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n'
            b"Content-Type: text/plain; charset=utf-8\r\n\r\nfile\r\n--XX--\r\n",
        ],
        [b"--XX", b"\r\n", b"{", b"[" * 90, b'"', b"&", b"=", b"%", b"charset=", b"name=", b"\\u0000", b"1e9", b"\n{}"],
        _put_post_key,
    ),
    "redaction": Target(
        [
            b"user=me&pass%77ord=x&next=%2Fa%3Ftoken%3Dy&a[token]=z;jsessionid=1?code=2&state=3",
            b'{"user": "me", "pass\\u0077ord": ["x", {"k": 1}], "name": "token", "value": "a=b&pin=1"}',
            b'{"q": "{\\"pin\\":1}", "u": "/x?token=1"}',
            b'--XX\r\nContent-Disposition: form-data; name="password"\r\n\r\n1\r\n--XX\n'
            b'Content-Disposition: form-data; name="f"; filename="x"\n\nfile\n--XX--\n',
            b"<a><Password>x</Password><key>token</key><string>y</string><i name='pin' value='z'/><![CDATA[q]]></a>",
            b"x\r\nCookie: a=b\r\n folded\r\nReferer: http://me:pw@a.test/?token=x#access_token=y\r\nLink: </?sig=1>",
            b'{ login(password: "x", token: $t) { id } }',
            "{'контакт': 'пароль=1', password: 'ü'}".encode(),
            b'42["login",{"password":"x"}]\x1e40{"token":"y"}',
            b"while(1);[[\"password\",\"x\"],{\"name\":\"pin\",\"value\":[{\"a\":\"y\"}]}]",
            b'mutation($p: String = "x") { login(password: """y""", a: [{token: "z"}]) { pin: id } }',
            b"user: me\npassword: |\n  x\n- token: y\nAuthorization: Bearer abc123def456\nAPI_KEY = z\n",
            b"<u var='token'><!-- <pin>x</pin> --><![CDATA[{\"pin\":\"y\"}]]>/x?a=b&amp;token=z</u><a pin=w />",
            b"--XX\r\nContent-Type: application/http\r\n\r\nGET /?token=x HTTP/1.1\r\nCookie: y\r\n\r\npin=z\r\n--XX--",
        ],
        [
            b"password=", b"token", b"%25", b"%u0077", b"&amp;", b"=", b"{", b"[" * 90, b'"', b"'", b"--XX",
            b"\r\n\r\n", b"<", b"//", b"@", b"eyJhbGciOi.eyJzdWIiOi.x", b"\\u0070", b"\xff\xfe", b"\0", b"a=" * 40,
            b"/*", b"seen-7", b"redacted", b";", b"code=", b"%73een%252d7", b"c2Vlbi03", b"\\u0073een-7", b": ", b"\n",
            b"Bearer abc123def456", b"<![CDATA[", b"<!--", b'"""', b"(", b")]}'", b"42[", b"[redacted]",
        ],
        _put_redaction,
    ),
    "moments": Target(
        [
            b"2024-03-01T12:00:00Z",
            b"20240301120000",
            b"2024-03-01T12:00:00.123456+05:30",
            b"3 days ago",
            b"yesterday",
            b"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            b"sha256:" + b"0f" * 32,
            b"md5:" + b"AB" * 16,
        ],
        [b"-", b":", b"T", b"Z", b"+23:59", b"-99:99", b" ", b"9999", b"0001", b"sha1:", b"=", "٣".encode(), b" ago"],
        _put_moment,
    ),
    "package_layout": Target(
        fuzz_evidence.package_seeds(), [b"PK\1\2", b"PK\3\4", b"PK\5\6"], fuzz_evidence.put_layout
    ),
    "package_signature": Target(
        fuzz_evidence.signature_seeds(), [b'"publicKey"', b"-----BEGIN", b"=="], fuzz_evidence.put_signature
    ),
    "package_stamp": Target(
        fuzz_evidence.stamp_seeds(), [b"\x30\x82", b"\xa0\x82", b"\x06\x09"], fuzz_evidence.put_stamp
    ),
    "vault_blocks": Target(fuzz_vault.BLOCK_SEEDS, fuzz_vault.BLOCK_WORDS, fuzz_vault.put_page),
    "vault_container": Target(fuzz_vault.CONTAINER_SEEDS, fuzz_vault.CONTAINER_WORDS, fuzz_vault.put_container),
    "vault_sealed": Target(fuzz_vault.SEALED_SEEDS, fuzz_vault.SEALED_WORDS, fuzz_vault.put_sealed),
    "replay_router": Target(fuzz_replay.SEEDS, fuzz_replay.WORDS, fuzz_replay.put_request),
}  # fmt: skip
