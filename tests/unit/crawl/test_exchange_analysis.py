"""What is read out of a response while it is stored."""

import pytest

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import ExtractionContext
from webkeep.model import BytesBody, Exchange, Moment


@pytest.mark.parametrize("version", ["1.0", "1.1", "2", "3"])
def test_where_a_redirect_leads_is_no_link_of_it(version: str) -> None:
    head = f"HTTP/{version} 301 \r\nLocation: http://site.test/b\r\nContent-Type: text/html\r\n\r\n".encode()
    page = BytesBody(b'<a href="/c">c</a>')
    studied = analyse_exchange(
        ExtractionContext(f"job {version}"), Exchange("http://site.test/a", Moment(10**15), head, page)
    )
    assert [url for url, _, _ in studied.links] == ["http://site.test/c"]
