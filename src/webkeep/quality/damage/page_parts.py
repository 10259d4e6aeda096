"""What a page is made of, as far as its markup tells: the parts it needs with their kind, size and place, and which of
its elements its style sheets are there for.

Several addresses of one element (`srcset`, `picture`) are one part: a browser takes one of them. What style sheets ask
for is read by `style_parts`.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from webkeep.document import (
    MAX_TREE_CHARS,
    MarkupAttributes,
    MarkupPart,
    decode_text,
    read_tree_parts,
    read_visible_words,
)
from webkeep.extract import extract_links
from webkeep.extract.links import Link, LinkRole
from webkeep.formats.http import declared_charset
from webkeep.model import Headers
from webkeep.url import normalize_url, resolve_url

_MAX_PARTS = 2000
"""Parts of one page that are looked at: no reader meets more."""
_MAX_READ_BYTES = 4 << 20
"""Of a page: about what has a tree; nobody reads further down."""
_MAX_ELEMENTS = 50_000
"""Elements whose classes are held against style sheets."""
_LITTLE_TEXT_CHARS = 500
"""A page with more to read shows its reader something without its scripts."""
_FONT_ENDINGS = (".woff", ".woff2", ".ttf", ".otf", ".eot")
_ADDRESS_ATTRIBUTES = frozenset({"src", "href", "data", "poster", "background", "xlink:href"})
_LENGTH = re.compile(r"\s*([0-9]{1,5}(?:\.[0-9]+)?)\s*(px|%)?\s*$")
_STYLE_LENGTH = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*([0-9.]{1,7})(px|%)", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_WINDOW_WIDTH_PIXELS = 1000
"""The window that a page is thought to be read in: what a share of its width comes to."""
_SOURCE_KINDS = ("stylesheet", "@import")
_COLLAPSING_TAGS = frozenset({"object", "embed"})
"""What takes no room where it is missing, whatever size it was given."""
_PAPER_SHEET = re.compile(r"print", re.IGNORECASE)
_SILENT_SCRIPT = re.compile(
    r"analytic|track|count|stat[s.]|gtm|gtag|pixel|beacon|metric|consent|adsbygoogle", re.IGNORECASE
)
"""Names of scripts that watch readers and show them nothing."""


class PartKind(enum.StrEnum):
    """What a part is to a reader."""

    IMAGE = "image"
    STYLE = "style sheet"
    SCRIPT = "script"
    FRAME = "frame"
    MEDIA = "sound or video"
    BACKGROUND = "background"
    FONT = "font"
    HIDDEN = "nothing to see"
    """Icons, what is only loaded ahead, and whatever is not shown."""


@dataclass(frozen=True, slots=True)
class PagePart:
    """Something that a page needs in order to show."""

    kind: PartKind
    urls: tuple[str, ...]
    """Any of these will do."""
    width: float | None = None
    height: float | None = None
    """In pixels, where the page says so."""
    place: float = 0.5
    """How far down the page it stands, from nought to one."""
    parent: str = ""
    """The style sheet that asks for it; "" for the page itself."""
    names: frozenset[str] = frozenset()
    """What style sheets call its element: its tag, classes and id."""
    is_fixed: bool = False
    """Whether a style sheet keeps its place free."""
    selectors: tuple[str, ...] = ()
    """What a style sheet wants it for, where it stands in one."""

    @property
    def is_sized(self) -> bool:
        """Whether its place stays free where it is missing."""
        return self.is_fixed or bool(self.width and self.height)


@dataclass(frozen=True, slots=True)
class PageStructure:
    """A page as its markup tells it."""

    parts: tuple[PagePart, ...]
    text_chars: int
    names: tuple[frozenset[str], ...] = ()
    """The classes and ids of each element that has any: what style sheets take hold of."""
    inline_styles: str = ""
    """Style sheets within the page."""
    empty_containers: int = 0
    """Elements with an id and nothing in them, which scripts fill."""

    @property
    def is_waiting(self) -> bool:
        """Whether the page has little to read and something for scripts to fill."""
        return self.empty_containers > 0 and self.text_chars < _LITTLE_TEXT_CHARS


@dataclass(slots=True)
class _Geometry:
    """What elements say of an address."""

    alternatives: dict[str, int] = field(default_factory=dict)
    """Addresses by the number of the element that they belong to."""
    sizes: dict[int, tuple[float | None, float | None]] = field(default_factory=dict)
    places: dict[int, float] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    names: dict[int, frozenset[str]] = field(default_factory=dict)


def read_page_structure(url: str, headers: Headers, content: bytes) -> PageStructure:
    """The parts of an HTML page, out of its bytes."""
    charset = declared_charset(headers)
    text = decode_text(content[:_MAX_READ_BYTES], charset)[:MAX_TREE_CHARS]
    elements = list(read_tree_parts(text, elements_only=True))[:_MAX_ELEMENTS]
    found = extract_links(url, headers, content[:_MAX_READ_BYTES])
    links = [each for each in found if each.role is LinkRole.EMBED and not each.guess]
    geometry = _read_geometry(url, text, elements, {bare_url(each.url) for each in links})
    return PageStructure(
        tuple(_group_parts(links, geometry)),
        len(read_visible_words(content[:_MAX_READ_BYTES], charset)),
        tuple(names for _, attributes, _, _ in elements if (names := _element_names(attributes))),
        "\n".join(raw for tag, _, raw, _ in elements if tag == "style"),
        sum(_is_empty_container(tag, attributes, element) for tag, attributes, _, element in elements),
    )


def _group_parts(links: Iterable[Link], geometry: _Geometry) -> Iterator[PagePart]:
    groups: dict[object, list[Link]] = {}
    for link in links:
        address = bare_url(link.url)
        if address.startswith(("http://", "https://")):
            owner = geometry.alternatives.get(address)
            kind = link_kind(link)
            groups.setdefault((owner, kind) if owner is not None and kind is PartKind.IMAGE else address, []).append(
                link
            )
    for group in list(groups.values())[:_MAX_PARTS]:
        addresses = tuple(dict.fromkeys(bare_url(link.url) for link in group))
        owner = geometry.alternatives.get(addresses[0])
        kind = PartKind.HIDDEN if owner in geometry.hidden else link_kind(group[0])
        if owner is None:
            yield PagePart(kind, addresses)
        else:
            width, height = geometry.sizes[owner]
            yield PagePart(kind, addresses, width, height, geometry.places[owner], names=geometry.names[owner])


def link_kind(link: Link) -> PartKind:
    """What a part is to a reader, by the link to it."""
    source, address = link.source, bare_url(link.url).partition("?")[0].lower()
    if any(each in source for each in _SOURCE_KINDS):
        return PartKind.HIDDEN if _PAPER_SHEET.search(address.rpartition("/")[2]) else PartKind.STYLE
    if "link[" in source or "meta[" in source or "manifest" in source:
        return PartKind.HIDDEN
    if source.startswith("css"):
        return PartKind.FONT if address.endswith(_FONT_ENDINGS) else PartKind.BACKGROUND
    if "script" in source and _SILENT_SCRIPT.search(address):
        return PartKind.HIDDEN
    tag = source.removeprefix("html ").removeprefix("svg ").partition("[")[0]
    return _KIND_BY_TAG.get(tag, PartKind.IMAGE if "poster" in source or "srcset" in source else PartKind.HIDDEN)


_KIND_BY_TAG: Mapping[str, PartKind] = {
    "img": PartKind.IMAGE,
    "image": PartKind.IMAGE,
    "input": PartKind.IMAGE,
    "use": PartKind.IMAGE,
    "object": PartKind.FRAME,
    "embed": PartKind.FRAME,
    "iframe": PartKind.FRAME,
    "frame": PartKind.FRAME,
    "script": PartKind.SCRIPT,
    "video": PartKind.MEDIA,
    "audio": PartKind.MEDIA,
    "body": PartKind.BACKGROUND,
    "table": PartKind.BACKGROUND,
    "td": PartKind.BACKGROUND,
}


def _read_geometry(url: str, text: str, elements: Sequence[MarkupPart], wanted: set[str]) -> _Geometry:
    """Which element each address belongs to, how large that is and where it stands."""
    found = _Geometry()
    body = max(text.lower().find("<body"), 0)
    base = next((str(value) for tag, attributes, _, _ in elements if tag == "base" for name, value in attributes
                 if name == "href"), "")  # fmt: skip
    root = (resolve_url(url, base) or url) if base else url
    for number, (tag, attributes, _raw, _element) in enumerate(elements):
        named = {name: value for name, value in attributes if isinstance(value, str)}
        for address, written in _element_addresses(root, named):
            if address in wanted and address not in found.alternatives:
                found.alternatives[address] = number
                found.names[number] = _element_names(attributes) | {tag}
                found.sizes[number] = (None, None) if tag in _COLLAPSING_TAGS else _element_size(named)
                found.places[number] = max(text.find(written, body) - body, 0) / max(len(text) - body, 1)
                if "hidden" in named or _HIDDEN_STYLE.search(named.get("style", "")):
                    found.hidden.add(number)
    return found


def _element_addresses(base: str, named: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The addresses of an element, and how each is written."""
    written = [named[name] for name in _ADDRESS_ATTRIBUTES & named.keys()]
    written += [each.split()[0] for each in named.get("srcset", "").split(",") if each.strip()]
    for text in written:
        resolved = resolve_url(base, text)
        if resolved:
            yield bare_url(resolved), text


def _element_size(named: Mapping[str, str]) -> tuple[float | None, float | None]:
    styled = {name.lower(): (value, unit) for name, value, unit in _STYLE_LENGTH.findall(named.get("style", ""))}
    lengths: list[float | None] = []
    for name in ("width", "height"):
        match = _LENGTH.match(named.get(name, ""))
        value, unit = styled.get(name) or ((match[1], match[2] or "px") if match else ("", ""))
        try:
            number = float(value) if value else None
        except ValueError:
            number = None
        if number is not None and unit == "%":
            number = number / 100 * _WINDOW_WIDTH_PIXELS if name == "width" else None
        lengths.append(number)
    return lengths[0], lengths[1]


def _element_names(attributes: MarkupAttributes) -> frozenset[str]:
    names: set[str] = set()
    for name, value in attributes:
        if name == "class":
            names.update(f".{each}" for each in (value.split() if isinstance(value, str) else value))
        elif name == "id":
            names.add(f"#{value}")
    return frozenset(names)


def _is_empty_container(tag: str, attributes: MarkupAttributes, element: object) -> bool:
    if tag not in ("div", "main", "section", "ul", "article", "table", "tbody") or element is None:
        return False
    has_id = any(name in ("id", "class") or name.startswith("data-") for name, _ in attributes)
    return has_id and not str(getattr(element, "text", "x")).strip() and not list(getattr(element, "children", [0]))


def bare_url(url: str) -> str:
    """A URL in its one spelling, without a fragment."""
    return (normalize_url(url) or url).partition("#")[0]
