"""The chronicle: the generated part of a large demo site, a tree of pages made on demand; how wide it grows, which
pages change how often, which link across it, and which share a picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from typing import NamedTuple

from webkeep.lab.demo.page_markup import CHRONICLE_PATH, PageLayout, render_anchor, render_page, render_paragraphs
from webkeep.lab.demo.scene_pictures import SCENE_CAPTIONS, add_comment, read_picture
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.lab.demo.site_plan import LeafRates, TreeShape
from webkeep.lab.demo.site_resource import DemoKind, DemoResource, ResourceVersion
from webkeep.lab.demo.texts import read_phrases

_PAGES_PER_PICTURE = 20
"""Pages that share one picture, as pages of real sites do."""
_MAX_PICTURES = 400
"""However many pages there are: a large site has many pages and few pictures."""
_PICTURE_WIDTH_PIXELS = 480
"""As wide as the column of text."""


@dataclass(frozen=True)
class GeneratedPages:
    """A complete tree in heap order: page 0 is the root, the parent of page i is (i - 1) // outdegree."""

    seed: int
    pages: int
    shape: TreeShape
    root: str
    town: bool
    varied: bool = False
    """Whether changes are of several kinds; else each writes one paragraph anew."""

    def resources(self) -> Iterator[DemoResource]:
        """Every page of the tree, then the pictures they share."""
        for number, path in enumerate(self.paths):
            yield DemoResource(
                path,
                partial(self._render, number=number),
                rate=self.rate(number),
                title=self.title(number),
                section="chronicle",
                priority=round(max(0.1, 0.8 - 0.2 * self.level(number)), 1),
            )
        for number in range(self.picture_count):
            render = partial(_render_picture, number=number)
            yield DemoResource(_picture_path(number), render, media_type="image/png", kind=DemoKind.PICTURE)

    @cached_property
    def outdegree(self) -> int:
        """The shape's outdegree, or the smallest above it whose tree of the wanted depth holds all pages."""
        wide = self.shape.outdegree
        while self.shape.depth and sum(wide**level for level in range(self.shape.depth + 1)) < self.pages:
            wide += 1
        return wide

    @property
    def picture_count(self) -> int:
        """How many pictures the pages share; each is shown by one page at least."""
        return min(self.pages, max(4, self.pages // _PAGES_PER_PICTURE), _MAX_PICTURES)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The address of every page, below that of its parent."""
        found = [self.root]
        for number in range(1, self.pages):
            found.append(f"{found[self.parent(number)]}{_slug(self.title(number))}-{number}/")
        return tuple(found)

    def parent(self, number: int) -> int:
        """The page above; the root is its own."""
        return max(0, (number - 1) // self.outdegree)

    def children(self, number: int) -> range:
        """The pages below."""
        first = number * self.outdegree + 1
        return range(min(first, self.pages), min(first + self.outdegree, self.pages))

    def level(self, number: int) -> int:
        """How many steps the page is from the root."""
        steps = 0
        while number:
            number, steps = self.parent(number), steps + 1
        return steps

    def rate(self, number: int) -> float:
        """Changes per second: by rank, hottest first, from the root down or from the leaves up."""
        rank = number if self.shape.leaves is LeafRates.COLD else self.pages - 1 - number
        moving = self.pages - round(self.pages * self.shape.still)
        return self.shape.hottest / (rank + 1) ** self.shape.skew if rank < moving else 0.0

    def title(self, number: int) -> str:
        """A title made up for the page."""
        if number == 0:
            return "The Chronicle"
        chance = SeededRandom(self.seed, "chronicle", number)
        return f"{chance.pick(read_phrases('qualities')).capitalize()} {chance.pick(read_phrases('topics')).lower()}"

    def _render(self, edition: ResourceVersion, number: int) -> bytes:
        title = self.title(number)
        main = (
            f'{self._render_breadcrumbs(edition, number)}<h1>{escape(title)}</h1><p class="byline">Leaf {number} '
            f"of the chronicle, "
            f"entry {self._entry_number(edition)}</p>{self._render_figure(edition, number)}"
            f'<div class="prose">{render_paragraphs(self._draw_paragraphs(edition))}'
            f"</div>{self._render_children(edition, number)}"
            f"{self._render_cross_links(edition, number)}"
        )
        return render_page(edition, PageLayout(title, main, town=self.town))

    def _draw_paragraphs(self, edition: ResourceVersion) -> list[str]:
        """Three paragraphs that stay, one that is written anew, and a note of a few words where these change too."""
        stays = [_draw_sentences(edition, ("stays", number)) for number in range(3)]
        if not self.varied:
            return [_draw_sentences(edition, ("entry", edition.version)), *stays]
        edits = PageEdits.of(edition)
        note = f"Kept by {edition.chance('keeper', edits.words).pick(read_phrases('subjects')).lower()}."
        return [_draw_sentences(edition, ("entry", edits.paragraphs)), *stays, *stays, note]

    def _entry_number(self, edition: ResourceVersion) -> int:
        return (PageEdits.of(edition).paragraphs if self.varied else edition.version) + 1

    def _render_breadcrumbs(self, edition: ResourceVersion, number: int) -> str:
        if number == 0:
            return ""
        trail = [self.parent(number)]
        while trail[0]:
            trail.insert(0, self.parent(trail[0]))
        ways = (render_anchor(edition, self.paths[one], self.title(one)) for one in trail)
        return f'<nav class="crumbs" aria-label="Breadcrumb">{"<span>›</span>".join(ways)}</nav>'

    def _render_figure(self, edition: ResourceVersion, number: int) -> str:
        if not self.picture_count:
            return ""
        source = escape(edition.link(_picture_path(number % self.picture_count)))
        return (
            f'<figure><img src="{source}" width="480" height="270" alt="A view of the coast" loading="lazy"></figure>'
        )

    def _render_children(self, edition: ResourceVersion, number: int) -> str:
        """The children, in an order of the page's own."""
        order = edition.chance("order").shuffle(self.children(number))
        items = "".join(f"<li>{render_anchor(edition, self.paths[one], self.title(one))}</li>" for one in order)
        return f'<h2>Leaves below</h2><ul class="columns">{items}</ul>' if items else ""

    def _render_cross_links(self, edition: ResourceVersion, number: int) -> str:
        """Links to pages elsewhere in the tree, more often to those near the root."""
        edits = PageEdits.of(edition) if self.varied else PageEdits()
        chance = edition.chance("across", *([edits.links] if edits.links else []))
        drawn = {int(self.pages * chance.uniform() ** 3) for _ in range(self.shape.cross_links)}
        chosen = sorted(drawn - {number, *self.children(number)})
        items = "".join(f"<li>{render_anchor(edition, self.paths[one], self.title(one))}</li>" for one in chosen)
        return f"<h2>See also</h2><ul>{items}</ul>" if items else ""


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")


def _picture_path(number: int) -> str:
    return f"/pictures/chronicle/{number}.png"


def _render_picture(edition: ResourceVersion, number: int) -> bytes:
    scenes = tuple(SCENE_CAPTIONS)
    picture = read_picture(f"{scenes[number % len(scenes)]}-{_PICTURE_WIDTH_PIXELS}.png")
    return add_comment(picture, f"Chronicle, picture {number} of town {edition.seed}")


_GONE_SHARE = 0.06
"""Of grown pages, where changes are of several kinds: taken away one day."""
_VERSIONS_BEFORE_GONE = 3
"""That such a page has, before it is taken away."""


def is_taken_away(seed: int, path: str, version: int) -> bool:
    """Whether a grown page is gone by the time of a version."""
    chosen = path.startswith(CHRONICLE_PATH) and SeededRandom(seed, path, "gone").uniform() < _GONE_SHARE
    return chosen and version >= _VERSIONS_BEFORE_GONE


class PageEdits(NamedTuple):
    """How often a page was changed in each way, up to a version."""

    paragraphs: int = 0
    words: int = 0
    links: int = 0

    @classmethod
    def of(cls, edition: ResourceVersion) -> PageEdits:
        """The edits up to a version; each is of a kind of its own, drawn for the page."""
        drawn = [edition.chance("edit", number).integer(0, 2) for number in range(1, edition.version + 1)]
        return cls(drawn.count(0), drawn.count(1), drawn.count(2))


def _draw_sentences(edition: ResourceVersion, label: tuple[str, int]) -> str:
    chance = edition.chance(*label)
    kinds = ("subjects", "verbs", "objects", "tails")
    return " ".join(" ".join(chance.pick(read_phrases(kind)) for kind in kinds) for _ in range(chance.integer(2, 5)))
