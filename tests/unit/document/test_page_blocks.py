"""Blocks of a page: texts, links, pictures and unseen values, each with its place."""

import pytest

from webkeep.document import BlockRole, PageBlock, read_page_blocks, read_text_blocks

TEXT, LINK, PICTURE, UNSEEN = BlockRole


def test_each_part_of_a_page_with_its_place() -> None:
    page = (
        '<body class=x><main id=top-12><ul class="news list"><li><a href=" /a#b ">A\n one</a></ul>'
        "<img src=/i.png?v=2></main><script nonce=abc>hidden()</script>"
        "<form><input type=hidden name=csrf value=12><input name=q value=seen></form>"
        "<meta name=token content=t><template>no</template><a href='#here'></a>"
    )
    assert read_page_blocks(page) == [
        PageBlock(LINK, "main#top-0 ul.news.list li a", "/a"),
        PageBlock(TEXT, "main#top-0 ul.news.list li a", "A one"),
        PageBlock(PICTURE, "main#top-0 img", "/i.png"),
        PageBlock(UNSEEN, "script", "nonce=abc"),
        PageBlock(UNSEEN, "form input", "csrf=12"),
        PageBlock(UNSEEN, "meta", "token=t"),
    ]


def test_pages_nest_deeper_than_python_calls_and_places_stay_short() -> None:
    blocks = read_page_blocks("<div>" * 50_000 + "deep")
    assert blocks is not None
    assert blocks[-1].value == "deep"
    assert blocks[-1].place == "div div div div div"


@pytest.mark.parametrize("page", ["<p>word " * 60_000, "x" * 3_000_000])
def test_pages_too_long_are_not_read_like_this(page: str) -> None:
    assert read_page_blocks(page) is None


def test_texts_that_are_no_pages() -> None:
    assert read_text_blocks("one\n\n  two  words\n") == [PageBlock(TEXT, "", "one"), PageBlock(TEXT, "", "two words")]
    assert read_text_blocks("line\n" * 60_000) is None
