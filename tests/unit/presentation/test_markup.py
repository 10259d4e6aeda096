"""Markup: what strangers wrote is text, and nothing is hidden in it."""

from html.parser import HTMLParser

import pytest

from webkeep.presentation.pages import Markup, element, escape_text, join_markup, render_facts, render_table


def test_text_is_escaped_and_markup_is_not() -> None:
    assert element("p", "a < b & c", element("b", '"d"')) == '<p>a &lt; b &amp; c<b>"d"</b></p>'
    assert join_markup(("x<", None, 5, [Markup("<br>"), "y"])) == "x&lt;5<br>y"


def test_attributes_are_quoted_and_left_out() -> None:
    made = element("a", "x", href='/"<', class_="one", data_label="L", title=None, hidden=False, defer=True)
    assert made == '<a href="/&quot;&lt;" class="one" data-label="L" defer>x</a>'
    assert element("br") == "<br>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ud800\x1b<&\u200b", "a\\ud800\\x1b&lt;&amp;\\u200b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("thin\u00a0space, a famil\u0438\u200dy", "thin\u00a0space, a famil\u0438\u200dy"),
    ],
    ids=["controls and half characters", "turned around", "lines", "what scripts need"],
)
def test_what_hides_or_turns_text_around_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert escape_text(text) == shown
    assert element("p", text) == f"<p>{shown}</p>"


def test_titles_are_read_and_addresses_are_followed() -> None:
    assert element("a", title="\u202ex", href="/\u202ex") == '<a title="\\u202ex" href="/\u202ex"></a>'


def test_a_table_is_whole_and_may_have_cells_of_its_own() -> None:
    rows = [("<a>", element("b", "1")), (element("td", "2", class_="number"), ""), element("tr", element("td", "3"))]
    made = "".join(render_table(("one", element("th", "two", class_="number")), rows, class_="list", caption="C"))
    assert made.replace("\n", "") == (
        '<div class="scroll" tabindex="0"><table class="list"><caption>C</caption>'
        '<thead><tr><th>one</th><th class="number">two</th></tr></thead><tbody>'
        "<tr><td>&lt;a&gt;</td><td><b>1</b></td></tr>"
        '<tr><td class="number">2</td><td></td></tr><tr><td>3</td></tr></tbody></table></div>'
    )


def test_facts_without_a_value_are_left_out() -> None:
    assert render_facts([("name", "<x>"), ("nothing", ""), ("none", None)]) == (
        "<dl><dt>name</dt><dd>&lt;x&gt;</dd></dl>"
    )


class Opened(HTMLParser):
    """Holds every tag against the one that closes it."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "br", "link"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def well_formed(text: str) -> bool:
    parser = Opened()
    parser.feed(text)
    return not parser.open


def test_what_is_made_of_elements_is_whole() -> None:
    assert well_formed(element("div", [element("p", element("br"), "<p>")], element("ul")))
