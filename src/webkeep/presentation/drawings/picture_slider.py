"""Two pictures of one thing in one frame, with a slider that shows more of the one or of the other; side by side on
paper, and where no script runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from webkeep.presentation.pages.markup import Markup, element


@dataclass(frozen=True, slots=True)
class SliderPicture:
    """One of the two."""

    name: str
    """What it is, in a word."""
    address: str
    """As a `data:` URL."""
    width: int
    height: int


@cache
def read_slider_script() -> str:
    """The script that moves them."""
    return (files("webkeep.presentation.drawings") / "script" / "slider.js").read_text("utf-8")


def render_picture_slider(
    title: str,
    pictures: tuple[SliderPicture, SliderPicture],
    regions: Sequence[tuple[float, float, float, float]],
    *caption: object,
) -> Markup:
    """Both pictures; `regions` are places that are marked, as shares of width and height: left, top, width, height."""
    first, second = pictures
    marks = [element("i", class_="mark", style=_mark_style(each)) for each in regions]
    frame = element("div", _render_picture(title, first, "one"), _render_picture(title, second, "other"), marks,
                    class_="pictures")  # fmt: skip
    slider = element(
        "input",
        type="range",
        min=0,
        max=100,
        value=50,
        aria_label=f"{title}: left of here {first.name}, right of here {second.name}",
    )
    tools = [element("span", first.name), slider, element("span", second.name)]
    if marks:
        tools.append(element("label", element("input", type="checkbox", checked=True), " mark differences"))
    return element(
        "figure",
        element("p", tools, class_="tools slide"),
        element("div", frame, class_="window", tabindex="0", role="group", aria_label=title),
        element("figcaption", caption),
        class_="full slider",
    )


def _render_picture(title: str, picture: SliderPicture, class_: str) -> Markup:
    return element(
        "div",
        element("small", picture.name),
        element("img", src=picture.address, alt=f"{title}, {picture.name}", width=picture.width,
                height=picture.height),
        class_=class_,
    )  # fmt: skip


def _mark_style(region: tuple[float, float, float, float]) -> str:
    left, top, width, height = (f"{100 * share:.2f}%" for share in region)
    return f"left:{left};top:{top};width:{width};height:{height}"
