"""Signatures, names, markup and overlays of trees."""

from typing import Any

import pytest
from small_trees import Planter, by_id, tree

from webkeep.browser.dom.dom_markup import find_links, serialize_html, shown_resources, visible_text
from webkeep.browser.dom.dom_signature import dom_signature
from webkeep.browser.dom.dom_tree import DomNode, DomTree
from webkeep.browser.dom.element_names import name_elements
from webkeep.browser.dom.tree_overlay import changed_nodes, overlay_changes

PAGE = ("html", {}, ("body", {}, ("p", {"id": "first"}, "One"), ("p", {}, "Two")))


def with_node(planted: DomTree, node: DomNode, **changes: Any) -> DomTree:
    return DomTree({**planted.nodes, node.id: node._replace(**changes)}, planted.frames)


def test_signatures_do_not_depend_on_numbers_or_spacing() -> None:
    other = ("html", {}, ("body", {}, ("p", {"id": "first"}, " One\n"), "  ", ("p", {}, "Two")))
    assert dom_signature(tree(PAGE)) == dom_signature(Planter(500).tree(other))


@pytest.mark.parametrize(
    "other",
    [
        ("html", {}, ("body", {}, ("p", {"id": "first"}, "One"), ("p", {}, "Three"))),
        ("html", {}, ("body", {}, ("p", {"id": "first"}, "One", ("p", {}, "Two")))),
        ("html", {}, ("body", {}, ("p", {"id": "first", "class": "x"}, "One"), ("p", {}, "Two"))),
        ("html", {}, ("body", {}, ("p", {"id": "first", "_state": "chosen"}, "One"), ("p", {}, "Two"))),
    ],
    ids=["text", "nesting", "attribute", "state"],
)
def test_signatures_differ_with(other: object) -> None:
    assert dom_signature(tree(PAGE)) != dom_signature(tree(other))


def test_volatile_parts_do_not_count() -> None:
    before = tree(PAGE)
    node = by_id(before, "first")
    text = before.nodes[node.children[0]]
    after = with_node(before, text, value="Another time")
    assert dom_signature(before) != dom_signature(after)
    assert dom_signature(before, {node.id}) == dom_signature(after, {node.id})


def test_names_lead_from_ids_down_and_into_shadows_and_frames() -> None:
    planted = tree(
        ("html", {}, ("body", {},
            ("ul", {"id": "list"}, ("li", {}), ("li", {})),
            ("my-box", {"id": "box"}, ("button", {"_shadow": "closed"})),
            ("p", {"id": "twice"}), ("p", {"id": "twice"}),
        ))
    )  # fmt: skip
    names = set(name_elements(planted).by_name)
    assert {"html", "#list", "#list > li:nth-of-type(2)", "#box >>> button:nth-of-type(1)"} <= names
    assert {"html > body:nth-of-type(1) > p:nth-of-type(1)", "html > body:nth-of-type(1) > p:nth-of-type(2)"} <= names


def test_markup_is_written_back() -> None:
    planted = tree(
        ("html", {}, ("body", {"title": '"<&'}, "a < b", ("br", {}), ("x-y", {}, ("i", {"_shadow": "open"}))))
    )
    assert serialize_html(planted) == (
        '<html><body title="&quot;&lt;&amp;">a &lt; b<br><x-y><template shadowrootmode="open"><i></i></template></x-y>'
        "</body></html>"
    )


def test_text_is_what_is_drawn() -> None:
    planted = tree(PAGE)
    hidden = planted.nodes[by_id(planted, "first").children[0]]
    assert visible_text(planted) == "One\nTwo"
    assert visible_text(with_node(planted, hidden, box=None)) == "Two"


def test_text_stays_apart_where_its_boxes_do() -> None:
    row = ("tr", {}, ("td", {}, "a"), ("td", {}, "b"))
    folded = ("details", {}, ("summary", {}, "more"), "inside")
    planted = tree(
        ("body", {}, "before", ("h1", {}, "Title"), "after ", ("b", {}, "bold"), ("table", {}, row), folded, "end")
    )
    assert visible_text(planted) == "before\nTitle\nafter bold\na b\nmore\ninside\nend"


def test_links_and_references_are_resolved() -> None:
    planted = tree(
        ("html", {}, ("body", {},
            ("a", {"href": "next.html#part"}), ("a", {"href": "mailto:x@site.test"}), ("form", {"action": "/send"}),
            ("img", {"src": "small.png", "_source": "http://site.test/large.png"}), ("img", {"src": "plain.png"}),
            ("img", {"src": "later.png", "loading": "lazy"}), ("img", {"src": "data:,x"}),
        )), url="http://site.test/at/"
    )  # fmt: skip
    assert find_links(planted) == ("http://site.test/at/next.html#part", "http://site.test/send")
    assert shown_resources(planted) == {"http://site.test/large.png", "http://site.test/at/plain.png"}


def test_what_others_did_is_left_out_of_an_overlay() -> None:
    view = tree(("html", {}, ("body", {}, ("p", {"id": "mine"}), ("p", {"id": "theirs"}))))
    before = with_node(view, by_id(view, "theirs"), attributes=("id", "theirs", "class", "open"))
    after = with_node(before, by_id(before, "mine"), attributes=("id", "mine", "class", "open"))
    written = changed_nodes(before, after)
    assert set(written) == {by_id(view, "mine").id}
    result = overlay_changes(view, before, after, written)
    assert result is not None
    assert by_id(result, "mine").get("class") == "open"
    assert by_id(result, "theirs").get("class") is None


def test_what_builds_on_others_cannot_be_overlaid() -> None:
    view = tree(("html", {}, ("body", {}, ("ul", {"id": "list"}))))
    made = DomNode(900, by_id(view, "list").id, 1, "li", "", (), ())
    before = DomTree({**view.nodes, 900: made}, view.frames)
    before = with_node(before, by_id(before, "list"), children=(900,))
    after = DomTree({**before.nodes, 901: made._replace(id=901)}, view.frames)
    after = with_node(after, by_id(after, "list"), children=(900, 901))
    assert overlay_changes(view, before, after, changed_nodes(before, after)) is None
    inside = with_node(before, before.nodes[900], attributes=("class", "seen"))
    assert overlay_changes(view, before, inside, changed_nodes(before, inside)) is None


def test_what_others_made_below_a_written_node_is_no_part_of_its_view() -> None:
    """A popup that others filled hangs below an element whose class an interaction toggles."""
    view = tree(("html", {}, ("body", {"id": "body"}, ("div", {"id": "pane"}, ("p", {"id": "old"})))))
    pane, body = by_id(view, "pane"), by_id(view, "body")
    made = DomNode(900, pane.id, 1, "p", "", (), ())
    before = with_node(with_node(view, pane, children=(*pane.children, 900)), made)
    after = with_node(before, body, attributes=("id", "body", "class", "open"))
    result = overlay_changes(view, before, after, changed_nodes(before, after))
    assert result is not None
    assert {child for node in result.nodes.values() for child in node.children} <= result.nodes.keys()
    assert "#old" in name_elements(result).by_name
    assert (
        serialize_html(result)
        == '<html><body id="body" class="open"><div id="pane"><p id="old"></p></div></body></html>'
    )


def test_what_others_turned_inside_out_cannot_be_overlaid() -> None:
    view = tree(("html", {}, ("body", {"id": "body"}, ("div", {"id": "outer"}, ("div", {"id": "inner"})))))
    body, outer, inner = (by_id(view, name) for name in ("body", "outer", "inner"))
    turned = with_node(view, body, children=(inner.id,))
    turned = with_node(turned, inner, parent=body.id, children=(outer.id,))
    before = with_node(turned, outer, parent=inner.id, children=())
    after = with_node(before, before.nodes[inner.id], attributes=("id", "inner", "class", "open"))
    assert overlay_changes(view, before, after, changed_nodes(before, after)) is None


def test_on_nothing_but_the_view_a_step_is_what_it_is() -> None:
    view = tree(PAGE)
    after = with_node(view, by_id(view, "first"), attributes=("id", "first", "class", "open"))
    assert overlay_changes(view, view, after, changed_nodes(view, after)) is after


@pytest.mark.parametrize(
    ("method", "leads"), [("", True), ("get", True), (" GET ", True), ("POST", False), ("dialog", False)]
)
def test_forms_that_would_be_sent_otherwise_lead_nowhere(method: str, leads: bool) -> None:
    page = tree(("html", {}, ("body", {}, ("form", {"action": "http://site.test/send", "method": method}, "Send"))))
    assert (find_links(page) == ("http://site.test/send",)) is leads
