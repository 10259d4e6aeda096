"""The machine of a walk, and the paper's measures on it."""

from webkeep.browser import machine
from webkeep.browser.values import Asking, Ending, Happenings, Interaction, Transition, View, Walk

A, B, C = (Interaction("click", f"#{name}") for name in "abc")


def asked(*names: str) -> frozenset[Asking]:
    return frozenset(Asking("GET", f"http://site.test/{name}") for name in names)


def view(number: int, parent: int | None, script: tuple[Interaction, ...], *names: str) -> View:
    return View(
        number, str(number), script, parent, "http://site.test/", "", "", "", asked(*names), frozenset(), (), ()
    )


def walk() -> Walk:
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
        Transition(source, step, target, Happenings(tuple(brought.get(target, ())))) for source, step, target in steps
    )
    return Walk("http://site.test/", views, transitions, Happenings(), Ending.COMPLETE)


def test_states_are_views_with_equal_resources() -> None:
    states = machine.states(walk())
    assert [state.views for state in states] == [(0, 2), (1, 3), (4,), (5,)]
    assert [state.depth for state in states] == [0, 1, 2, 2]
    assert machine.descendants(walk()) == 3


def test_the_machine_leads_from_state_to_state() -> None:
    found = machine.machine(walk())
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
    assert machine.commute(walk(), A, B) is True
    assert machine.commute(walk(), A, C) is None


def test_depth_and_breadth_count_what_needs_something_new() -> None:
    assert machine.depth(walk()) == 2
    assert machine.breadth(walk()) == 2


def test_contributions_are_by_event() -> None:
    assert machine.contributions(walk()) == {"click": 3}
