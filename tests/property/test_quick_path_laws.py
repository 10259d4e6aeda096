"""Laws of quick paths: where one of them answers, the careful one beside it answers the same.

`bench.quick_paths` measures what they gain. Others have their laws beside the laws of what they do: records in
`test_record_laws`, heads in `test_head_laws`, keys in `test_url_laws`, joined links in `test_extract_laws`, recalled
tags in `tests/unit/rewrite/test_rewrite_recall.py`, expressions of rules in `tests/unit/url/test_scope.py`.
"""

import base64
from collections.abc import Iterator
from itertools import chain, count

from hypothesis import example, given, settings, strategies as st
from test_rewrite_laws import PAGES

from webkeep.crawl.links.extracted_links import ExtractionContext
from webkeep.crawl.links.link_extraction import extract_response_links
from webkeep.document import read_html_parts, read_tree_parts
from webkeep.errors import StorageError, UsageError
from webkeep.extract.html.html_links import html_references, tag_references
from webkeep.extract.links import LinkBase
from webkeep.formats.warc.gzip_member import compress_member
from webkeep.formats.warc.quick_reader import is_plain_date
from webkeep.memento import parse_links
from webkeep.model import BytesBody, Digest, Exchange, Headers, Moment, RecordPlace
from webkeep.recover.repositories.memento_response import _original_link
from webkeep.recover.repositories.timemap_reader import TimeMapReader
from webkeep.rewrite import HtmlEdits, LinkRenaming
from webkeep.rewrite.html_rewrite import HtmlRewrite
from webkeep.rewrite.link_renaming import ReferenceRenamer
from webkeep.rewrite.plain_elements import plain_element_edits
from webkeep.rewrite.source_tags import TreePlaces
from webkeep.store.reading.stored_response import _RecordInMemory, parse_small_record, read_stored_response

URL = "https://e.example/a/b.html"
LIFTS = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True, lift_crossorigin=True, lift_base=True)


@given(st.binary(min_size=20, max_size=20))
def test_digests_are_spelled_as_the_library_spells_them(value: bytes) -> None:
    assert Digest("sha1", value).base32 == base64.b32encode(value).decode()


MOMENTS = st.one_of(
    st.datetimes().map(lambda when: f"{when.isoformat()}Z"),
    st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9](:[0-6][0-9]){0,2}(\.[0-9]{1,9})?Z", fullmatch=True),
    st.text("0123456789-:TZ.+ ", max_size=22).map(lambda text: f"{text}Z"),
)


def _moment(read: object, *texts: str) -> object:
    try:
        return read(*texts)  # type: ignore[operator]
    except UsageError:
        return None


@settings(max_examples=500)
@given(MOMENTS)
def test_moments_of_the_common_form_are_those_that_the_general_way_reads(text: str) -> None:
    general = _moment(Moment._parse_general, text.strip(), text)
    # The library reads more spellings of ISO 8601 than the general way; whatever both read is the same.
    assert general is None or _moment(Moment.parse, text) == general


@given(MOMENTS)
@example("0000-01-01T00:00:00Z")
def test_a_plain_date_is_a_date(text: str) -> None:
    assert not is_plain_date(text) or Moment.parse(text).iso()[:19] == text[:19]


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
CHANGES = st.sampled_from([b"", b"\n", b"\r\n", b"\r", b"9", b" ", b":", b": ", b"<", b"\xff", b"HTTP/1.1 "])


@settings(max_examples=400)
@given(st.binary(max_size=40), st.data())
def test_a_small_record_is_what_a_careful_look_sees(body: bytes, data: st.DataObject) -> None:
    block = HEAD + body
    whole = bytearray(
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://e.example/\r\nWARC-Date: 2024-03-01T12:00:00Z\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
        % (len(block), block)
    )
    at = data.draw(st.integers(0, len(whole)))
    whole[at : at + data.draw(st.integers(0, 3))] = data.draw(CHANGES)
    packed = compress_member(bytes(whole))
    quick = parse_small_record(packed)
    if quick is None:
        return
    try:
        careful, _ = read_stored_response(_RecordInMemory(packed), RecordPlace("r", 0, len(packed)))
    except StorageError as error:
        raise AssertionError(f"read quickly, and not with care: {error}") from error
    assert (quick.url, quick.head, quick.raw_head) == (careful.url, careful.head, careful.raw_head)
    assert b"".join(quick.body.chunks()) == b"".join(careful.body.chunks())


@settings(max_examples=300)
@given(PAGES, st.booleans(), st.sampled_from([HtmlEdits(), LIFTS]))
def test_an_element_changes_as_the_whole_page_would_change_it(text: str, hosts_only: bool, edits: HtmlEdits) -> None:
    renaming = LinkRenaming(lambda link: f"/new/{link.url.partition('//')[2]}", named_hosts_only=hosts_only)
    joiner = ReferenceRenamer(renaming, LinkBase(URL))
    page = HtmlRewrite(text, joiner, renaming, edits)
    for name, attributes, content, element in read_tree_parts(text, source_locations=True):
        if element is None or content:
            continue
        careful = list(page.element_edits(name, attributes, "", TreePlaces(element, len(text))))
        plain = plain_element_edits(text, name, attributes, element, joiner)
        assert plain is None or sorted(plain) == sorted(careful)
        assert not page._is_unchanged(name, attributes, "") or not careful


@settings(max_examples=300)
@given(PAGES)
def test_the_links_of_a_page_are_those_of_its_elements(text: str) -> None:
    parts = [part for part in read_html_parts(text) if part[0][:1] != "#" and part[0] != "form"]
    each = chain.from_iterable(tag_references(name, attributes, content) for name, attributes, content, _ in parts)
    assert sorted(html_references("", parts=lambda _: iter(parts)), key=str) == sorted(each, key=str)


class UnknownBody:
    """A body of which nothing can be seen without reading it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        if start < self.size:
            yield self._data[start:]


JOBS = count()
PICTURE_STARTS = st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"wOF2", b"<p>", b""])
FIELDS = st.lists(
    st.sampled_from(
        ["Content-Type: image/png", "Content-Type: text/html", "Link: </a>; rel=next", "Location: /b", "Server: x",
         "X-Robots-Tag: nofollow", "Content-Encoding: gzip", "Content-Location: /c", "SourceMap: /d",
         "Refresh: 1;url=/e"]
    ), max_size=3,
)  # fmt: skip


@settings(max_examples=300)
@given(PICTURE_STARTS, FIELDS)
def test_a_plain_picture_has_no_links(start: bytes, fields: list[str]) -> None:
    head = "\r\n".join(["HTTP/1.1 200 OK", *fields, "", ""]).encode()
    data = start + b"\0\0\0\x0d<a href=/f>"  # as pictures and fonts have it, and no text does
    quick, careful = (  # in jobs of their own, as a job is told of a link once
        extract_response_links(ExtractionContext(f"job {next(JOBS)}"), Exchange(URL, Moment(0), head, body))
        for body in (BytesBody(data), UnknownBody(data))
    )
    assert list(quick.links) == list(careful.links)
    assert (quick.robots_directives, quick.error) == (careful.robots_directives, careful.error)


MEMENTO = st.from_regex(
    r'<http://[^<>"\s]{1,20}> ?; ?rel="(first |last |first last |x )?memento"; '
    r'datetime="Fri, 01 Mar 2024 1[0-9]:00:00 GMT" ?',
    fullmatch=True,
)


@given(MEMENTO)
def test_a_memento_in_a_timemap_is_the_link_it_is(line: str) -> None:
    (link,) = parse_links(line)
    reader = TimeMapReader("timemap")
    (entry,) = reader.read_mementos([line.encode("utf-8", "surrogateescape")])
    assert entry.uri == link.target


@given(st.from_regex(r'<[^<>"]{1,20}>; rel="[a-z ]{0,12}original"(, <[a-z]{1,5}>; rel="timemap")?', fullmatch=True))
def test_the_original_is_the_link_it_is(field: str) -> None:
    found = next((link.target for link in parse_links(field) if "original" in link.relations), "")
    assert _original_link(Headers((("Link", field),))) == found
