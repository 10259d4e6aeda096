"""Which interactions a page offers."""

from small_trees import by_id, tree

from webkeep.browser import Interaction
from webkeep.browser.dom.dom_tree import DomTree
from webkeep.browser.dom.element_names import name_elements
from webkeep.browser.dom.event_listeners import EventListener, parse_listeners
from webkeep.browser.walk.gestures import find_gestures
from webkeep.browser.walk.interaction_candidates import find_candidates
from webkeep.browser.walk_model import InteractionKind


def offered(planted: DomTree, *listeners: EventListener) -> dict[str, bool]:
    found = find_candidates(planted, name_elements(planted), listeners)
    return {
        f"{each.interaction.event} {each.interaction.target} {each.interaction.value}".strip(): each.is_sampled
        for each in found
    }


def page(*children: object) -> DomTree:
    return tree(("html", {}, ("body", {}, *children)))


def test_an_element_that_listens_is_a_candidate_if_it_can_be_seen() -> None:
    planted = page(
        ("p", {"id": "shown"}), ("p", {"id": "hidden", "_unseen": True}), ("button", {"id": "off", "disabled": ""})
    )
    heard = [EventListener(by_id(planted, name).id, "mouseenter", "1:1:1") for name in ("shown", "hidden", "off")]
    assert offered(planted, *heard) == {"mouseover #shown": False}


def test_a_listener_on_a_list_is_meant_for_what_it_holds() -> None:
    planted = page(("ul", {"id": "list"}, ("li", {"data-key": "a"}), ("li", {})), ("p", {"id": "outside"}))
    found = offered(planted, EventListener(by_id(planted, "list").id, "click", "1:1:1"))
    assert found == {
        "click #list": False,
        "click #list > li:nth-of-type(1)": False,
        "click #list > li:nth-of-type(2)": True,
    }


def test_of_several_that_listen_the_nearest_speaks_for_what_it_holds() -> None:
    near = ("ul", {"id": "near"}, ("li", {}, ("b", {"id": "item"}, "text")), ("button", {"id": "own"}, ("i", {}, "x")))
    planted = page(("div", {"id": "far"}, near, ("b", {"id": "beside"}, "text")))
    heard = [
        EventListener(by_id(planted, name).id, event, f"{name}:1:1")
        for name, event in (("far", "click"), ("far", "mouseover"), ("near", "click"), ("own", "click"))
    ]
    found = {
        (each.interaction.target, each.interaction.event): each.group_key.split()[1]
        for each in find_candidates(planted, name_elements(planted), (*heard,))
        if each.is_sampled
    }
    assert found == {
        ("#item", "click"): "near:1:1",
        ("#item", "mouseover"): "far:1:1",
        ("#beside", "click"): "far:1:1",
        ("#beside", "mouseover"): "far:1:1",
        ("#own > i:nth-of-type(1)", "mouseover"): "far:1:1",
    }, "what is in a control is not meant"


def test_rows_that_listen_alike_are_meant_themselves() -> None:
    planted = page(*(("tr", {"id": f"row-{number}"}, ("td", {})) for number in range(3)))
    heard = [EventListener(by_id(planted, f"row-{number}").id, "click", "1:1:1") for number in range(3)]
    assert offered(planted, *heard) == {f"click #row-{number}": False for number in range(3)}


def test_a_listener_on_the_document_reaches_controls_everywhere() -> None:
    planted = page(("a", {"id": "link", "href": "x"}), ("div", {}, ("span", {"id": "leaf"}, "text")))
    assert offered(planted, EventListener(1, "click", "1:1:1")) == {"click #link": False, "click #leaf": True}


def test_choices_are_made_one_by_one_and_ticks_are_clicks() -> None:
    options = [("option", {"value": "a", "_state": " chosen"}), ("option", {"value": "b"}), ("option", {}, "See")]
    planted = page(("select", {"id": "choice"}, *options), ("input", {"id": "tick", "type": "checkbox"}))
    heard = [EventListener(by_id(planted, name).id, "change", name) for name in ("choice", "tick")]
    assert set(offered(planted, *heard)) == {"change #choice b", "change #choice See", "click #tick"}


def test_some_elements_act_by_themselves() -> None:
    planted = page(
        ("details", {}, ("summary", {"id": "more"})),
        ("a", {"id": "part", "href": "#part"}),
        ("a", {"id": "js", "href": "javascript:x()"}),
    )
    assert set(offered(planted)) == {"click #more", "click #js"}
    assert "click #part" in offered(planted, EventListener(0, "hashchange", "1:1:1"))


def test_submit_is_off_unless_wanted() -> None:
    planted = page(("form", {"id": "form"}))
    heard = (EventListener(by_id(planted, "form").id, "submit", "1:1:1"),)
    names = name_elements(planted)
    assert find_candidates(planted, names, heard) == []
    assert [each.interaction.event for each in find_candidates(planted, names, heard, {"submit"})] == ["submit"]


def test_long_pages_are_scrolled_and_overlays_pointed_at() -> None:
    planted = tree(("html", {}, ("body", {}, ("div", {"id": "cover", "_width": 1280, "_height": 960}))), height=3000)
    heard = (EventListener(by_id(planted, "cover").id, "click", "1:1:1"),)
    found = [each.interaction for each in find_gestures(planted, name_elements(planted), heard)]
    assert found[0] == Interaction("scroll", "html", InteractionKind.CANNED)
    points = [each.point for each in found[1:]]
    assert len(set(points)) == len(points) == 24
    assert None not in points


def test_listeners_are_read_as_chromium_tells_them() -> None:
    told = [
        {"type": "click", "scriptId": "3", "lineNumber": 1, "columnNumber": 2, "backendNodeId": 20},
        {"type": "popstate"},
    ]
    assert parse_listeners(told) == [EventListener(20, "click", "3:1:2"), EventListener(0, "popstate", ":0:0")]
