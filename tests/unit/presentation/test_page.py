"""The document that every page is: whole, in light and dark, and nothing from outside in reports."""

import re

import pytest

from webkeep.presentation.pages import (
    PAGE_STYLE,
    REPORT_STYLE,
    SERVER_STYLE,
    element,
    read_style,
    render_page,
    stream_report,
)

DECLARED = re.compile(r"(--[a-z0-9]+):")
USED = re.compile(r"var\((--[a-z0-9]+)\)")


def test_a_page_has_its_head_and_its_style() -> None:
    page = render_page("A < B", element("p", "text"), head=element("meta", name="x")).decode()
    assert page.startswith('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="x">')
    assert "<title>A &lt; B</title><style>" in page
    assert page.endswith("<p>text</p>\n</body></html>\n")
    for promised in ("width=device-width", "prefers-color-scheme: dark", "@media print", "@media (max-width"):
        assert promised in page


def test_a_page_may_do_without_style() -> None:
    assert b"<style>" not in render_page("x", style=())


def test_reports_allow_nothing_from_outside_before_anything_else_is_said() -> None:
    page = b"".join(stream_report("R", ["<script>", element("h1", "R")])).decode()
    assert page.index("default-src 'none'; style-src 'unsafe-inline'") < page.index("<title>")
    assert "&lt;script&gt;<h1>R</h1></main>" in page
    assert not re.search(r"url\(|@import|https?:", page)


def test_half_characters_in_addresses_break_no_page() -> None:
    assert b'href="/?"' in render_page("x", element("a", href="/\ud800"))


@pytest.mark.parametrize("style", [PAGE_STYLE, REPORT_STYLE, SERVER_STYLE])
def test_every_colour_is_one_of_the_shared_ones_in_light_and_in_the_dark(style: tuple[str, ...]) -> None:
    base, whole = read_style(("base",)), read_style(style)
    light, dark = base.split("prefers-color-scheme: dark")
    assert set(DECLARED.findall(light)) == set(DECLARED.findall(dark))
    assert set(USED.findall(whole)) <= set(DECLARED.findall(light))
    own = whole.removeprefix(base)
    assert not set(re.findall(r"#[0-9a-f]{3,8}\b(?=[;} ])", own)) - {"#fff", "#0004"}, (
        "the paper below a frame, a shadow"
    )
