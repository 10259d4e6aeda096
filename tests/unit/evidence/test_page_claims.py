"""What evidence.json says of pages and captures, held against their records: no more is believed than these say."""

import json
from dataclasses import replace
from typing import Any

import pytest

from webkeep.evidence.package.coherence_proof import UnprovenPart
from webkeep.evidence.package.evidence_facts import plain_values
from webkeep.evidence.package.page_condition import PageCondition
from webkeep.evidence.verification.claims_check import CLAIMS_PATH, check_claims
from webkeep.evidence.verification.page_claims import PortrayedPages, are_pages_shown, check_pages, list_page_doubts
from webkeep.evidence.verification.portrayed_pages import PortrayedPage
from webkeep.evidence.verification.record_check import NO_RECORDS, CheckedRecords
from webkeep.evidence.verification.verdict import CoherenceJudgement
from webkeep.formats import Flaws
from webkeep.formats.states import PortraitNote
from webkeep.model import Capture, Moment

PAGE, NOON = "http://a.example/", Moment.parse("2026-03-02T12:00:00Z")
NOTE = PortraitNote(PAGE, PAGE, "A", 200, 1280, 960, 1280, 960, is_at_rest=True)
SHOWN = PortrayedPage(NOON, NOTE, PageCondition.SHOWN)
RESTLESS = PortrayedPage(NOON, replace(NOTE, is_at_rest=False), PageCondition.RESTLESS, "it did not come to rest")
WALL = PortrayedPage(NOON, NOTE, PageCondition.WALL, "it shows a login form in place of the page")
PATHS = ("evidence/page-001.txt", "evidence/page-001-full.png", "evidence/page-0010.txt", "evidence/cover.html")
STATED: dict[str, Any] = {
    "name": "page-001",
    "vantage": "main",
    "capture": "one",
    "page": PAGE,
    "moment": NOON.iso(),
    "note": plain_values(NOTE),
    "condition": "shown",
    "files": ["page-001-full.png", "page-001.txt"],
}
PLAN = {"seeds": [PAGE], "scope": "page"}
PROOF: dict[str, Any] = {
    "capture": "one", "parts": 2, "proven": 2, "since": NOON.iso(), "until": NOON.iso(), "unproven": [], "lost": [],
}  # fmt: skip


def facts_of(page: dict[str, Any] = STATED, proof: dict[str, Any] = PROOF, **more: object) -> dict[str, Any]:
    vantages = [{"name": "main", "plan": PLAN, "shown_round": 1, "rounds": [proof]},
                {"name": "stranger", "shown_round": 1, "rounds": [{**proof, "capture": "two"}]}]  # fmt: skip
    return {"format": "webkeep-evidence", "version": 1, "seeds": [PAGE], "vantages": vantages, "pages": [page], **more}


def page_findings(page: dict[str, Any], recorded: PortrayedPage = SHOWN) -> list[str]:
    flaws = Flaws()
    check_pages(facts_of(page), {("one", PAGE): recorded, ("two", PAGE): SHOWN}, PATHS, "a.wacz", flaws)
    return [each.message for each in flaws.findings]


def test_what_the_records_say_of_a_page_is_right() -> None:
    assert page_findings(STATED) == []
    assert page_findings({name: STATED[name] for name in ("name", "capture", "page")}) == [], "it claims less"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("vantage", "stranger"),
        ("vantage", "nobody"),
        ("capture", "two"),
        ("moment", "2026-03-01T12:00:00Z"),
        ("note", {**plain_values(NOTE), "url": "http://court.example/"}),
        ("note", {**plain_values(NOTE), "more": ""}),
        ("note", "all is well"),
        ("files", ["page-001.txt"]),
        ("files", ["page-001-full.png", "page-001-window.png", "page-001.txt"]),
        ("files", None),
    ],
)
def test_what_they_do_not_say_is_told(field: str, value: object) -> None:
    told = page_findings({**STATED, field: value})
    assert told
    assert all("page-001 what its records do not say" in each for each in told)


def test_a_page_that_was_never_shown_is_told() -> None:
    (told,) = page_findings({**STATED, "page": "http://court.example/"})
    assert "under 'page'" in told


def test_a_page_that_never_came_to_rest_is_not_shown_whole_whoever_says_so() -> None:
    told = page_findings({**STATED, "note": None}, RESTLESS)
    assert [each for each in told if "'condition'" in each]
    assert page_findings({**STATED, "note": None, "condition": "restless"}, RESTLESS) == []


def test_what_looks_like_no_page_is_doubted_and_not_refused() -> None:
    assert page_findings(STATED, WALL) == []
    pages: PortrayedPages = {("one", PAGE): WALL}
    (doubt,) = list_page_doubts(facts_of(), pages)
    assert doubt == "That page-001 shows the page: by its records, it shows a login form in place of the page."
    assert list(list_page_doubts(facts_of({**STATED, "condition": "wall"}), pages)) == []


def test_nothing_is_all_proven_where_a_note_falls_short() -> None:
    troubled = replace(SHOWN, note=replace(NOTE, troubles=("something lies over it",)))
    for recorded, is_shown in ((SHOWN, True), (RESTLESS, False), (troubled, False)):
        assert are_pages_shown(facts_of(), {("one", PAGE): recorded}) is is_shown
        assert are_pages_shown(facts_of(), {("not shown", PAGE): recorded})


def claim_findings(data: bytes | dict[str, Any], judged: CoherenceJudgement) -> list[str]:
    plan = {"plan": json.dumps(PLAN)}
    captures = {"one": Capture("one", "capture", NOON, seeds=(PAGE,), facts=plan)}
    records: CheckedRecords = replace(
        NO_RECORDS,
        coherence=(judged, replace(judged, capture="two")),
        captures=captures,
        pages={("one", PAGE): SHOWN},
    )
    flaws = Flaws()
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    check_claims({CLAIMS_PATH: text}, records, "", "a.wacz", flaws)
    return [each.message for each in flaws.findings]


JUDGED = CoherenceJudgement("one", "", 2, 2, NOON, NOON)
SLOW = UnprovenPart(f"{PAGE}slow.png", "timeout")


def test_what_could_not_be_had_is_named_and_keeps_all_from_being_proven() -> None:
    assert claim_findings(facts_of(is_proven=True), JUDGED) == []
    lost = replace(JUDGED, lost=(SLOW,))
    told = claim_findings(facts_of(), lost)
    assert told
    assert all("claims something of the capture" in each for each in told)
    named = {**PROOF, "lost": [{"url": SLOW.url, "reason": "it took too long"}, {"url": f"{PAGE}more", "reason": ""}]}
    assert claim_findings(facts_of(proof=named), lost) == []
    assert "claims that all is proven" in claim_findings(facts_of(proof=named, is_proven=True), lost)[0]


def test_parts_that_are_not_proven_are_those_and_no_others() -> None:
    judged = replace(JUDGED, proven=1, unproven=frozenset({SLOW.url}))
    for listed, is_right in (([SLOW.url], True), ([PAGE], False), ([], False)):
        proof = {**PROOF, "proven": 1, "unproven": [{"url": each} for each in listed]}
        assert (claim_findings(facts_of(proof=proof), judged) == []) is is_right


def test_seeds_and_options_are_those_of_the_captures() -> None:
    assert claim_findings(facts_of(seeds=[PAGE]), JUDGED) == []
    for wrong in (["http://court.example/"], [PAGE, PAGE], [], None):
        (told,) = claim_findings(facts_of(seeds=wrong), JUDGED)
        assert "something else was asked for" in told
    facts = facts_of()
    facts["vantages"][0]["plan"] = {**PLAN, "user_agent": "the court"}
    (told,) = claim_findings(facts, JUDGED)
    assert "main was captured in another way" in told


@pytest.mark.parametrize("value", [1, "yes", [True], {}])
def test_proven_is_yes_or_no(value: object) -> None:
    (told,) = claim_findings(facts_of(is_proven=value), JUDGED)
    assert "claims that all is proven" in told


def test_a_field_that_comes_twice_is_told() -> None:
    twice = json.dumps(facts_of()).encode().replace(b"{", b'{"is_proven": true, "is_proven": false, ', 1)
    (told,) = claim_findings(twice, JUDGED)
    assert "has a field twice" in told
