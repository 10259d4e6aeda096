"""What evidence.json says of pages and captures, held against their records: no more is believed than these say."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from webkeep.evidence.package.coherence_proof import UnprovenPart
from webkeep.evidence.package.evidence_facts import plain_values
from webkeep.evidence.package.page_condition import PageCondition
from webkeep.evidence.verification import PackageVerdict, describe_verdict
from webkeep.evidence.verification.claims_check import CLAIMS_PATH, check_claims
from webkeep.evidence.verification.page_claims import PortrayedPages, are_pages_shown, check_pages, list_page_doubts
from webkeep.evidence.verification.portrayed_pages import PortrayedPage
from webkeep.evidence.verification.record_check import NO_RECORDS, CheckedRecords
from webkeep.evidence.verification.verdict import CoherenceJudgement, SignatureJudgement
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


def facts_of(page: dict[str, Any] = STATED, proof: dict[str, Any] = PROOF, **more: Any) -> dict[str, Any]:
    vantages = [{"name": "main", "plan": PLAN, "shown_round": 1, "rounds": [proof]},
                {"name": "stranger", "shown_round": 1, "rounds": [{**proof, "capture": "two"}]}]  # fmt: skip
    return {"format": "webkeep-evidence", "version": 1, "seeds": [PAGE], "vantages": vantages, "pages": [page]} | more


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


def test_what_lies_over_a_page_by_its_note_is_said_of_it() -> None:
    troubled = replace(SHOWN, note=replace(NOTE, troubles=("something lies over it",)))
    page = {**STATED, "note": None}
    assert (
        page_findings({**page, "troubles": ["something lies over it", "the HTML file lacks 2 parts"]}, troubled) == []
    )
    (told,) = page_findings({**page, "troubles": []}, troubled)
    assert "under 'troubles'" in told


def test_nothing_is_all_proven_where_a_note_falls_short() -> None:
    troubled = replace(SHOWN, note=replace(NOTE, troubles=("something lies over it",)))
    for recorded, is_shown in ((SHOWN, True), (RESTLESS, False), (troubled, False)):
        assert are_pages_shown(facts_of(), {("one", PAGE): recorded}) is is_shown
        assert are_pages_shown(facts_of(), {("not shown", PAGE): recorded})


def claim_findings(data: bytes | dict[str, Any], judged: CoherenceJudgement) -> list[str]:
    plan = {"plan": json.dumps(PLAN)}
    captures = {"one": Capture("one", "capture", NOON, NOON.plus(300), seeds=(PAGE,), facts=plan)}
    records: CheckedRecords = replace(
        NO_RECORDS,
        coherence=(judged, replace(judged, capture="two")),
        captures=captures,
        pages={("one", PAGE): SHOWN},
    )
    flaws = Flaws()
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    check_claims({CLAIMS_PATH: text}, records, SIGNED, "a.wacz", flaws)
    return [each.message for each in flaws.findings]


SIGNED = SignatureJudgement("sha256:aa", NOON)
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


@pytest.mark.parametrize(
    ("began", "ended", "is_right"),
    [
        ("2026-03-02T11:59:58Z", "2026-03-02T12:09:00Z", True),
        ("2026-03-02T12:30:00Z", "2026-03-02T12:01:00Z", True),
        ("2026-03-02T12:00:00Z", "2026-03-04T00:00:00Z", True),
        ("2025-03-02T12:00:00Z", "2026-03-02T12:09:00Z", False),
        ("2026-03-02T14:00:00Z", "2026-03-02T15:00:00Z", False),
        ("2026-03-02T12:00:00Z", "2026-03-02T10:00:00Z", False),
        ("yesterday", "2026-03-02T12:09:00Z", False),
    ],
)
def test_it_was_made_when_its_captures_were(began: str, ended: str, is_right: bool) -> None:
    assert (claim_findings(facts_of(began=began, ended=ended), JUDGED) == []) is is_right


@pytest.mark.parametrize("value", [1, "yes", [True], {}])
def test_proven_is_yes_or_no(value: object) -> None:
    (told,) = claim_findings(facts_of(is_proven=value), JUDGED)
    assert "claims that all is proven" in told


def test_a_field_that_comes_twice_is_told() -> None:
    twice = json.dumps(facts_of()).encode().replace(b"{", b'{"is_proven": true, "is_proven": false, ', 1)
    (told,) = claim_findings(twice, JUDGED)
    assert "has a field twice" in told


def test_who_signed_is_said_as_it_is() -> None:
    right = {"fingerprint": "sha256:aa", "is_named": False}
    assert claim_findings(facts_of(seal=right), JUDGED) == []
    assert claim_findings(facts_of(seal={}), JUDGED) == [], "packages of before say less"
    (told,) = claim_findings(facts_of(seal={**right, "fingerprint": "sha256:bb"}), JUDGED)
    assert "somebody else did by sha256:aa" in told
    for wrong in (True, "yes", 0):
        (told,) = claim_findings(facts_of(seal={**right, "is_named": wrong}), JUDGED)
        assert "whether a certificate names who signed it" in told


def test_what_could_not_be_had_stands_in_the_verdict() -> None:
    pieces = tuple(UnprovenPart(f"{PAGE}piece-{each}.ts", "not kept") for each in range(3))
    judged = replace(JUDGED, headline="2 of 2.", lost=(SLOW,), lost_pieces=pieces)
    verdict = PackageVerdict(Path("a.wacz"), "", "", 1, 1, 1, (), None, (), (judged,), None)
    words = "\n".join(describe_verdict(verdict))
    assert f"2 of 2. Not to be had: {SLOW.url} (timeout), and 3 more." in words
    (value,) = json.loads(json.dumps(verdict.to_dict()))["coherence"]
    assert value["lost"] == 4


@pytest.mark.parametrize("strange", [5, None, [], [[]], {}, "x", [None, {}], {"a": []}])
def test_whatever_stands_there_is_read(strange: object) -> None:
    for field in STATED:
        for recorded in (SHOWN, RESTLESS, WALL):
            page_findings({**STATED, field: strange, "troubles": strange}, recorded)
            assert list(list_page_doubts(facts_of({**STATED, field: strange}), {("one", PAGE): recorded})) is not None
    for name in ("seeds", "vantages", "pages", "seal", "began", "is_proven", "shortcomings"):
        claim_findings(facts_of(**{name: strange}), JUDGED)
    for name in ("capture", "unproven", "lost", "parts"):
        claim_findings(facts_of(proof={**PROOF, name: strange}), JUDGED)
