"""The published figures agree with one another, as far as they do: sums and means are reckoned again."""

from statistics import fmean, median, stdev

import pytest

from webkeep.lab.recovery.report.published_figures import read_published

FIRST = read_published()["first"]["sites"]
POLICIES = read_published()["policies"]["sites"]


def test_the_first_24_sites() -> None:
    recovered = [site["total"][1] / site["total"][0] for site in FIRST]
    assert len(FIRST) == 24
    assert fmean(recovered) == pytest.approx(0.678, abs=0.0005)
    assert median(recovered) == pytest.approx(0.723, abs=0.0005)
    assert sum(share > 0.9 for share in recovered) == 6
    assert sum(site["difference"][2] > 0 for site in FIRST) == 16


@pytest.mark.parametrize("site", FIRST, ids=[site["site"] for site in FIRST])
def test_what_is_missing_is_what_was_not_recovered(site: dict[str, list[float]]) -> None:
    total, recovered = site["total"]
    assert 1 - recovered / total == pytest.approx(site["difference"][1], abs=0.00051)
    for place in (0, 1):
        assert sum(site[kind][place] for kind in ("html", "images", "other")) == site["total"][place]


@pytest.mark.parametrize(
    ("policy", "recovered", "added"),
    [
        ("naive", (71.4, 79.6, 27.5, 5.4, 100), (8.1, 1.3, 13.3, 0, 50.8)),
        ("knowledgeable", (72.4, 76.5, 25.3, 8.4, 100), (11.1, 3.4, 16.7, 0, 61.2)),
        ("exhaustive", (74.7, 80.2, 23.6, 8.6, 100), (51.1, 42.1, 30.8, 0.6, 100)),
    ],
)
def test_the_means_of_the_policies(policy: str, recovered: tuple[float, ...], added: tuple[float, ...]) -> None:
    vectors = [site[policy] for site in POLICIES]
    assert len(vectors) == 24
    for values, printed in (
        ([100 * (1 - each[1]) for each in vectors], recovered),
        ([100 * each[2] for each in vectors], added),
    ):
        told = (fmean(values), median(values), stdev(values), min(values), max(values))
        assert told == pytest.approx(printed, abs=0.06)


def test_the_means_of_the_libraries() -> None:
    rows, means = read_published()["libraries"]["sites"], read_published()["libraries"]["published"]
    for name in ("recovered", "papers_recovered", "as_papers", "as_pages"):
        assert fmean([each[name] for each in rows]) == pytest.approx(means[name], abs=0.0011)
