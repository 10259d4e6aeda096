from dataclasses import replace

import pytest

from webkeep.vault import CarrierPage
from webkeep.vault.planning import (
    PageTraits,
    PlanRequest,
    SegmentSource,
    WebmasterAdvice,
    advise_webmaster,
    assume_coverage,
    block_room,
    estimate_coverage,
    propose_plan,
)

PATHS = [f"/{at}.html" for at in range(20)]


def build_request(share: float = 0.8) -> PlanRequest:
    coverage = assume_coverage(PATHS, {"a": share, "b": share}, 0.0)
    pages = tuple(CarrierPage(path, 1000) for path in PATHS)
    return PlanRequest((SegmentSource("app", ("app",), 5000),), pages, coverage.odds, coverage.model)


def advise(traits: list[PageTraits], request: PlanRequest | None = None) -> dict[str, WebmasterAdvice]:
    asked = request or build_request()
    proposal = propose_plan(asked, block_room)
    coverage = assume_coverage(PATHS, {"a": 0.8, "b": 0.8}, 0.0)
    return {each.code: each for each in advise_webmaster(traits, asked, proposal, coverage)}


def test_a_site_without_faults_gets_the_general_advice_only() -> None:
    advice = advise([PageTraits(path, 1) for path in PATHS])
    assert list(advice) == ["importance", "soon", "refresh"]


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (PageTraits("/lost.html", None), "orphans"),
        (PageTraits("/far.html", 4), "far"),
        (PageTraits("/list?page=2", 1), "queries"),
        (PageTraits("/a/b/c/d/e.html", 1), "deep"),
        (PageTraits("/secret.html", 1, may_be_archived=False), "noarchive"),
    ],
)
def test_each_page_is_named_under_what_is_wrong_with_it(page: PageTraits, code: str) -> None:
    advice = advise([PageTraits("/", 0), page, PageTraits("/a/b/c/near.html", 3)])
    assert [(each.code, each.pages) for each in advice.values() if each.pages] == [(code, (page.path,))]


def test_pages_without_room_are_named() -> None:
    request = build_request()
    full = (*request.pages[:-1], replace(request.pages[-1], size_bytes=213_900))
    assert advise([], replace(request, pages=full))["full"].pages == (PATHS[-1],)


@pytest.mark.parametrize(
    ("pages", "size", "correlation", "words"),
    [(8, 400_000, 0.0, "let pages grow more"), (2, 500, 0.0, "add pages"), (20, 500, 0.3, "another archive")],
)
def test_what_cannot_be_reached_comes_first_with_what_would_help(
    pages: int, size: int, correlation: float, words: str
) -> None:
    request = build_request()
    model = assume_coverage(PATHS, {"a": 0.8, "b": 0.8}, correlation).model
    source = SegmentSource("app", ("app",), size)
    few = replace(request, sources=(source,), pages=request.pages[:pages], odds=request.odds[:pages], model=model)
    first = next(iter(advise([], replace(few, wanted=0.999999)).values()))
    assert first.code == "not-reached" and words in first.text


def test_one_archive_alone_and_directories_that_nobody_holds_are_told() -> None:
    paths = [f"/{group}/{at}" for group in "ab" for at in range(5)]
    coverage = estimate_coverage(paths, {"only": {path for path in paths if path.startswith("/a/")}})
    request = replace(build_request(), pages=tuple(CarrierPage(path, 10) for path in paths), odds=coverage.odds)
    request = replace(request, model=coverage.model)
    advice = {each.code: each for each in advise_webmaster([], request, propose_plan(request, block_room), coverage)}
    assert "one-archive" in advice
    assert advice["uncovered"].pages == ("/b/",)
