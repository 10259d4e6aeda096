"""Which fields are filled with what a person gave."""

from small_trees import tree

from webkeep.browser import FieldFilling
from webkeep.browser.dom.dom_tree import DomTree
from webkeep.browser.dom.element_names import name_elements
from webkeep.browser.walk.field_filling import find_fields


def filled(planted: DomTree, *given: tuple[str, str]) -> set[str]:
    found = find_fields(planted, name_elements(planted), [FieldFilling(*each) for each in given])
    return {f"{each.interaction.target} {each.interaction.value}" for each in found.candidates}


def page(*children: object) -> DomTree:
    return tree(("html", {}, ("body", {}, *children)))


def test_fields_are_found_by_name_id_and_label() -> None:
    planted = page(
        ("input", {"id": "first", "name": "q"}),
        ("label", {"for": "second"}, "Your  Town:"),
        ("input", {"id": "second"}),
        ("label", {}, "Street", ("textarea", {"id": "third"})),
        ("input", {"id": "fourth", "placeholder": "Search"}),
        ("input", {"id": "fifth"}),
    )
    given = [("q", "a"), ("your town", "b"), ("street", "c"), ("SEARCH", "d"), ("#fifth", "e"), ("nowhere", "f")]
    assert filled(planted, *given) == {"#first a", "#second b", "#third c", "#fourth d", "#fifth e"}
    assert filled(planted) == set()


def test_one_field_may_be_filled_in_several_ways_but_not_twice_alike() -> None:
    planted = page(("input", {"id": "q", "name": "q", "_state": "here"}))
    assert filled(planted, ("q", "here"), ("q", "there"), ("#q", "where")) == {"#q there", "#q where"}


def test_nothing_is_typed_where_nobody_could() -> None:
    named = [("input", {"name": "q", **more}) for more in ({"disabled": ""}, {"readonly": ""}, {"type": "submit"})]
    assert filled(page(*named, ("input", {"name": "q", "_unseen": True}), ("p", {"id": "q"})), ("q", "x")) == set()


def test_passwords_are_withheld() -> None:
    planted = page(("input", {"id": "key", "type": "Password"}))
    found = find_fields(planted, name_elements(planted), [FieldFilling("key", "secret")])
    assert (found.candidates, found.withheld) == ((), {"key"})
