"""The simulator has the parameters it was calibrated with; whoever changes one writes a decision record, and this."""

import tomllib
from importlib.resources import files

import pytest

from webkeep.lab.recovery.simulation.parameters import BoundedNormal, read_parameters
from webkeep.recover.repositories import DateKind, VersionDepth

CACHES = {
    # first crawl, jitter, take, lag, publish, revisit, flicker, horizon, resurrect, on day
    "google": (7, 3, 0.8, 3, 1, 8, 0.02, 130, 0.55, 102),
    "msn": (62, 3, 1, 2, 1, 16, 0.10, 118, 0, 0),
    "yahoo": (10, 4, 0.9, 33, 0.6, 40, 0.47, 118, 0, 0),
}
HOLDERS = {
    # pages, pictures, other, obsolete; rows of a listing page, queries to a download, spellings asked
    "ia": (0.42, 0.30, 0.25, 0.85, 20, 2, 1),
    "google": (0.62, 0.18, 0.20, 0.08, 10, 1, 1),
    "msn": (0.55, 0.0, 0.12, 0.08, 50, 1, 1),
    "yahoo": (0.50, 0.12, 0.12, 0.08, 50, 1, 2),
}
SITE = {
    "size_mu": 5.6, "size_sigma": 0.9, "html": 0.40, "image": 0.53, "document": 0.02, "other": 0.05,
    "factor": BoundedNormal(1.12, 0.38, 0.15, 1.55),
    "obsolete": 1.2, "obsolete_linked": 0.08, "orphaned": 0.04,
}  # fmt: skip
SAMPLED = {
    # the share of each kind that can be had from the cache: pages, PDF, plain text, office documents
    "ask": (0.10, 0.0, 0.11, 0.0),
    "google": (0.81, 0.69, 0.93, 0.76),
    "msn": (0.95, 0.89, 0.95, 0.73),
    "yahoo": (0.80, 0.92, 0.96, 1.0),
}


@pytest.mark.parametrize("name", CACHES)
def test_caches_of_decaying_collections(name: str) -> None:
    habits = read_parameters().decay.caches[name]
    told = (
        habits.first_crawl, habits.jitter, habits.take, habits.lag, habits.publish, habits.revisit, habits.flicker,
        habits.horizon, habits.resurrect, habits.resurrect_on,
    )  # fmt: skip
    assert told == CACHES[name]


@pytest.mark.parametrize("name", HOLDERS)
def test_holdings(name: str) -> None:
    holder = next(each for each in read_parameters().holders if each.name == name)
    told = (
        holder.html, holder.image, holder.other, holder.obsolete, holder.listing_page, holder.queries, holder.asked,
    )  # fmt: skip
    assert told == HOLDERS[name]
    assert holder.depth is (VersionDepth.DEEP if name == "ia" else VersionDepth.FLAT)
    assert holder.dates is (DateKind.MODIFIED if name == "yahoo" else DateKind.CRAWL)


def test_sites() -> None:
    site = read_parameters().site
    assert {name: getattr(site, name) for name in SITE} == SITE


@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_caches(name: str) -> None:
    assert tuple(read_parameters().sampling.engines[name].cached.values()) == SAMPLED[name]


def test_quotas_and_collections() -> None:
    given = read_parameters()
    assert given.quota == {"ia": 1000, "google": 1000, "yahoo": 5000, "msn": 10_000}
    assert (given.decay.bins, given.decay.days, given.decay.own_images_bin, given.decay.collections) == (30, 90, 2, 3)
    assert set(given.decay.caches) == set(CACHES)
    assert [each.name for each in given.holders] == list(HOLDERS)


def test_what_was_fitted_to_published_figures() -> None:
    weeks, libraries = read_parameters().weeks, read_parameters().libraries
    assert weeks.factor == BoundedNormal(1.05, 0.6, 0.05, 1.55)
    assert (weeks.obsolete, weeks.orphaned, weeks.altered, weeks.similar) == (0.6, 0.11, 0.36, 0.60)
    assert (weeks.never_changing, weeks.always_changing, weeks.weekly_chance) == (0.56, 0.15, 0.20)
    assert (weeks.fresh_days, weeks.archive_days) == (30, (180, 365))
    assert (libraries.archive_mean, libraries.archive_spread, libraries.pages) == (0.262, 1.9, 0.88)
    assert (libraries.caches_mean, libraries.caches_deviation) == (0.767, 0.12)


def test_the_file_says_what_to_do_before_changing_it() -> None:
    text = (files("webkeep.lab.recovery") / "parameters.toml").read_text(encoding="utf-8")
    assert "decision record" in text
    tables = {"decay", "sampled", "site", "holding", "weeks", "libraries", "server_components", "quota"}
    assert set(tomllib.loads(text)) == tables


def test_server_components_are_spread_as_they_were() -> None:
    injected = read_parameters().injection
    assert sum(each.pages for each in injected.segments) == injected.pages == 123
    assert sum(each.share for each in injected.segments) == pytest.approx(1.0)
    assert (injected.segments[0].pages, injected.segments[0].needed) == (40, 8)
    assert injected.segments[injected.moved_segment].pages == 8
    assert 1 - injected.segments[injected.moved_segment].share == pytest.approx(0.921)
    assert 1 - injected.segments[-1].share == pytest.approx(0.997)
    assert (injected.comment_days, injected.visible_days) == ((19, 23), (7, 11))
