"""Where a page ends: what its marks prove is what a parser sees, and what is known of pages is true of each of them."""

from hypothesis import given, settings, strategies as st

from webkeep.document import takes_comment_at_end
from webkeep.vault.blocks import can_carry
from webkeep.vault.blocks.open_text import are_marks_closed
from webkeep.vault.middleware.known_pages import KnownPages

ELEMENTS = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext", "SCRIPT")
# Without quotes: a tag that is left open in a quoted value is not told by marks, and nothing that follows is shown.
PARTS = st.sampled_from(
    [
        *(f"<{name}{end}" for name in ELEMENTS for end in (">", " a=b>", "/>", "x>", "")),
        *(f"</{name}{end}" for name in ELEMENTS for end in (">", " >", "\v>", "x>", "")),
        *("<!--", "-->", "--!>", "<!-->", "-", ">", "<", "<!", "</", "]]>", "<![CDATA[", "<svg>", "</svg>", "<math>"),
        *("text", " ", "<p>", "</p>", "</body>", "</html>", "<select>", "<template>", "<table>"),
    ]
)
PAGES = st.lists(PARTS, max_size=14).map(lambda parts: "<!DOCTYPE html>" + "".join(parts) + ".>")


@given(PAGES)
@settings(max_examples=2000)
def test_what_marks_prove_is_what_a_parser_sees(text: str) -> None:
    page = text.encode()
    if are_marks_closed(page):
        assert takes_comment_at_end(page)


@given(st.lists(PARTS, max_size=6), st.lists(PARTS, max_size=6), st.lists(st.lists(PARTS, max_size=3), max_size=6))
@settings(max_examples=600)
def test_what_is_known_is_true_of_every_page(start: list[str], end: list[str], middles: list[list[str]]) -> None:
    known = KnownPages()
    for middle in middles:
        page = ("<!DOCTYPE html>" + "".join(start) + "".join(middle) + "".join(end) + "." * 60 + ">").encode()
        assert known.can_carry("page", page) is can_carry(page)
