"""Links out of forms that ask for choices alone and are sent by GET: each is a page that a reader reaches without
writing anything; how many sets of answers of a form are followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from math import prod
from typing import Any
from urllib.parse import urlencode

from webkeep.document import FormChoice, read_form_choices
from webkeep.extract.links.link import NO_PLACE, LinkReference, LinkRole

MAX_FORM_REFERENCES = 24
"""So many sets of answers of one form are followed: each is a request, and most give the same."""

_MAX_ADDRESS_CHARS = 2000
"""Longer addresses of forms are none that a server would take."""


def form_references(form: Any) -> Iterator[LinkReference]:
    """Where a form that is sent by GET leads with what it lets a reader choose; nothing where anything is written.

    They are guesses: which of the choices make a page can only be found out.
    """
    if str(form.attrs.get("method") or "get").strip().lower() != "get":
        return
    choices = read_form_choices(form)
    if not choices:
        return
    action = str(form.attrs.get("action") or "").strip().partition("#")[0].partition("?")[0]
    for answers in islice(_answer_sets(choices), MAX_FORM_REFERENCES):
        query = urlencode([(choice.name, value) for choice, value in zip(choices, answers, strict=True)])
        if len(query) <= _MAX_ADDRESS_CHARS:
            yield LinkReference(
                f"{action}?{query}", LinkRole.NAVIGATE, "html form[choices]", True, "", NO_PLACE, NO_PLACE
            )


def _answer_sets(choices: tuple[FormChoice, ...]) -> Iterator[tuple[str, ...]]:
    """All sets of answers where they are few, else those that differ in one from what is chosen beforehand."""
    if prod(len(each.values) for each in choices) <= MAX_FORM_REFERENCES:
        yield from product(*(each.values for each in choices))
        return
    usual = tuple(each.values[0] for each in choices)
    yield usual
    for place, choice in enumerate(choices):
        yield from ((*usual[:place], value, *usual[place + 1 :]) for value in choice.values[1:])
