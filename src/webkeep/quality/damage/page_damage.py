"""How much of a page is lost with its missing parts: one figure from nought to one, in which every part weighs what it
matters to a reader.

Theory of operation. A part has a share of the page: a picture, frame or film the share of the area that it takes, a
style sheet the share of the page's elements that nothing but the missing sheets would have styled, a font that of its
text, a script that of what it would have filled. A picture whose size the page does not say leaves no hole of its size:
what is below it moves up, and the more of the page is below it the worse. Each share is weighed by the kind of the
part, and losses add up as chances do: what is lost already cannot be lost again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt

from webkeep.formats.binary import read_image_size
from webkeep.model import Headers
from webkeep.quality.damage.page_parts import PagePart, PageStructure, PartKind
from webkeep.quality.damage.style_parts import hide_unused, read_style_parts

_CHARACTER_PIXELS = 150.0
"""The area that a character of running text takes, its share of margins included."""
_WINDOW_PIXELS = 1000.0 * 700.0
"""The least area of a page: the window it is read in."""
_DEFAULT_SIZES = {
    PartKind.IMAGE: (300.0, 200.0),
    PartKind.FRAME: (300.0, 150.0),
    PartKind.MEDIA: (300.0, 150.0),
    PartKind.BACKGROUND: (600.0, 200.0),
}
"""Pixels of what does not say how large it is: frames and films as browsers have them, pictures as they mostly are."""
_CSS_NAME = re.compile(r"[.#][A-Za-z_-][\w-]*")
_CSS_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_CSS_LENGTH = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*([0-9]{1,5}(?:\.[0-9]{1,3})?)(px|%)", re.IGNORECASE)
_LAST_NAME = re.compile(r"[.#]?[A-Za-z][\w-]*(?=(?::[\w-]+)?\s*$)")
_WINDOW_WIDTH_PIXELS = 1000.0
"""The window that a page is thought to be read in: what a share of its width comes to."""
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_MAX_STYLE_CHARS = 1 << 20
"""Of one style sheet that is read for the names in it."""


@dataclass(frozen=True, slots=True)
class DamageWeights:
    """How much each kind of loss matters."""

    image: float = 0.2
    moved: float = 0.6
    """What is below a picture of unknown size."""
    style: float = 0.95
    """Not all of a page: its text is there without."""
    script: float = 0.4
    frame: float = 0.3
    media: float = 0.9
    background: float = 0.2
    font: float = 1.0


DAMAGE_WEIGHTS = DamageWeights()
"""Tuned against what is lost of pictures, on pages of our own and on half of those by others; the other half judges
(`bench.quality`). That of films is set by hand: a poster hides from pictures that they are missing."""


@dataclass(frozen=True, slots=True)
class HeldPart:
    """A part as an archive holds it."""

    headers: Headers
    start: bytes
    """The beginning of its content: all of a style sheet, the head of a picture."""


FindPart = Callable[[PagePart], HeldPart | None]
"""Gives a part where it is held, by any of its addresses."""


@dataclass(frozen=True, slots=True)
class PartLoss:
    """A missing part, and what it takes from the page."""

    part: PagePart
    loss: float


@dataclass(frozen=True, slots=True)
class PageDamage:
    """What is lost of a page."""

    damage: float
    parts: int
    missing: tuple[PartLoss, ...]
    """Those that matter most first."""

    @property
    def missing_share(self) -> float:
        """The share of missing parts, whatever they matter."""
        return len(self.missing) / self.parts if self.parts else 0.0


def measure_damage(structure: PageStructure, find: FindPart, weights: DamageWeights = DAMAGE_WEIGHTS) -> PageDamage:
    """What is lost of a page, given what of its parts can be had."""
    held, missing = _split_parts(structure.parts, find)
    styles = [(part, found) for part, found in held if part.kind is PartKind.STYLE]
    sizes = read_style_sizes(
        [*(found.start for _, found in styles), structure.inline_styles.encode("utf-8", "replace")]
    )
    held = [(_resize(part, sizes), found) for part, found in held]
    missing = [_resize(part, sizes) for part in missing]
    names = frozenset().union(*structure.names)
    inner = [
        hide_unused(each, names)
        for part, found in styles
        for each in read_style_parts(part.urls[0], found.headers, found.start)
    ]
    held_inner, missing_inner = _split_parts(inner, find)
    held += held_inner
    missing += missing_inner
    styles = [(part, found) for part, found in held if part.kind is PartKind.STYLE]
    page = _PageMeasure(structure, held, missing, [found.start for _, found in styles])
    losses = [PartLoss(part, min(max(page.loss_of(part, weights), 0.0), 1.0)) for part in missing]
    # Sheets are missed together: each has its share of one loss.
    styled = min(sum(each.loss for each in losses if each.part.kind is PartKind.STYLE), 1.0)
    left = prod(1.0 - each.loss for each in losses if each.part.kind is not PartKind.STYLE)
    return PageDamage(
        1.0 - (1.0 - styled) * left,
        len(held) + len(missing),
        tuple(sorted(losses, key=lambda each: -each.loss)),
    )


def read_style_sizes(sheets: Iterable[bytes]) -> dict[str, tuple[float | None, float]]:
    """The sizes in pixels that style sheets give to tags, classes and ids, by the last name of a selector.

    A width in shares is that of the window; without a height nothing is known.
    """
    sizes: dict[str, tuple[float | None, float]] = {}
    for sheet in sheets:
        text = _CSS_COMMENT.sub(" ", sheet[:_MAX_STYLE_CHARS].decode("utf-8", "replace"))
        for selectors, declarations in _CSS_RULE.findall(text):
            told = {name.lower(): (float(value), unit) for name, value, unit in _CSS_LENGTH.findall(declarations)}
            if told.get("height", (0.0, "%"))[1] == "%":
                continue
            width = told.get("width")
            pixels = None if width is None else width[0] if width[1] == "px" else width[0] / 100 * _WINDOW_WIDTH_PIXELS
            for selector in selectors.split(","):
                last = _LAST_NAME.search(selector)
                if last:
                    sizes[last[0]] = pixels, told["height"][0]
    return sizes


def _resize(part: PagePart, sizes: Mapping[str, tuple[float | None, float]]) -> PagePart:
    """A part with the size that style sheets give it."""
    if (part.width and part.height) or not part.names:
        return part
    found = next((sizes[name] for name in sorted(part.names) if name in sizes), None)
    return part if found is None else replace(part, width=part.width or found[0], height=found[1], is_fixed=True)


def _split_parts(parts: Iterable[PagePart], find: FindPart) -> tuple[list[tuple[PagePart, HeldPart]], list[PagePart]]:
    held: list[tuple[PagePart, HeldPart]] = []
    missing: list[PagePart] = []
    for part in parts:
        found = find(part)
        if found is None:
            missing.append(part)
        else:
            held.append((part, found))
    return held, missing


class _PageMeasure:
    """The areas and shares of one page."""

    def __init__(
        self,
        structure: PageStructure,
        held: Sequence[tuple[PagePart, HeldPart]],
        missing: Sequence[PagePart],
        sheets: Sequence[bytes],
    ) -> None:
        self._structure = structure
        self._missing = missing
        shown = sum(_part_area(part, found.start) for part, found in held) + sum(_part_area(each) for each in missing)
        self._area = max(structure.text_chars * _CHARACTER_PIXELS + shown, _WINDOW_PIXELS)
        self._text_share = structure.text_chars * _CHARACTER_PIXELS / self._area
        texts = [sheet[:_MAX_STYLE_CHARS].decode("utf-8", "replace") for sheet in sheets]
        self._counts = {kind: sum(each.kind is kind for each in missing) for kind in PartKind}
        lacking = self._counts[PartKind.STYLE]
        inline = bool(structure.inline_styles.strip())
        self._unstyled = max(_unstyled_share(structure, texts), sqrt(lacking / max(lacking + len(sheets) + inline, 1)))
        self._fonts = sum(part.kind is PartKind.FONT for part, _ in held) + self._counts[PartKind.FONT]
        self._scripts = sum(part.kind is PartKind.SCRIPT for part, _ in held) + self._counts[PartKind.SCRIPT]

    def loss_of(self, part: PagePart, weights: DamageWeights) -> float:
        """What a missing part takes from the page."""
        share = _part_area(part) / self._area
        match part.kind:
            case PartKind.IMAGE:
                moved = 0.0 if part.is_sized else weights.moved * (1 - part.place) * (1 - share)
                return weights.image * share + moved
            case PartKind.FRAME:
                moved = 0.0 if part.is_sized else weights.moved * (1 - part.place) * (1 - share)
                return weights.frame * share + moved
            case PartKind.MEDIA:
                return weights.media * share
            case PartKind.BACKGROUND:
                return weights.background * share
            case PartKind.STYLE:
                return weights.style * self._unstyled / max(self._counts[PartKind.STYLE], 1)
            case PartKind.FONT:
                return weights.font * self._text_share / max(self._fonts, 1)
            case PartKind.SCRIPT:
                return weights.script * self._unfilled_share() / max(self._scripts, 1)
            case PartKind.HIDDEN:
                return 0.0

    def _unfilled_share(self) -> float:
        """The share of the page that scripts would have filled, by the containers that wait for it."""
        waiting = self._structure.empty_containers
        return waiting / (waiting + self._structure.text_chars / 400) if waiting else 0.02


def _part_area(part: PagePart, start: bytes = b"") -> float:
    """Pixels that a part takes on the page."""
    default = _DEFAULT_SIZES.get(part.kind)
    if default is None:
        return 0.0
    natural = read_image_size(start) if start and part.kind is not PartKind.FRAME else None
    if part.kind is PartKind.BACKGROUND:
        return (part.width or default[0]) * (part.height or default[1])
    width, height = part.width, part.height
    if natural is not None and (width is None or height is None):
        ratio = natural[1] / natural[0]
        if width is None:
            width = height / ratio if height is not None else float(natural[0])
        height = height if height is not None else width * ratio
    ratio = default[1] / default[0]
    if width is None:
        width = height / ratio if height is not None else default[0]
    width = min(width, 1000.0)
    return width * (height if height is not None else width * ratio)


def _unstyled_share(structure: PageStructure, sheets: Sequence[str]) -> float:
    """The share of elements with a class or an id that no sheet at hand speaks of; all where there is no sheet."""
    known: set[str] = set()
    for sheet in (*sheets, structure.inline_styles):
        known.update(_CSS_NAME.findall(_CSS_COMMENT.sub(" ", sheet)))
    if not structure.names:
        return 0.0
    return sum(not (names & known) for names in structure.names) / len(structure.names)
