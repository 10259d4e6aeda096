"""The photo gallery: pictures in several widths, some that wait for a script."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from html import escape

from webkeep.lab.demo.page_markup import (
    PICTURE_WIDTHS_PIXELS,
    PageLayout,
    render_anchor,
    render_breadcrumbs,
    render_page,
    scene_picture_path,
)
from webkeep.lab.demo.pictures.landscape import render_landscape
from webkeep.lab.demo.pictures.scene import SCENES, PictureScene
from webkeep.lab.demo.site_resource import DemoKind, DemoReach, DemoResource, ResourceVersion

_GALLERY_SCENES = ("quay-dawn", "harbour-day", "lighthouse-dusk", "old-town-night", "fell-dawn", "bay-mist")
_SCRIPTED_SCENE = "panorama"
"""The picture that only a script loads."""
_PANORAMA = PictureScene(_SCRIPTED_SCENE, "dusk", "The whole bay from the tower", houses=11, boats=6)


def resources() -> Iterator[DemoResource]:
    """The gallery's pages, and every scene in every width."""
    yield DemoResource("/gallery/", _render_gallery, title="Gallery", section="gallery", priority=0.6)
    for name in _GALLERY_SCENES:
        title = SCENES[name].caption
        yield DemoResource(
            f"/gallery/{name}/", partial(_render_picture_page, name=name), title=title, section="gallery"
        )
    picture = partial(DemoResource, media_type="image/png", kind=DemoKind.PICTURE)
    for scene in SCENES.values():
        for width in PICTURE_WIDTHS_PIXELS:
            render = partial(_render_picture, scene=scene, width=width)
            yield picture(scene_picture_path(scene.name, width), render, title=scene.caption)
    late = partial(_render_picture, scene=_PANORAMA, width=1280)
    yield picture(f"/pictures/{_SCRIPTED_SCENE}.png", late, title=_PANORAMA.caption, reach=DemoReach.SCRIPT)


def _render_picture(edition: ResourceVersion, scene: PictureScene, width: int) -> bytes:
    return paint_scene(scene, width, edition.seed)


@lru_cache(maxsize=64)
def paint_scene(scene: PictureScene, width: int, seed: int) -> bytes:
    """A scene's picture; the last few are kept."""
    return render_landscape(scene, width, seed)


def _render_gallery(edition: ResourceVersion) -> bytes:
    items = "".join(
        f'<li class="card"><figure>{_render_responsive(edition, name)}</figure>'
        f"<div><h3>{render_anchor(edition, f'/gallery/{name}/', SCENES[name].caption)}</h3></div></li>"
        for name in _GALLERY_SCENES
    )
    late = escape(edition.link(f"/pictures/{_SCRIPTED_SCENE}.png"))
    main = (
        f'{render_breadcrumbs(edition)}<h1>Gallery</h1><p class="lede">The bay, the town and the fell, at all '
        f"hours.</p>"
        f'<ul class="grid">{items}</ul><h2>The whole bay</h2>'
        f'<figure><img data-src="{late}" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIA"'
        f' width="1280" height="720" alt="{escape(_PANORAMA.caption)}">'
        f"<figcaption>{escape(_PANORAMA.caption)}</figcaption></figure>"
    )
    return render_page(edition, PageLayout("Gallery", main, "Pictures of the bay, the town and the fell."))


def _render_responsive(edition: ResourceVersion, name: str) -> str:
    small, middle, large = (escape(edition.link(scene_picture_path(name, width))) for width in PICTURE_WIDTHS_PIXELS)
    return (
        f'<picture><source media="(max-width: 24rem)" srcset="{small}">'
        f'<source media="(min-width: 90rem)" srcset="{middle} 1x, {large} 2x">'
        f'<img src="{middle}" width="640" height="360" alt="{escape(SCENES[name].caption)}" loading="lazy"></picture>'
    )


def _render_picture_page(edition: ResourceVersion, name: str) -> bytes:
    place = _GALLERY_SCENES.index(name)
    before, after = _GALLERY_SCENES[place - 1], _GALLERY_SCENES[(place + 1) % len(_GALLERY_SCENES)]
    large = escape(edition.link(scene_picture_path(name, 1280)))
    caption = escape(SCENES[name].caption)
    main = (
        f"{render_breadcrumbs(edition)}<h1>{caption}</h1><figure>"
        f'<a href="{large}"><img src="{large}" width="1280" height="720" alt="{caption}"></a></figure>'
        f'<p><a href="../{before}/">← {escape(SCENES[before].caption)}</a> · '
        f'<a href="../{after}/">{escape(SCENES[after].caption)} →</a></p>'
    )
    return render_page(edition, PageLayout(SCENES[name].caption, main))
