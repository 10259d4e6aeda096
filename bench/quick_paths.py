"""What quick paths gain over the careful ones beside them: python -m bench.quick_paths [--quick]

Each is run on what it is there for. The figures are microseconds of processor time for one piece of work, the best of
several rounds; the gain is the share of time that the quick path saves. Below a fifth it is not worth a twin.
"""

from __future__ import annotations

import argparse
import base64
import gc
import hashlib
import io
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from webkeep.crawl.links.extracted_links import ExtractionContext
from webkeep.crawl.links.link_extraction import extract_response_links
from webkeep.document import read_html_parts
from webkeep.extract import DocumentKind
from webkeep.extract.html.html_links import html_references, tag_references
from webkeep.extract.links import WHOLE_VALUE, Link, LinkBase, LinkReference, ReportedLinks
from webkeep.formats.http import http1
from webkeep.formats.warc.gzip_member import compress_member
from webkeep.formats.warc.record import WarcRecord
from webkeep.formats.warc.warc_reader import WarcReader
from webkeep.memento import parse_links
from webkeep.model import BytesBody, Digest, Exchange, Moment, RecordPlace
from webkeep.recover.repositories import memento_response, timemap_reader
from webkeep.rewrite import HtmlEdits, LinkPath, LinkRenaming, TagMemory, TagRecall, html_rewrite, rewrite_document
from webkeep.store.reading import stored_response
from webkeep.url import LinearPattern, resolve_url, surt
from webkeep.url.scope import RuleSubject, exclude_rule
from webkeep.url.scope.url_rules import RegexCondition
from webkeep.url.surt_key_rules import complete_surt

_URL = "https://www.example.org/news/2024/index.html"
_HEAD = (
    b"HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 16 Nov 2026 17:00:00 GMT\r\nContent-Type: text/html; charset=utf-8"
    b'\r\nContent-Length: 5\r\nConnection: keep-alive\r\nETag: "abc"\r\nCache-Control: max-age=3600\r\n\r\n'
)


class TwinPaths(NamedTuple):
    """The same work done twice, and how many pieces it has."""

    quick: Callable[[], object]
    careful: Callable[[], object]
    pieces: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 3 if parser.parse_args().quick else 9
    gc.disable()
    figures: dict[str, dict[str, float]] = {}
    for name, make in _PAIRS.items():
        pair = make()
        quick, careful = _best_times(pair, rounds)
        gain = 1 - quick / careful
        figures[name] = {"quick_us": round(quick, 2), "careful_us": round(careful, 2), "gain": round(gain, 3)}
        print(f"{name:22} {quick:9.2f} µs  {careful:9.2f} µs  gain {gain:.0%}")
    print(json.dumps({"least_gain": min(each["gain"] for each in figures.values()), "quick_paths": figures}))


def _best_times(pair: TwinPaths, rounds: int) -> tuple[float, float]:
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, work in enumerate((pair.quick, pair.careful)):
            started = time.process_time()
            work()
            best[place] = min(best[place], time.process_time() - started)
    return best[0] / pair.pieces * 1e6, best[1] / pair.pieces * 1e6


class _CarefulReader(WarcReader):
    def quick_records(self) -> Iterator[WarcRecord]:
        return iter(())


def _make_record(number: int, kind: str = "response") -> bytes:
    draw = random.Random(number)
    body = " ".join(draw.choice(("<p>", "</p>", "harbour", "<a href='/tide'>", "light")) for _ in range(400)).encode()
    block = _HEAD.replace(b"Content-Length: 5", b"Content-Length: %d" % len(body)) + body
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {_URL}?{number}\r\nWARC-Date: 2024-03-01T12:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return compress_member(head.encode() + block + b"\r\n\r\n")


def _warc_reading() -> TwinPaths:
    whole = b"".join(map(_make_record, range(2000)))

    def read(kind: type[WarcReader]) -> int:
        return sum(len(record.read()) for record in kind(io.BytesIO(whole), "bench"))

    return TwinPaths(lambda: read(WarcReader), lambda: read(_CarefulReader), 2000)


def _small_record() -> TwinPaths:
    data = _make_record(1)
    files = stored_response._RecordInMemory(data)
    place = RecordPlace("bench", 0, len(data))
    return TwinPaths(
        lambda: [stored_response.parse_small_record(data) for _ in range(500)],
        lambda: [stored_response.read_stored_response(files, place) for _ in range(500)],
        500,
    )


def _plain_head() -> TwinPaths:
    return TwinPaths(
        lambda: [http1._split_plain_head(_HEAD) for _ in range(5000)],
        lambda: [http1._split_any_head(_HEAD) for _ in range(5000)],
        5000,
    )


def _sha1_base32() -> TwinPaths:
    digests = [Digest("sha1", hashlib.sha1(bytes([number & 255])).digest()) for number in range(5000)]
    return TwinPaths(
        lambda: [digest.base32 for digest in digests],
        lambda: [base64.b32encode(digest.value).decode() for digest in digests],
        5000,
    )


def _moment() -> TwinPaths:
    text = "2026-11-16T17:00:00Z"
    return TwinPaths(
        lambda: [Moment.parse(text) for _ in range(5000)],
        lambda: [Moment._parse_general(text, text) for _ in range(5000)],
        5000,
    )


def _joined_links() -> TwinPaths:
    base = LinkBase(_URL)
    texts = [f"/news/{number}/tide.html" if number % 2 else f"page{number}.html?x=1" for number in range(5000)]
    return TwinPaths(
        lambda: [base.join(text) for text in texts], lambda: [resolve_url(_URL, text) for text in texts], 5000
    )


def _surt() -> TwinPaths:
    urls = [f"http://www.example{number % 7}.com/Dir/page{number}.html?b={number}&a=1" for number in range(2000)]
    return TwinPaths(
        lambda: [surt(url) for url in urls], lambda: ["".join(complete_surt(url)) for url in urls], len(urls)
    )


def _make_page() -> str:
    rows = "".join(
        f'<li class="card"><a href="/news/{number}.html" title="t">Tide {number}</a><img src="pic{number}.png" alt="a">'
        f"<p class='x'>The <em>light</em> of {number}</p></li>"
        for number in range(150)
    )
    return f"<!doctype html><title>News</title><link rel=stylesheet href=/s.css><ul>{rows}</ul>"


def _rewritten_elements() -> TwinPaths:
    names = vars(html_rewrite)
    plain = names["plain_element_edits"]
    page = _make_page().encode()
    renaming = LinkRenaming(lambda link: f"../../site/{link.url.partition('//')[2]}")

    def rewrite(way: Any) -> bytes:
        names["plain_element_edits"] = way
        try:
            return rewrite_document(page, _URL, renaming, kind=DocumentKind.HTML, charset="utf-8")
        finally:
            names["plain_element_edits"] = plain

    return TwinPaths(lambda: rewrite(plain), lambda: rewrite(lambda *_: None), 1)


def _recalled_tags() -> TwinPaths:
    page = _make_page().encode()
    memory = TagMemory()

    def rewrite(recall: TagRecall | None) -> bytes:
        def rename(link: Link) -> str:
            folder, _, leaf = link.url.partition("://")[2].rpartition("/")
            return LinkPath.to_goal((folder, leaf), ways[folder])

        renaming = LinkRenaming(rename, recall=recall)
        return rewrite_document(page, _URL, renaming, kind=DocumentKind.HTML, charset="utf-8", edits=HtmlEdits())

    ways = _Paths()
    folder = "www.example.org/news/2024"
    return TwinPaths(lambda: rewrite(TagRecall(memory, _URL, folder, ways)), lambda: rewrite(None), 1)


class _Paths(dict[str, str]):
    def __missing__(self, goal: str) -> str:
        return f"../{goal}/"


def _page_links() -> TwinPaths:
    """What is done with the parts of a page whose links were mostly met before; reading them is the same for both."""
    text = _make_page()
    parts = [(name, list(attributes), content, None) for name, attributes, content, _ in read_html_parts(text)]
    reported = ReportedLinks()
    list(html_references(text, reported=reported))
    for place, key in reported.fresh:
        reported.known.setdefault(place, set()).add(key)

    def read_quick() -> list[LinkReference]:
        reported.fresh.clear()
        return list(html_references(text, parts=lambda _: iter(parts), reported=reported))

    def read_each() -> Iterator[LinkReference]:
        reported.fresh.clear()
        has_base = False
        for name, attributes, content, _ in parts:
            has_base = has_base or name == "base"
            for found in tag_references(name, attributes, content):
                value = found.text
                if not has_base and found.start == WHOLE_VALUE and value[0] == "/" != value[1:2] and value.isascii():
                    key = hash(value)
                    if key in reported.known.get(found.source, ()):
                        continue
                    reported.fresh.append((found.source, key))
                yield found

    return TwinPaths(read_quick, lambda: list(read_each()), 1)


def _timemap_lines() -> TwinPaths:
    line = '<http://a.org/web/20240301120000/http://x.org/>; rel="memento"; datetime="Fri, 01 Mar 2024 12:00:00 GMT"'
    common = timemap_reader._COMMON_LINK
    return TwinPaths(
        lambda: [common.fullmatch(line) for _ in range(2000)],
        lambda: [list(parse_links(line)) for _ in range(2000)],
        2000,
    )


def _original_link() -> TwinPaths:
    field = (
        '<http://x.org/>; rel="original", <http://a.org/timemap/link/http://x.org/>; rel="timemap"; type="application/'
        'link-format", <http://a.org/web/http://x.org/>; rel="timegate"'
    )

    def careful() -> str:
        return next(link.target for link in parse_links(field) if "original" in link.relations)

    return TwinPaths(
        lambda: [memento_response._COMMON_ORIGINAL(field) for _ in range(2000)],
        lambda: [careful() for _ in range(2000)],
        2000,
    )


def _rule_expression() -> TwinPaths:
    subjects = [RuleSubject(f"https://example.com/calendar/2024/{number:05d}/page.html") for number in range(5000)]
    quick = exclude_rule("re:/calendar/[0-9]{4}/")
    careful = RegexCondition(LinearPattern("/calendar/[0-9]{4}/"))
    return TwinPaths(
        lambda: [quick.holds(each) for each in subjects], lambda: [careful.holds(each) for each in subjects], 5000
    )


class _UnknownBody:
    """A body of which nothing can be seen without reading it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        yield self._data[start:]


def _plain_image() -> TwinPaths:
    context = ExtractionContext("bench")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(20_000)
    head = _HEAD.replace(b"text/html; charset=utf-8", b"image/png")
    quick = Exchange(_URL, Moment(0), head, BytesBody(picture))
    careful = Exchange(_URL, Moment(0), head, _UnknownBody(picture))
    return TwinPaths(
        lambda: [extract_response_links(context, quick) for _ in range(500)],
        lambda: [extract_response_links(context, careful) for _ in range(500)],
        500,
    )


_PAIRS: dict[str, Callable[[], TwinPaths]] = {
    "warc_records": _warc_reading,
    "small_record": _small_record,
    "plain_head": _plain_head,
    "sha1_base32": _sha1_base32,
    "moment": _moment,
    "joined_link": _joined_links,
    "surt": _surt,
    "plain_elements": _rewritten_elements,
    "recalled_tags": _recalled_tags,
    "page_links": _page_links,
    "timemap_line": _timemap_lines,
    "original_link": _original_link,
    "rule_expression": _rule_expression,
    "plain_image": _plain_image,
}

if __name__ == "__main__":
    main()
