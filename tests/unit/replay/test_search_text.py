"""The text of a page as a search reads it."""

import pytest

from webkeep.replay.words import extract_search_text

PAGES = {
    "blocks": ("<p>One<p>two<br>three<table><tr><td>four<td>five</table>", "One two three four five"),
    "words in pieces": ("<p>H<b>ell</b>o", "Hello"),
    "spans that touch": ("<a><span>Courier</span><span>News</span></a>", "Courier News"),
    "marks of lists": ("<ul><li>one<li>two</ul>", "one two"),
    "the matter first": ("<header>Name</header><main>Text</main><footer>End</footer>", "Text · Name · End"),
    "a menu last": ("<nav>Home</nav><article><nav>Up</nav>Text</article>Rest", "Text · Rest · Home · Up"),
    "matter in matter": ("<main>Out<main>in</main></main>", "Out in"),
    "a role": ("<div>Menu</div><div role=main>Text</div>", "Text · Menu"),
    "nothing": ("<script>x</script>", ""),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_text_of(name: str) -> None:
    markup, text = PAGES[name]
    assert extract_search_text(markup.encode(), "utf-8") == text


@pytest.mark.parametrize("tag", ["main", "article", "nav", "span"])
def test_a_page_of_one_element_without_end_is_read(tag: str) -> None:
    assert extract_search_text(f"<{tag}>".encode() * 5000 + b"word", "utf-8") == "word"
