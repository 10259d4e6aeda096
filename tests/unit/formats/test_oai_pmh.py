"""Answers of OAI-PMH repositories: records with their addresses, how lists go on, and what is refused."""

from hypothesis import given, strategies as st

from webkeep.formats.site import OaiPage, OaiRecord, read_oai_page

LIST = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-05-01T00:00:00Z</responseDate>
<request verb="ListRecords">https://example.org/oai</request><ListRecords>
<record><header><identifier>oai:example.org:1</identifier><datestamp>2026-04-01</datestamp><setSpec>maps</setSpec></header>
<metadata><oai_dc:dc xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A &amp; B</dc:title>
<dc:identifier>https://example.org/maps/1</dc:identifier><dc:identifier>ISBN 0-00-000000-0</dc:identifier>
<dc:identifier> http://example.org/maps/1.pdf </dc:identifier></oai_dc:dc></metadata></record>
<record><header status="deleted"><identifier>oai:example.org:2</identifier><datestamp>2026-04-02</datestamp></header>
</record>
<resumptionToken cursor="0">next|2</resumptionToken></ListRecords></OAI-PMH>"""


def test_records_are_read_with_their_addresses_and_how_the_list_goes_on() -> None:
    urls = ("https://example.org/maps/1", "http://example.org/maps/1.pdf")
    assert read_oai_page(LIST) == OaiPage(
        (
            OaiRecord("oai:example.org:1", "2026-04-01", urls),
            OaiRecord("oai:example.org:2", "2026-04-02", (), is_deleted=True),
        ),
        "next|2",
    )


def test_what_a_repository_refuses_is_told_by_its_code() -> None:
    assert read_oai_page('<OAI-PMH><error code="noRecordsMatch"/></OAI-PMH>') == OaiPage((), error="noRecordsMatch")
    assert read_oai_page("<OAI-PMH><error>x</error></OAI-PMH>").error == "unknown"


def test_a_record_is_bounded_in_all_it_has() -> None:
    long = "https://example.org/" + "x" * 100_000
    text = (
        f"<record><header><identifier>{'i' * 100_000}</identifier></header>" + f"<identifier>{long}</identifier>" * 100
    )
    (record,) = read_oai_page(text).records
    assert len(record.identifier) == len(record.urls[0]) == 8000
    assert len(record.urls) == 20
    assert len(read_oai_page("<header><identifier>a</identifier></header>" * 20_000).records) == 10_000


@given(st.text() | st.text(alphabet="<>/ header record identifier=\"'&;").map(lambda text: LIST[:500] + text))
def test_nothing_that_is_sent_raises(text: str) -> None:
    assert isinstance(read_oai_page(text), OaiPage)
