"""Parts of pages in a crawl: versions that fit each page, no more of them than are needed."""

from recover_shelf import Shelf, crawled, page
from webkeep.recover import RecoveryPlan, RecoveryPolicy
from webkeep.recover.repositories import RepositoryTraits

SITE = "http://lost.example/"
STYLE = SITE + "style.css"


def style(shelf: Shelf, day: str, content: str) -> None:
    shelf.put(STYLE, day, content, "text/css")


def kept(shelf: Shelf, plan: RecoveryPlan | None = None) -> list[tuple[str, str]]:
    got = crawled(plan or RecoveryPlan((SITE,)), shelf)
    return sorted((found.exchange.url, found.exchange.moment.iso()[:10]) for found in got.drawer.kept)


def two_pages() -> Shelf:
    """Two pages captured years apart share a style sheet, which changed in between."""
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2010-06-01", page("home", links=["/old"], embeds=["/style.css"]))
    shelf.put(SITE + "old", "2005-06-01", page("old", embeds=["/style.css"]))
    for day, content in (("2005-05-01", "a"), ("2005-07-01", "a"), ("2010-05-01", "b"), ("2010-07-01", "b")):
        style(shelf, day, content)
    return shelf


def test_a_shared_style_sheet_has_a_version_for_each_page() -> None:
    years = [day[:4] for url, day in kept(two_pages()) if url == STYLE]
    assert years == ["2005", "2010"]


def test_published_policies_take_one_version_of_each() -> None:
    assert [
        day for url, day in kept(two_pages(), RecoveryPlan((SITE,), policy=RecoveryPolicy.EXHAUSTIVE)) if url == STYLE
    ] == ["2010-07-01"]


def test_one_version_does_for_pages_that_it_fits_all() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    names = [f"p{number}" for number in range(9)]
    shelf.put(SITE, "2010-06-01", page("home", links=names, embeds=["/style.css"]))
    for number, name in enumerate(names):
        shelf.put(SITE + name, f"2010-06-{number + 2:02d}", page(name, embeds=["/style.css"]))
    for month in range(1, 13):
        style(shelf, f"2010-{month:02d}-15", "the same all year")
    assert len([url for url, _ in kept(shelf) if url == STYLE]) == 1
    assert shelf.asked.count(STYLE) == 1


def test_a_page_is_taken_where_its_parts_fit_it() -> None:
    """The newest page lies between two versions of its style; of a month before, all of it fits."""
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2010-06-15", page("newest", embeds=["/style.css"]))
    shelf.put(SITE, "2010-05-01", page("a month before", embeds=["/style.css"]))
    style(shelf, "2010-04-20", "a")
    style(shelf, "2010-05-10", "a")
    style(shelf, "2010-07-20", "b")
    assert (SITE, "2010-05-01") in kept(shelf)
    assert (SITE, "2010-06-15") in kept(shelf, RecoveryPlan((SITE,), reach=1))


def test_parts_are_those_nearest_to_their_page_not_the_newest() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2005-06-01", page("home", embeds=["/style.css"]))
    style(shelf, "2005-05-30", "then")
    style(shelf, "2012-01-01", "much later")
    assert (STYLE, "2005-05-30") in kept(shelf)


def test_a_part_of_an_archive_that_cannot_list_is_asked_for_near_its_page() -> None:
    shelf = Shelf(RepositoryTraits("one", lists=False))
    shelf.put(SITE, "2005-06-01", page("home", embeds=["/style.css"]))
    style(shelf, "2005-05-30", "then")
    style(shelf, "2012-01-01", "much later")
    assert (STYLE, "2005-05-30") in kept(shelf)
