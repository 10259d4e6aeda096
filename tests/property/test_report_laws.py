"""Laws of reports: trees of captures by arrays are those by names, and the counts of a series add up."""

from itertools import pairwise

from hypothesis import given, strategies as st

from webkeep.quality.certificates import RevisitColour
from webkeep.quality.certificates.defect_graph import _break_cycles, collapse_subtrees
from webkeep.quality.report.crawl_forest import CrawlForest

VISITED = [each for each in RevisitColour if each is not RevisitColour.BLUE]


@st.composite
def forests(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, RevisitColour]]:
    """Pages and what led to them, in any order; circles and unknown pages among it."""
    count = draw(st.integers(1, 30))
    parents = {str(page): str(draw(st.integers(-3, count + 2))) for page in range(count)}
    return parents, {page: draw(st.sampled_from(VISITED)) for page in parents}


def fill(parents: dict[str, str], colours: dict[str, RevisitColour]) -> CrawlForest:
    forest = CrawlForest()
    for page, parent in parents.items():
        forest.add(page, parent, colours[page])
    return forest


@given(forests())
def test_all_pages_are_drawn_or_counted(given_forest: tuple[dict[str, str], dict[str, RevisitColour]]) -> None:
    parents, colours = given_forest
    drawn = list(fill(parents, colours).collapse())
    assert sum(each.pages for each in drawn) == len(parents)
    assert {each.name for each in drawn if each.colour is not RevisitColour.GREEN} == {
        page for page, colour in colours.items() if colour is not RevisitColour.GREEN
    }
    names = {each.name for each in drawn}
    assert all(not each.parent or each.parent in names for each in drawn)


@given(forests())
def test_the_drawing_is_the_one_of_certificates(
    given_forest: tuple[dict[str, str], dict[str, RevisitColour]],
) -> None:
    parents, colours = given_forest
    mended = _break_cycles(parents)
    forest = fill(mended, colours)
    assert set(forest.collapse()) == set(collapse_subtrees(mended, colours))


@given(forests())
def test_depths_grow_by_one_from_what_led_to_a_page(
    given_forest: tuple[dict[str, str], dict[str, RevisitColour]],
) -> None:
    parents, colours = given_forest
    forest = fill(parents, colours)
    rows = forest.parents()
    for page, depth in enumerate(forest.depths()):
        assert depth == (forest.depths()[rows[page]] + 1 if rows[page] >= 0 else 0)


def test_a_very_long_chain_is_no_trouble() -> None:
    forest = CrawlForest()
    pages = [f"http://site.example/{number}" for number in range(20_000)]
    forest.add(pages[0], "")
    for before, page in pairwise(pages):
        forest.add(page, before)
    assert forest.depth_of(pages[-1]) == len(pages) - 1
    assert [each.pages for each in forest.collapse()] == [1, len(pages) - 1]
