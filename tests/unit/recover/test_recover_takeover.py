"""Names that changed hands, and errors that many URLs show alike."""

from recover_shelf import Shelf, crawled, page
from webkeep.document import PlaceholderSuspicion
from webkeep.recover import RecoveryPlan
from webkeep.recover.repositories import RepositoryTraits

SITE = "http://lost.example/"
CONFERENCE = ["digital", "preservation", "speakers", "programme", "venue", "registration", "hotels", "travel"]
CASINO = ["casino", "bonus", "jackpot", "roulette", "blackjack", "slots", "betting", "winner", "gamble", "money"]
NAMES = [f"p{number}" for number in range(8)]


def site() -> Shelf:
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2005-01-01", page("Conference 2005", *CONFERENCE, links=NAMES))
    for name in NAMES:
        shelf.put(SITE + name, "2005-02-01", page(name, *CONFERENCE))
    return shelf


def test_the_versions_of_a_later_owner_are_left_out() -> None:
    shelf = site()
    shelf.put(SITE, "2008-01-01", page("Lucky Spins", *CASINO, links=["/play", "/win"]))
    shelf.put(SITE + "play", "2008-01-01", page("Play", *CASINO))
    got = crawled(RecoveryPlan((SITE,)), shelf)
    assert b"Conference" in got.content(SITE)
    assert len(got.urls) == 1 + len(NAMES)
    assert got.missing() == {SITE + "play": f"held only as {PlaceholderSuspicion.TAKEN_OVER.value}"}
    trusting = crawled(RecoveryPlan((SITE,), suspicious=False), shelf)
    assert b"Lucky" in trusting.content(SITE)


def test_a_new_design_is_no_new_owner() -> None:
    shelf = site()
    shelf.put(SITE, "2008-01-01", page("Conference 2008", *CONFERENCE[:4], "again", links=["/new"]))
    shelf.put(SITE + "new", "2008-01-01", page("new"))
    got = crawled(RecoveryPlan((SITE,)), shelf)
    assert b"2008" in got.content(SITE)


def test_a_later_owner_who_answers_the_old_urls_is_found_out() -> None:
    """He has a page of his own for every URL that comes, and several home pages."""
    shelf = site()
    for year in ("2006", "2007"):
        shelf.put(SITE, f"{year}-01-01", page(f"Conference {year}", *CONFERENCE, links=NAMES))
    for number, year in enumerate(("2008", "2009", "2010")):
        shelf.put(SITE, f"{year}-01-01", page("Lucky Spins", str(number), *CASINO, links=["/play", "/win"]))
    for name in NAMES:
        shelf.put(SITE + name, "2009-02-01", page("Win", name, *CASINO))
    got = crawled(RecoveryPlan((SITE,)), shelf)
    assert b"Conference 2007" in got.content(SITE)
    assert all(b"digital" in got.content(SITE + name) for name in NAMES)
    assert len(got.urls) == 1 + len(NAMES)


def test_a_site_that_stays_as_it_was_is_not_asked_about() -> None:
    shelf = site()
    for name in NAMES:
        shelf.put(SITE + name, "2008-02-01", page(name, *CONFERENCE))
    shelf.put(SITE, "2008-01-01", page("Another title", *CASINO, links=NAMES))
    crawled(RecoveryPlan((SITE,)), shelf)
    assert shelf.asked.count(SITE) == 1


def test_what_many_urls_show_alike_gives_way_to_what_each_showed_before() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    names = [f"p{number}" for number in range(15)]
    shelf.put(SITE, "2009-01-01", page("home", links=names))
    for name in names:
        shelf.put(SITE + name, "2008-01-01", page(name))
        shelf.put(SITE + name, "2010-01-01", page("Please enable cookies"))
    got = crawled(RecoveryPlan((SITE,)), shelf)
    assert all(name.encode() in got.content(SITE + name) for name in names)
    alone = Shelf(RepositoryTraits("two"))
    alone.put(SITE, "2009-01-01", page("home", links=names))
    for name in names:
        alone.put(SITE + name, "2010-01-01", page("Please enable cookies"))
    assert len(crawled(RecoveryPlan((SITE,)), alone).urls) == 16
