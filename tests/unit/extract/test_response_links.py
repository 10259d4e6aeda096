"""The links of responses, as captures and recoveries read them: what was told lately is told no more."""

from webkeep.extract import LinkMemory, is_plain_image, read_links_for_page, read_new_links, read_response_content
from webkeep.extract.response_links import ResponseContent
from webkeep.model import BytesBody, Exchange, Moment

PAGE = b'<a href="/a">a</a><img src="/i.png"><a href="/a#part">again</a><a href="mailto:x@y.test">x</a>'
NAVIGATE, EMBED = 0, 1


def response(
    url: str = "http://site.test/", body: bytes = PAGE, head: str = "200 OK\r\nContent-Type: text/html"
) -> ResponseContent:
    return read_response_content(Exchange(url, Moment(10**15), f"HTTP/1.1 {head}\r\n\r\n".encode(), BytesBody(body)))


def test_a_capture_is_told_of_each_link_once() -> None:
    memory = LinkMemory()
    first = read_new_links(memory, response()).links
    assert first == [("http://site.test/a", NAVIGATE, False), ("http://site.test/i.png", EMBED, False)]
    assert read_new_links(memory, response("http://site.test/b")).links == []
    assert read_new_links(LinkMemory(), response()).links == first


def test_a_recovery_is_told_of_what_a_page_embeds_each_time() -> None:
    memory = LinkMemory()
    assert len(read_links_for_page(memory, response()).links) == 2
    assert read_links_for_page(memory, response("http://site.test/b")).links == [
        ("http://site.test/i.png", EMBED, False)
    ]


def test_where_a_redirect_leads_is_no_link() -> None:
    moved = response(head="301 Moved\r\nLocation: /b#part\r\nContent-Type: text/html")
    for found in (read_new_links(LinkMemory(), moved), read_links_for_page(LinkMemory(), moved)):
        assert found.redirect == "http://site.test/b"
        assert "http://site.test/b" not in [url for url, _, _ in found.links]


def test_no_more_links_are_read_than_are_wanted() -> None:
    many = b"".join(b'<a href="/%d">x</a>' % number for number in range(50))
    assert len(read_links_for_page(LinkMemory(), response(body=many), most=7).links) == 7


def test_situations_do_not_hear_of_one_another_and_jobs_are_forgotten() -> None:
    one, other = LinkMemory.for_context("job", "here"), LinkMemory.for_context("job", "there")
    assert one is LinkMemory.for_context("job", "here")
    assert one is not other
    LinkMemory.for_context("another job", "here")
    assert LinkMemory.for_context("job", "here") is not one


def test_pictures_are_not_searched() -> None:
    picture = b"GIF89a <a href='/a'>a</a>"
    linked = "200 OK\r\nLink: </b>; rel=next\r\nContent-Type: text/html"
    assert read_new_links(LinkMemory(), response(body=picture)).links == []
    assert [url for url, _, _ in read_new_links(LinkMemory(), response(body=picture, head=linked)).links] == [
        "http://site.test/b"
    ]
    assert is_plain_image(response(body=picture).exchange)
    assert not is_plain_image(response(body=picture, head=linked).exchange)
