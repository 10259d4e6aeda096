"""What of a page would run in a browser, as the fast tier reads it."""

import pytest

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import OWN_SCRIPTS, ExtractionContext
from webkeep.model import BytesBody, Exchange, Moment

WANTED = ExtractionContext("a job", wants_programs=True)
AT = Moment.parse("2026-05-20T08:00:00Z")


def programs(body: str, kind: str = "text/html", situation: ExtractionContext = WANTED) -> tuple[str, ...]:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
    exchange = Exchange("http://site.test/folder/page", AT, head, BytesBody(body.encode()))
    return tuple(analyse_exchange(situation, exchange).programs)


@pytest.mark.parametrize(
    "page",
    [
        "<p>Only text, and <a href=/next>a link</a>, on sale = cheap</p><img src=a.png loading=lazy>",
        '<script type="application/ld+json">{"@type": "Thing"}</script><script type=importmap>{}</script>',
        "<script>function add(a, b) { return a + b }</script><style>p { color: red }</style>",
        "<!-- <script>go()</script> --><template></template>",
    ],
)
def test_pages_in_which_nothing_runs(page: str) -> None:
    assert programs(page) == ()


@pytest.mark.parametrize(
    "page",
    [
        "<script>go()</script>",
        "<script type=module>import './a.js'</script>",
        "<body onload=go()>",
        "<p onclick='go()'>",
        "<form onsubmit=go()><input onfocus=go()></form>",
        "<iframe src=/inner></iframe>",
        "<frameset><frame src=/inner></frameset>",
        "<object data=/inner></object>",
        "<base href=/elsewhere/><script src=a.js></script>",
        "<svg><script>go()</script></svg>",
        "<script src='http://['></script>",
    ],
)
def test_pages_in_which_something_of_their_own_runs(page: str) -> None:
    assert OWN_SCRIPTS in programs(page)


def test_scripts_are_told_by_their_addresses() -> None:
    page = "<script src=a.js></script><script src='/b.js#x' defer></script><script src=a.js></script>"
    assert programs(page) == ("http://site.test/folder/a.js", "http://site.test/b.js")


def test_scripts_that_only_declare_do_nothing() -> None:
    assert programs("function add(a, b) { return a + b }", "text/javascript") == ()
    assert programs("add(1, 2)", "text/javascript") == (OWN_SCRIPTS,)


def test_documents_of_xml_may_run_too() -> None:
    kind = "application/xhtml+xml"
    assert programs("<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Text</p></body></html>", kind) == ()
    assert programs("<html xmlns='http://www.w3.org/1999/xhtml'><body onload='go()'/></html>", kind) == (OWN_SCRIPTS,)


def test_nobody_is_told_who_does_not_want_to_know() -> None:
    assert programs("<script>go()</script>", situation=ExtractionContext("another job")) == ()
