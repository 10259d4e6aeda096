"""What a page is to its reader, for telling versions of it apart: the lines of its text, those of its main content, and
what it links to and shows.

Theory of operation. Every page that is stored is read like this, so it costs next to nothing beside the tree that is
made for its links: whoever makes that tree hands it over here when its elements are read (`PageContentSink`), is told
in which texts links may stand, and the tree is pruned in place. A page beyond
`MAX_TREE_CHARS` has no tree and is read as a stream of tags; its main content is all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from turbohtml import Document, Element, TokenType, XPath, parse

from webkeep.document.html_parts import (
    MAX_TREE_CHARS,
    RAW_TEXT_ELEMENTS,
    find_url_texts,
    may_hold_url,
    read_tokens,
)

UNSEEN_ELEMENTS = frozenset({"script", "style", "template", "noscript"})
"""Elements whose text is not shown where scripts run."""
LINKING_ELEMENTS = frozenset({"a", "area"})
SHOWING_ELEMENTS = frozenset({"img", "iframe", "frame", "video", "audio", "embed", "source"})
_LINK_ADDRESSES = XPath("//a/@href")
"""Of links, of which pages are full: half the time of asking each element."""
_RARER_ELEMENTS = SHOWING_ELEMENTS | {"area"}
_UNSEEN_MARKUP = frozenset({"template", "noscript"})
"""Those of them whose text may name what a page without scripts leads to."""
_MAIN_NAMES = "[role=main], #main, #content, #main-content, #bodyContent"
"""What authors call the main content where they have no `<main>`."""
_UNSEEN_RAW_TEXT = RAW_TEXT_ELEMENTS - {"textarea", "xmp", "plaintext"}
_MAX_STREAMED_PARTS = 1_000_000
"""Texts and links of a page without a tree; one with more was made to fill memory, and is not read like this."""


class PageContent(NamedTuple):
    """What a page says and where it leads, as it is written there."""

    around: list[str]
    """Its texts around the main content, such as navigation, header and footer; each trimmed, none empty."""
    main: list[str] | None
    """Those of its main content; None where no markup tells it from the rest, and all is `around`."""
    links: list[str]
    """Addresses that it links to, and those of pictures and frames without their queries; as they are written, and as
    often."""


class PageContentSink:
    """Is given the tree of a page by whoever made it, once nobody else needs it."""

    __slots__ = ("content", "metas")

    def __init__(self) -> None:
        self.content: PageContent | None = None
        """None where there is no tree."""
        self.metas: list[tuple[str, str]] = []
        """What its `meta` elements say, by their names."""

    def take_tree(self, document: Document) -> list[str]:
        """Read the tree of a page, of which nothing else is needed any more; gives texts in which a URL may stand."""
        self.metas = [
            (str(name), str(each.attr("content") or ""))
            for each in document.iter_elements("meta")
            if (name := each.attr("name"))
        ]
        texts: list[str] = []
        self.content = content = _read_tree(document, texts)
        for lines in (content.around, content.main or ()):
            # One look at all of them spares nearly every page one at each.
            if may_hold_url("\n".join(lines)):
                texts += filter(may_hold_url, lines)
        return texts


def read_page_content(text: str) -> PageContent | None:
    """What a page is to its reader, whatever its length; None where it has more parts than can be held."""
    if len(text) > MAX_TREE_CHARS:
        return _read_stream(text)
    return _read_tree(parse(text, positions=False, allow_declarative_shadow_roots=False), [])


def _read_tree(document: Document, unseen_texts: list[str]) -> PageContent:
    """What a tree is to its reader; `unseen_texts` gets those that are not shown and may hold a URL."""
    # Lists, as this is done for every page that is stored.
    links = list(filter(None, cast("list[str]", _LINK_ADDRESSES(document))))
    links += [address for each in document.iter_elements(_RARER_ELEMENTS) if (address := _leading_address(each))]
    for element in list(document.iter_elements(UNSEEN_ELEMENTS)):
        if element.tag in _UNSEEN_MARKUP:
            unseen_texts += find_url_texts(element)
        _remove_unseen_element(element)
    main = _find_main(document)
    if main is None:
        return PageContent(list(document.stripped_strings), None, links)
    inside = list(main.stripped_strings)
    main.decompose()  # so that no text is read twice
    return PageContent(list(document.stripped_strings), inside, links)


def _find_main(document: Document) -> Element | None:
    """The main content, as the markup names it; None where it names none.

    By names alone: to guess it by where most text stands takes longer than all else, and guesses otherwise of the next
    version of a page.
    """
    named = document.find("main") or document.select_one(_MAIN_NAMES)
    if named is not None:
        return named
    articles = list(document.iter_elements("article"))
    return articles[0] if len(articles) == 1 else None


def remove_unseen(document: Document) -> None:
    """Take out of a tree what its reader does not see: scripts, styles, templates."""
    for element in list(document.iter_elements(UNSEEN_ELEMENTS)):
        _remove_unseen_element(element)


def _remove_unseen_element(element: Element) -> None:
    if element.attr("shadowrootmode") is None:  # what is in a shadow root is shown
        element.decompose()


def _leading_address(element: Element) -> str:
    if element.tag == "area":
        return str(element.attr("href") or "")
    return shown_address(element)


def shown_address(element: Element) -> str:
    """What an element shows, without its query, which is most often there for caches."""
    source = element.attr("src")
    return source.partition("?")[0] if isinstance(source, str) else ""


def _read_stream(text: str) -> PageContent | None:
    lines: list[str] = []
    links: list[str] = []
    raw = ""
    for token in read_tokens(text):
        if len(lines) + len(links) > _MAX_STREAMED_PARTS:
            return None
        match token.type:
            case TokenType.TEXT if not raw:
                lines += _trimmed_lines((token.data or "",))
            case TokenType.START_TAG:
                raw = token.tag or "" if token.tag in _UNSEEN_RAW_TEXT else ""
                attributes = dict(token.attrs or ())
                if token.tag in LINKING_ELEMENTS:
                    links += filter(None, (attributes.get("href"),))
                elif token.tag in SHOWING_ELEMENTS:
                    links += filter(None, ((attributes.get("src") or "").partition("?")[0],))
            case TokenType.END_TAG if token.tag == raw:
                raw = ""
            case _:
                pass
    return PageContent(lines, None, links)


def read_text_content(text: str) -> PageContent:
    """The same of a text that is no page."""
    lines = list(_trimmed_lines(text.splitlines()))
    return PageContent(lines, None, [])


def _trimmed_lines(lines: Iterable[str]) -> Iterator[str]:
    return (trimmed for line in lines if (trimmed := line.strip()))
