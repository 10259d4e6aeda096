"""The cover sheet says what was not so: pages that never rested, certificates that are not known or not trusted."""

import re
from dataclasses import replace

from evidence_facts import NOON, SITE, make_facts
from webkeep.evidence.package import EvidenceFacts
from webkeep.evidence.package.cover_sheet import render_cover_sheet
from webkeep.evidence.package.evidence_facts import SealFacts
from webkeep.fetch.client import OriginSurvey

ORIGIN = SITE.rstrip("/")


def read_cover(facts: EvidenceFacts) -> str:
    """The words on the sheet."""
    return " ".join(re.sub("<[^>]*>", " ", render_cover_sheet(facts, b"").decode()).split())


def test_a_page_at_rest_is_proven_in_a_sentence() -> None:
    said = read_cover(make_facts(("main", "")))
    assert "All 3 parts of the page stood on the web together, as kept here, at 2026-03-02 12:00" in said
    assert "scrolled through and left until at rest" in said
    assert "UTC, main" not in said, "there is no other vantage point"


def test_of_a_page_that_never_rests_it_says_so_first() -> None:
    facts = make_facts(("main", ""), is_at_rest=False)
    said = read_cover(facts)
    assert not facts.is_proven
    assert re.search(r"3 of 3 parts stood on the web together at [^;]*; but what is shown never came to rest", said)
    assert "waited for, but did not come to rest" in said
    assert "left until at rest" not in said
    assert "(restless)" in said


def test_what_lies_over_a_page_stands_in_the_first_sentence() -> None:
    facts = make_facts(("main", "a"), ("main", "b"))
    over = "“We value your privacy” lies over 100 % of its window"
    covered = replace(facts, exhibits=(facts.exhibits[0], replace(facts.exhibits[1], troubles=(over,))))
    assert re.search(
        rf"3 of 3 parts stood on the web together at [^;]*; but of page-002, {over}\.", read_cover(covered)
    )
    alone = replace(facts, exhibits=(replace(facts.exhibits[0], troubles=(over,)),))
    assert f"; but {over}." in read_cover(alone)
    restless = make_facts(("main", ""), is_at_rest=False)
    both = replace(restless, exhibits=(replace(restless.exhibits[0], troubles=(over,)),))
    assert f"more followed, or might have; and {over}." in read_cover(both)


def test_several_pages_and_vantage_points_are_told_as_what_they_are() -> None:
    assert "All 3 parts of 2 pages stood" in read_cover(make_facts(("main", "a"), ("main", "b")))
    said = read_cover(make_facts(("main", "a"), ("stranger", "a")))
    assert "All 3 parts of the page, seen from main, stood" in said
    assert "2 vantage points: main, stranger (nobody logged in)" in said
    assert "right after the capture, from the first vantage point." not in said, "no server is named"


def test_a_certificate_that_is_not_known_is_neither_trusted_nor_distrusted() -> None:
    facts = make_facts(("main", ""), origins=(OriginSurvey(ORIGIN, NOON, trouble="no answer"),))
    said = read_cover(facts)
    assert f"{ORIGIN} (encrypted; its certificate is not known: no answer)" in said
    assert "asked for once more, right after the capture." in said
    assert list(facts.find_shortcomings()) == [
        f"The certificate of {ORIGIN} is not known: no handshake came about (no answer)."
    ]


def test_where_the_operator_says_where_a_name_leads_the_name_is_not_proven() -> None:
    plain = OriginSurvey("http://example.org", NOON, ("127.0.0.1",), "given by --resolve")
    told = "The address of http://example.org was given by the operator (--resolve): the name may lead elsewhere."
    assert told in read_cover(make_facts(("main", ""), origins=(plain,)))
    vouched = OriginSurvey(ORIGIN, NOON, ("127.0.0.1",), "given by --resolve", is_trusted=True)
    assert list(make_facts(("main", ""), origins=(vouched,)).find_reservations()) == []
    asked = OriginSurvey("http://example.org", NOON, ("127.0.0.1",))
    assert list(make_facts(("main", ""), origins=(asked,)).find_reservations()) == []


def test_a_certificate_that_nobody_trusts_is_a_shortcoming() -> None:
    facts = make_facts(("main", ""), origins=(OriginSurvey(ORIGIN, NOON, trouble="self-signed", is_trusted=False),))
    assert "its certificate is not trusted: self-signed" in read_cover(facts)
    (told,) = facts.find_shortcomings()
    assert told == f"Nobody trusted vouches that {ORIGIN} is the server it claims to be: self-signed."


def test_what_is_said_at_length_is_cut_on_paper() -> None:
    facts = make_facts(("main", ""))
    plan = replace(facts.plan, operator="o" * 5000, about="why " * 2000)
    seal = SealFacts("as somebody " * 100, authorities=("http://stamps.example/" + "a" * 2000,))
    said = read_cover(replace(facts, plan=plan, seal=seal))
    assert len(said) < 6000, "one page that can be read"
    assert f"{'o' * 200}" in said
    assert "o" * 301 not in said
    assert "…" in said
