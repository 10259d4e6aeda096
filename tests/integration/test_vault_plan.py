"""`webkeep vault plan` and `webkeep vault health`, on a small site that is protected, served and captured in parts."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from protected_tree import capture_pages, pages_of, protect, write_components, write_tree
from serve_calls import served
from small_site import SmallSite
from warc_material import webkeep

from webkeep.vault import read_plan


@dataclass(frozen=True, slots=True)
class Protected:
    """A protected site with its plan."""

    folder: Path
    app: Path
    tree: Path
    plan: Path
    vault: Path
    out: Path


@pytest.fixture(scope="module")
def protected(tmp_path_factory: pytest.TempPathFactory) -> Protected:
    folder = tmp_path_factory.mktemp("vault")
    made = Protected(
        folder,
        write_components(folder),
        write_tree(folder / "tree"),
        folder / "plan.json",
        folder / "v",
        folder / "out",
    )
    done = webkeep("vault", "plan", "--tree", made.tree, "--component", made.app, "--coverage", "60%", "--unencrypted",
                   "--out", made.plan)  # fmt: skip
    assert done.code == 0, done.err
    protect(made.vault, made.tree, made.out, "--component", made.app, "--plan", made.plan)
    return made


def test_a_plan_is_proposed_drawn_and_kept(protected: Protected, tmp_path: Path) -> None:
    html = tmp_path / "plan.html"
    done = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, "--coverage", "60%",
                   "--html", html)  # fmt: skip
    assert done.summary["reached"] and done.summary["chance"] >= 0.999
    assert done.summary["independent_chance"] > done.summary["chance"]
    assert [row["share"] for row in done.summary["by_share"]] == [at / 10 for at in range(1, 11)]
    advice = {each["code"]: each["pages"] for each in done.summary["advice"]}
    assert advice["orphans"] == ["/d4/7.html"]
    assert "one-archive" in advice
    assert b"<svg" in html.read_bytes() and b"lost together" in html.read_bytes()


def test_pages_grow_by_exactly_what_the_plan_says(protected: Protected) -> None:
    done = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, "--coverage", "60%",
                   "--unencrypted")  # fmt: skip
    (segment,) = done.summary["segments"]
    plan = read_plan(protected.plan)
    for page in plan.pages[plan.manifest_pages :]:
        before, after = ((tree / page.path[1:]).stat().st_size for tree in (protected.tree, protected.out))
        assert after - before == pytest.approx(segment["added_bytes"], abs=4)


def test_people_get_tables_and_advice(protected: Protected) -> None:
    done = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, "--coverage", "60%",
                   as_json=False)  # fmt: skip
    printed = done.out.decode()
    assert "pages held" in printed and "No link leads to 1 page" in printed
    assert "comes back with a chance of 99.9" in done.err


def test_what_archives_hold_is_asked_of_them(protected: Protected, tmp_path: Path) -> None:
    paths = [page.path for page in read_plan(protected.plan).pages]
    with SmallSite(pages_of(protected.tree)) as site:
        capture_pages(tmp_path / "archive", site, [path for path in paths if path.startswith(("/index", "/d1", "/d2"))])
        done = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, "--site", site.url(),
                       "--from", tmp_path / "archive", "--out", tmp_path / "plan.json")  # fmt: skip
        captured = webkeep("vault", "plan", "--captured", tmp_path / "archive", "--site", site.url(),
                           "--component", protected.app, "--coverage", "0.9")  # fmt: skip
    assert done.summary["pages_held"] == 17
    assert done.summary["directory_correlation"] == pytest.approx(0.9)
    advice = {each["code"]: each["pages"] for each in done.summary["advice"]}
    assert advice["uncovered"] == ["/d0/", "/d3/", "/d4/"]
    shares = {page.path: page.archived_share or 0 for page in read_plan(tmp_path / "plan.json").pages}
    assert shares["/d1/3.html"] > 0.7 > 0.2 > shares["/d3/3.html"]
    assert captured.summary["pages"] == 17


def test_a_plan_that_cannot_be_reached_is_told_and_is_no_success(protected: Protected) -> None:
    done = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, "--coverage", "2%")
    assert done.code == 1
    assert not done.summary["reached"] and done.summary["advice"][0]["code"] == "not-reached"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--coverage"),
        (["--coverage", "60%", "--chance", "1"], "between 0 and 1"),
        (["--coverage", "60%", "--correlation", "1"], "correlation"),
        (["--coverage", "nonsense"], "share"),
        (["--coverage", "60%", "--max-added", "1kB"], "do not fit"),
        (["--from", "wayback"], "--site"),
    ],
)
def test_calls_that_are_wrong_say_what_to_do(protected: Protected, words: list[str], said: str) -> None:
    done = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, *words, as_json=False)
    assert done.code == 2
    assert said in done.err and "Traceback" not in done.err


def test_health_tells_what_archives_hold_and_what_is_missing(protected: Protected, tmp_path: Path) -> None:
    plan = read_plan(protected.plan)
    (segment,) = plan.segments
    carriers = [plan.pages[page].path for page in segment.pages]
    chosen = random.Random(1).sample(carriers, segment.needed)
    with SmallSite(pages_of(protected.out)) as site:
        capture_pages(tmp_path / "few", site, chosen[:-1])
        words = ("vault", "health", protected.vault, "--site", site.url(), "--from", tmp_path / "few")
        few = webkeep(*words)
        assert few.code == 1 and not few.summary["recoverable"]
        (found,) = few.summary["segments"]
        assert (found["held"], found["short_by"]) == (segment.needed - 1, 1)
        assert sorted(found["missing_pages"]) == sorted(set(carriers) - set(chosen[:-1]))
        capture_pages(tmp_path / "one", site, chosen[-1:])
        both = webkeep(*words, "--from", tmp_path / "one")
    assert both.code == 0 and both.summary["recoverable"]
    (found,) = both.summary["segments"]
    assert found["hangs_on"] == ["few", "one"]
    assert found["by_archive"] == {"few": segment.needed - 1, "one": 1}
    assert both.summary["pages"]["current"] == segment.needed


@pytest.mark.parametrize("protocol", ["cdx={root}/cdx limit=1000/second", "memento={root}/ limit=1000/second"])
def test_archives_on_the_web_are_asked_by_their_protocols(protected: Protected, tmp_path: Path, protocol: str) -> None:
    plan = read_plan(protected.plan)
    (segment,) = plan.segments
    held = [plan.pages[page].path for page in segment.pages[: segment.needed]]
    with SmallSite(pages_of(protected.out)) as site:
        capture_pages(tmp_path / "archive", site, held)
        address = site.url()
    with served(tmp_path / "archive") as client:
        asked = ("--site", address, "--from", protocol.format(root=client.root), "--ledger", tmp_path / "ledger")
        health = webkeep("vault", "health", protected.vault, *asked)
        planned = webkeep("vault", "plan", "--tree", protected.tree, "--component", protected.app, *asked)
    assert health.summary["recoverable"], health.err
    assert health.summary["pages"]["current"] == len(held)
    assert planned.summary["pages_held"] == len(held)


def test_health_tells_pages_apart_that_are_outdated_or_lost_their_comments(
    protected: Protected, tmp_path: Path
) -> None:
    app = write_components(tmp_path, "new")
    vault, out = tmp_path / "v", tmp_path / "out"
    for name in ("signing-key", "vault.json"):
        (vault / "comments").mkdir(parents=True, exist_ok=True)
        (vault / name).write_bytes((protected.vault / name).read_bytes())
    for file in (protected.vault / "comments").iterdir():
        (vault / "comments" / file.name).write_bytes(file.read_bytes())
    protect(vault, protected.tree, out, "--component", app, "--plan", protected.plan)
    pages = {**pages_of(protected.out), **{f"/d0/{at}.html": page for at in (0, 1) for page in [
        pages_of(protected.tree)[f"/d0/{at}.html"]]}}  # fmt: skip
    paths = [page.path for page in read_plan(protected.plan).pages]
    with SmallSite(pages) as site:
        capture_pages(tmp_path / "archive", site, [path for path in paths if not path.startswith("/d4")])
        done = webkeep("vault", "health", vault, "--site", site.url(), "--from", tmp_path / "archive")
    assert done.code == 1
    assert done.summary["pages"] == {"current": 0, "outdated": 31, "without blocks": 2, "not held": 8}
    (found,) = done.summary["segments"]
    assert found["held"] == 0 and found["older_version"]


def test_health_of_what_is_no_vault_is_refused(tmp_path: Path) -> None:
    done = webkeep("vault", "health", tmp_path, "--site", "http://127.0.0.1/", "--from", tmp_path, as_json=False)
    assert done.code == 2 and "no vault" in done.err
