"""Forms of pages that ask for choices alone: which answers their lists, radio buttons, ticked boxes and buttons offer;
none are read where something is to be written, uploaded or picked at will.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from turbohtml import Element

_CONTROLS = ("input", "select", "textarea", "button")
_SILENT_TYPES = frozenset({"button", "reset"})
_SUBMIT_TYPES = frozenset({"submit", "image"})


@dataclass(frozen=True, slots=True)
class FormChoice:
    """One thing a form asks: the name it is sent by, and what can be chosen, that chosen beforehand first."""

    name: str
    values: tuple[str, ...]


def read_form_choices(form: Element) -> tuple[FormChoice, ...] | None:
    """What a form asks, in its order; None where something is to be written, uploaded or picked at will."""
    groups: dict[str, list[tuple[bool, str]]] = {}
    """Radio buttons, and buttons that send the form, each group with what it offers and what is chosen."""
    order: list[FormChoice | str] = []
    for control in form.iter_elements(_CONTROLS):
        name, kind = _attribute_text(control, "name"), _control_type(control)
        if "disabled" in control.attrs or kind in _SILENT_TYPES:
            continue
        if control.tag == "select":
            order += _read_select(name, control)
        elif kind == "hidden":
            order += [FormChoice(name, (_attribute_text(control, "value"),))] if name else []
        elif kind == "checkbox":
            is_sent = name and "checked" in control.attrs
            order += [FormChoice(name, (_attribute_text(control, "value") or "on",))] if is_sent else []
        elif kind == "radio" or kind in _SUBMIT_TYPES:
            if name and kind != "image":
                order += [name] if name not in groups else []
                offered = _attribute_text(control, "value") or ("on" if kind == "radio" else "")
                groups.setdefault(name, []).append(("checked" in control.attrs, offered))
        else:
            return None
    return tuple(each if isinstance(each, FormChoice) else _build_choice(each, groups[each]) for each in order)


def _control_type(control: Element) -> str:
    if control.tag == "input":
        return _attribute_text(control, "type").strip().lower() or "text"
    return (_attribute_text(control, "type").strip().lower() or "submit") if control.tag == "button" else control.tag


def _read_select(name: str, select: Element) -> Iterator[FormChoice]:
    options = [each for each in select.iter_elements("option") if "disabled" not in each.attrs]
    if name and options:
        yield _build_choice(name, [("selected" in each.attrs, _option_value(each)) for each in options])


def _option_value(option: Element) -> str:
    return _attribute_text(option, "value") if "value" in option.attrs else " ".join(option.text.split())


def _build_choice(name: str, offered: Iterable[tuple[bool, str]]) -> FormChoice:
    chosen_first = sorted(offered, key=lambda each: not each[0])
    return FormChoice(name, tuple(dict.fromkeys(value for _, value in chosen_first)))


def _attribute_text(element: Element, name: str) -> str:
    value = element.attrs.get(name) or ""
    return value if isinstance(value, str) else " ".join(value)
