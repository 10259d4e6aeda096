"""What is known of the pages with states, held against every pair of interactions, each pair on a load of its own.

Nothing is inferred here, so that the truth does not rest on the walk that is held against it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from bench.states_site import FOLDER, page_names
from flavours import FLAVOURS
from states_pages import WalkedPages, words
from walk_limits import walk_limits

from webkeep.browser import InteractionScript
from webkeep.browser.dom.dom_markup import shown_resources
from webkeep.browser.resource_identity import resources_from
from webkeep.browser.tabs import Tab
from webkeep.browser.walk.page_session import PageSession
from webkeep.browser.walk.view_snapshot import take_snapshot

SMALL = ("consent", "framed", "hash-routes", "load-more", "modals", "shadow", "tabs-kept", "toggles", "wizard")
"""Pages that come to rest, with few enough pairs."""


@pytest.fixture(scope="module", params=FLAVOURS)
def pages(request: pytest.FixtureRequest) -> Iterator[WalkedPages]:
    with WalkedPages(tabs=1, program=request.param) as walked:
        yield walked


@dataclass(frozen=True)
class Reached:
    view: str
    resources: frozenset[str]
    available: InteractionScript


async def reached(rig: PageSession, script: InteractionScript) -> Reached:
    asked = set((await rig.load_page()).requests)
    for interaction in script:
        outcome = await rig.run_step(interaction)
        assert outcome is not None and outcome.is_exact and outcome.tree is not None
        asked |= set(outcome.effects.requests)
        rig.enter_view(outcome.tree, interaction)
    drawn = take_snapshot(rig.ground, await rig.tab.read_listeners(), walk_limits())
    resources = resources_from(frozenset(asked), shown_resources(rig.ground))
    return Reached(rig.signature(rig.ground), resources, tuple(each.interaction for each in drawn.available))


async def every_pair(tab: Tab, url: str) -> dict[tuple[str, ...], Reached]:
    """What all scripts of up to two interactions lead to."""
    rig = PageSession(tab, url, walk_limits())
    scripts: list[InteractionScript] = [()]
    found: dict[tuple[str, ...], Reached] = {}
    for script in scripts:
        end = found[tuple(map(words, script))] = await reached(rig, script)
        if len(script) < 2:
            scripts += [(*script, each) for each in end.available]
    return found


def steps(script: str) -> tuple[str, ...]:
    return tuple(script.split(" ; ")) if script else ()


@pytest.mark.parametrize("name", SMALL)
def test_pairs_lead_where_the_truth_says(pages: WalkedPages, name: str) -> None:
    truth = json.loads((FOLDER / name / "truth.json").read_text())
    more, url = truth["combinations"], pages.site.url(name)
    found = pages.run(every_pair(pages.tabs[0], url))

    listed = {found[steps(each)].view: found[steps(each)].resources for each in truth["views"]}
    every = dict(reversed([(each.view, each.resources) for each in found.values()]))
    assert len(listed) == len(truth["views"])
    assert len(every) == len(listed) + more["views"]
    assert len(set(listed.values())) == truth["states"]
    assert len(set((every | listed).values())) == truth["states"] + more["states"]

    moves = {
        (found[script[:-1]].view, script[-1]): end.view
        for script, end in found.items()
        if script and end.view != found[script[:-1]].view
    }
    for transition in truth["transitions"]:
        way, _, end = transition.partition(" -> ")
        assert moves[found[steps(way)[:-1]].view, steps(way)[-1]] == found[steps(end)].view, transition
    assert len(moves) == len(truth["transitions"]) + more["transitions"]

    own = {each.removeprefix(url) for end in found.values() for each in end.resources if each.startswith(url)}
    assert {each or "index.html" for each in own} == {*truth["resources"], *more["resources"]}


def test_the_pages_are_there() -> None:
    assert set(SMALL) <= set(page_names())
