"""Which of the exchanges that pass a recording proxy are pages."""

import pytest

from webkeep.crawl.recording.recorded_pages import is_page_view
from webkeep.model import BytesBody, Exchange, Moment

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def exchange(*lines: bytes, first: bytes = b"GET / HTTP/1.1", answer: bytes = HTML) -> Exchange:
    asked = b"\r\n".join([first, b"Host: a.test", *lines, b"", b""])
    return Exchange("http://a.test/", Moment(0), answer, BytesBody(b"x"), asked)


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        ((b"Sec-Fetch-Dest: document",), True),
        ((b"sec-fetch-dest:document", b"Accept: */*"), True),
        ((b"Sec-Fetch-Dest: iframe", b"Accept: text/html"), False),
        ((b"Accept: text/html,*/*",), True),
        ((b"Accept: */*",), False),
        ((b"X: Accept: text/html",), False),
        ((b"Accept: text/html", b"Purpose: prefetch"), False),
        ((b"Sec-Fetch-Dest: document", b"Sec-Purpose: prefetch;prerender"), False),
    ],
)
def test_pages_are_what_is_shown_by_itself(lines: tuple[bytes, ...], is_one: bool) -> None:
    assert is_page_view(exchange(*lines)) is is_one


def test_only_a_good_answer_with_a_page_in_it_is_one() -> None:
    wanted = b"Accept: text/html"
    assert not is_page_view(exchange(wanted, first=b"POST / HTTP/1.1"))
    assert not is_page_view(exchange(wanted, answer=b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"))
    assert not is_page_view(exchange(wanted, answer=b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"))
    assert is_page_view(exchange(wanted, answer=b"HTTP/2 200 \r\ncontent-type: text/html; charset=utf-8\r\n\r\n"))
