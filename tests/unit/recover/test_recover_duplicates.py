"""Duplicate-URL rules: learned from pages that show the same, refuted by others, asked for what is missing."""

import pytest

from recover_shelf import Shelf, crawled, page
from webkeep.recover import RecoveryPlan
from webkeep.recover.judging.url_aliases import UrlAliasRule, candidate_rules, learn_alias_rules
from webkeep.recover.repositories import RepositoryTraits

SITE = "http://lost.example/"


@pytest.mark.parametrize(
    ("one", "other", "old", "new"),
    [
        ("~bar/", "people/bar/", "~", "people/"),
        ("story?id=17", "story_17", "?id=", "_"),
        ("docs/a", "documents/a", "/docs/", "/documents/"),
        ("a.htm", "a.html", ".htm", ".html"),
        ("a?from=home", "a", "/a?from=home", "/a"),
    ],
)
def test_what_differs_is_seen_as_a_renaming(one: str, other: str, old: str, new: str) -> None:
    assert UrlAliasRule(old, new) in set(candidate_rules(SITE + one, SITE + other))
    assert UrlAliasRule(new, old) in set(candidate_rules(SITE + other, SITE + one))
    assert all(rule.apply(SITE + one) for rule in candidate_rules(SITE + one, SITE + other))


def test_another_host_is_a_name_too() -> None:
    (rule, *_) = candidate_rules("http://foo.example/news/x", "http://news.foo.example/x")
    assert rule.apply("http://foo.example/news/y") == "http://news.foo.example/y"


def test_numbers_alone_make_no_rule() -> None:
    assert not list(candidate_rules(SITE + "list?page=1", SITE + "list?page=2"))


def test_a_rule_needs_several_pairs_and_hardly_any_that_contradicts() -> None:
    groups = [[f"{SITE}people/{name}/", f"{SITE}~{name}/"] for name in "abc"]
    assert UrlAliasRule("~", "people/") in learn_alias_rules(groups, lambda _: (3, 0))
    assert not learn_alias_rules(groups[:2], lambda _: (3, 0))
    assert not learn_alias_rules(groups, lambda _: (3, 1))
    assert not learn_alias_rules(groups, lambda _: (2, 0))


def shelf_of_two_names(*, differing: int = 0) -> Shelf:
    """People's pages by both names, but for some that are held by one of them, while the home page names the other."""
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2009-01-01", page("home", links=["/~dan/", "/~eve/", "/~nobody/"]))
    for name in ("ann", "bob", "cid"):
        for where in (f"people/{name}/", f"~{name}/"):
            shelf.put(SITE + where, "2009-01-01", page(f"the page of {name}"))
    for number in range(differing):
        shelf.put(f"{SITE}~x{number}/", "2009-01-01", page(f"something {number}"))
        shelf.put(f"{SITE}people/x{number}/", "2009-01-01", page(f"something else {number}"))
    for name in ("dan", "eve"):
        shelf.put(f"{SITE}people/{name}/", "2009-01-01", page(f"the page of {name}"))
    return shelf


def test_what_nobody_holds_by_one_name_is_there_by_the_other() -> None:
    got = crawled(RecoveryPlan((SITE,)), shelf_of_two_names())
    assert SITE + "people/dan/" in got.urls
    assert list(got.missing()) == [SITE + "~nobody/"]
    spelled = {url for _, url in got.recovery_store.aliases()}
    assert {SITE + "~dan/", SITE + "~eve/"} <= spelled


def test_names_that_showed_different_things_are_not_taken_for_each_other() -> None:
    got = crawled(RecoveryPlan((SITE,)), shelf_of_two_names(differing=1))
    assert list(got.missing()) == [SITE + "~dan/", SITE + "~eve/", SITE + "~nobody/"]
