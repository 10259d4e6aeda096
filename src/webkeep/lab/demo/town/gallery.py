"""The photo gallery: pictures in several widths, some that wait for a script."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from html import escape

from webkeep.lab.demo.markup import WIDTHS, Layout, anchor, crumbs, page, scene_picture
from webkeep.lab.demo.pictures.landscape import landscape
from webkeep.lab.demo.pictures.scene import SCENES, Scene
from webkeep.lab.demo.resource import Edition, Kind, Reach, Resource

_HUNG = ("quay-dawn", "harbour-day", "lighthouse-dusk", "old-town-night", "fell-dawn", "bay-mist")
_LATE = "panorama"
"""The picture that only a script loads."""
_PANORAMA = Scene(_LATE, "dusk", "The whole bay from the tower", houses=11, boats=6)


def resources() -> Iterator[Resource]:
    """The gallery's pages, and every scene in every width."""
    yield Resource("/gallery/", _gallery, title="Gallery", section="gallery", priority=0.6)
    for name in _HUNG:
        title = SCENES[name].caption
        yield Resource(f"/gallery/{name}/", partial(_hung, name=name), title=title, section="gallery")
    picture = partial(Resource, media_type="image/png", kind=Kind.PICTURE)
    for scene in SCENES.values():
        for width in WIDTHS:
            render = partial(_picture, scene=scene, width=width)
            yield picture(scene_picture(scene.name, width), render, title=scene.caption)
    late = partial(_picture, scene=_PANORAMA, width=1280)
    yield picture(f"/pictures/{_LATE}.png", late, title=_PANORAMA.caption, reach=Reach.SCRIPT)


def _picture(edition: Edition, scene: Scene, width: int) -> bytes:
    return painted(scene, width, edition.seed)


@lru_cache(maxsize=64)
def painted(scene: Scene, width: int, seed: int) -> bytes:
    """A scene's picture; the last few are kept."""
    return landscape(scene, width, seed)


def _gallery(edition: Edition) -> bytes:
    items = "".join(
        f'<li class="card"><figure>{_responsive(edition, name)}</figure>'
        f"<div><h3>{anchor(edition, f'/gallery/{name}/', SCENES[name].caption)}</h3></div></li>"
        for name in _HUNG
    )
    late = escape(edition.link(f"/pictures/{_LATE}.png"))
    main = (
        f'{crumbs(edition)}<h1>Gallery</h1><p class="lede">The bay, the town and the fell, at all hours.</p>'
        f'<ul class="grid">{items}</ul><h2>The whole bay</h2>'
        f'<figure><img data-src="{late}" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIA"'
        f' width="1280" height="720" alt="{escape(_PANORAMA.caption)}">'
        f"<figcaption>{escape(_PANORAMA.caption)}</figcaption></figure>"
    )
    return page(edition, Layout("Gallery", main, "Pictures of the bay, the town and the fell."))


def _responsive(edition: Edition, name: str) -> str:
    small, middle, large = (escape(edition.link(scene_picture(name, width))) for width in WIDTHS)
    return (
        f'<picture><source media="(max-width: 24rem)" srcset="{small}">'
        f'<source media="(min-width: 90rem)" srcset="{middle} 1x, {large} 2x">'
        f'<img src="{middle}" width="640" height="360" alt="{escape(SCENES[name].caption)}" loading="lazy"></picture>'
    )


def _hung(edition: Edition, name: str) -> bytes:
    place = _HUNG.index(name)
    before, after = _HUNG[place - 1], _HUNG[(place + 1) % len(_HUNG)]
    large = escape(edition.link(scene_picture(name, 1280)))
    caption = escape(SCENES[name].caption)
    main = (
        f"{crumbs(edition)}<h1>{caption}</h1><figure>"
        f'<a href="{large}"><img src="{large}" width="1280" height="720" alt="{caption}"></a></figure>'
        f'<p><a href="../{before}/">← {escape(SCENES[before].caption)}</a> · '
        f'<a href="../{after}/">{escape(SCENES[after].caption)} →</a></p>'
    )
    return page(edition, Layout(SCENES[name].caption, main))
