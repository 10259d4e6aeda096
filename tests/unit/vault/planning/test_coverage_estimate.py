import random

import pytest

from webkeep.vault.planning import assume_coverage, directory_loss, estimate_coverage
from webkeep.vault.planning.coverage_estimate import directory_of, measure_correlation

PATHS = [f"/d{group}/{at}" for group in range(60) for at in range(10)]


@pytest.mark.parametrize(("path", "directory"), [("/", "/"), ("/a", "/"), ("/a/b?x=/y/", "/a/"), ("/a/", "/a/")])
def test_a_directory_is_the_path_up_to_its_last_slash(path: str, directory: str) -> None:
    assert directory_of(path) == directory


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.3, 0.6])
def test_the_correlation_within_directories_is_measured_as_it_was_drawn(rho: float) -> None:
    chance = random.Random(3)
    missed = directory_loss(0.6, rho)
    measured = []
    for _ in range(20):
        held: list[bool] = []
        for _ in range(60):
            is_there = chance.random() >= missed
            held += [is_there and chance.random() < 0.6 / (1 - missed) for _ in range(10)]
        measured.append(measure_correlation([directory_of(path) for path in PATHS], held))
    assert sum(measured) / 20 == pytest.approx(rho, abs=0.06)


def test_chances_follow_archive_directory_and_page() -> None:
    held = {"ia": {path for path in PATHS if path.startswith("/d1/")}, "cc": {"/d2/3"}}
    estimate = estimate_coverage(PATHS, held)
    chances = {page.url: page.chances for page in estimate.odds}
    assert [archive.name for archive in estimate.model.archives] == ["ia", "cc"]
    assert chances["/d1/0"][0] > 0.75 > 0.1 > chances["/d2/0"][0]
    assert chances["/d2/3"][1] > chances["/d2/4"][1] > chances["/d3/3"][1] > 0
    assert estimate.held == 11


def test_archives_beyond_the_sixth_are_left_out_the_least_first() -> None:
    held = {f"a{size}": set(PATHS[: size * 10]) for size in range(1, 9)}
    estimate = estimate_coverage(PATHS, held)
    assert [archive.name for archive in estimate.model.archives] == ["a8", "a7", "a6", "a5", "a4", "a3"]


def test_what_is_assumed_is_taken_as_it_is_said() -> None:
    estimate = assume_coverage(["/a/b", "/"], {"ia": 0.6, "own": 0.9}, 0.2, 0.95)
    assert estimate.odds[0].chances == (0.6, 0.9)
    assert estimate.odds[0].chance == pytest.approx(0.96)
    assert estimate.model.directory_correlation == 0.2


@pytest.mark.parametrize("held", [[True, True], [False, False]])
def test_pages_that_say_nothing_leave_the_usual_correlation(held: list[bool]) -> None:
    assert measure_correlation(["/a/", "/b/"], held) == 0.1
