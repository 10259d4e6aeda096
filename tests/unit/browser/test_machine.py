"""The machine of a walk, and the paper's measures on it."""

from webkeep.browser import Interaction, PageView, SideEffects, StateWalk
from webkeep.browser.walk import state_machine as machine
from webkeep.browser.walk_model import PageRequest, ViewTransition, WalkEnding

A, B, C = (Interaction("click", f"#{name}") for name in "abc")


def asked(*names: str) -> frozenset[PageRequest]:
    return frozenset(PageRequest("GET", f"http://site.test/{name}") for name in names)


def view(number: int, parent: int | None, script: tuple[Interaction, ...], *names: str) -> PageView:
    return PageView(
        number, str(number), script, parent, "http://site.test/", "", "", "", asked(*names), frozenset(), (), ()
    )


def walk() -> StateWalk:
    """The tree of the paper's figure 3: two interactions, one of them with a picture, two more below each."""
    views = (
        view(0, None, (), "page"),
        view(1, 0, (A,), "page", "picture"),
        view(2, 0, (B,), "page"),
        view(3, 1, (A, C), "page", "picture"),
        view(4, 2, (B, C), "page", "deep"),
        view(5, 1, (A, B), "page", "picture", "more"),
    )
    steps = ((0, A, 1), (0, B, 2), (1, C, 3), (2, C, 4), (1, B, 5), (2, A, 5))
    brought = {1: asked("picture"), 4: asked("deep"), 5: asked("more")}
    transitions = tuple(
        ViewTransition(source, step, target, SideEffects(tuple(brought.get(target, ()))))
        for source, step, target in steps
    )
    return StateWalk("http://site.test/", views, transitions, SideEffects(), WalkEnding.COMPLETE)


def test_states_are_views_with_equal_resources() -> None:
    states = machine.find_states(walk())
    assert [state.views for state in states] == [(0, 2), (1, 3), (4,), (5,)]
    assert [state.depth for state in states] == [0, 1, 2, 2]
    assert machine.count_descendants(walk()) == 3


def test_the_machine_leads_from_state_to_state() -> None:
    found = machine.build_machine(walk())
    assert found.alphabet == (A, B, C)
    assert found.delta == ((0, 0, 1), (0, 1, 0), (1, 2, 1), (0, 2, 2), (1, 1, 3), (0, 0, 3))
    assert found.initial == 0


def test_resources_of_paths() -> None:
    walked = walk()
    last = walked.views[5]
    assert machine.resources_on_path(walked, last) == {
        f"http://site.test/{name}" for name in ("page", "picture", "more")
    }
    assert machine.new_resources(walked, last) == {"http://site.test/more"}
    assert machine.new_resources(walked, walked.views[0]) == {"http://site.test/page"}
    assert [each.id for each in machine.path_to(walked, last)] == [0, 1, 5]
    assert len(machine.all_resources(walked)) == 4


def test_equal_equivalent_isomorphic_identical() -> None:
    walked = walk()
    views = walked.views
    assert machine.are_equal(views[3].script, (A, C))
    assert not machine.are_equal((A, B), (B, A))
    assert machine.are_equivalent(views[0], views[2])
    assert machine.are_isomorphic(walked, views[3], views[3])
    assert not machine.are_isomorphic(walked, views[1], views[2])
    assert machine.are_identical(walked, views[3], views[3])
    assert not machine.are_identical(walked, views[3], views[4])


def test_interactions_commute_or_are_not_known_to() -> None:
    assert machine.do_commute(walk(), A, B) is True
    assert machine.do_commute(walk(), A, C) is None


def test_depth_and_breadth_count_what_needs_something_new() -> None:
    assert machine.machine_depth(walk()) == 2
    assert machine.machine_breadth(walk()) == 2


def test_contributions_are_by_event() -> None:
    assert machine.event_contributions(walk()) == {"click": 3}
