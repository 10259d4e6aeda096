"""The demo town's photo gallery: pictures in several widths (srcset), some loaded only when they are seen, and one that
only a script loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape

from webkeep.lab.demo.page_markup import (
    PICTURE_WIDTHS_PIXELS,
    PageLayout,
    render_anchor,
    render_breadcrumbs,
    render_page,
    scene_picture_path,
)
from webkeep.lab.demo.scene_pictures import SCENE_CAPTIONS, add_comment, read_picture
from webkeep.lab.demo.site_resource import DemoKind, DemoReach, DemoResource, ResourceVersion

_GALLERY_SCENES = ("quay-dawn", "harbour-day", "lighthouse-dusk", "old-town-night", "fell-dawn", "bay-mist")
_SCRIPTED_SCENE = "panorama"
"""The picture that only a script loads."""
_SCRIPTED_CAPTION = "The whole bay from the tower"


def resources() -> Iterator[DemoResource]:
    """The gallery's pages, and every scene in every width."""
    yield DemoResource("/gallery/", _render_gallery, title="Gallery", section="gallery", priority=0.6)
    for name in _GALLERY_SCENES:
        title = SCENE_CAPTIONS[name]
        yield DemoResource(
            f"/gallery/{name}/", partial(_render_picture_page, name=name), title=title, section="gallery"
        )
    picture = partial(DemoResource, media_type="image/png", kind=DemoKind.PICTURE)
    for name, caption in SCENE_CAPTIONS.items():
        for width in PICTURE_WIDTHS_PIXELS:
            render = partial(_render_picture, name=f"{name}-{width}.png")
            yield picture(scene_picture_path(name, width), render, title=caption)
    late = partial(_render_picture, name=f"{_SCRIPTED_SCENE}-1280.png")
    yield picture(f"/pictures/{_SCRIPTED_SCENE}.png", late, title=_SCRIPTED_CAPTION, reach=DemoReach.SCRIPT)


def _render_picture(edition: ResourceVersion, name: str) -> bytes:
    return add_comment(read_picture(name), f"Town {edition.seed}")


def _render_gallery(edition: ResourceVersion) -> bytes:
    items = "".join(
        f'<li class="card"><figure>{_render_responsive(edition, name)}</figure>'
        f"<div><h3>{render_anchor(edition, f'/gallery/{name}/', SCENE_CAPTIONS[name])}</h3></div></li>"
        for name in _GALLERY_SCENES
    )
    late = escape(edition.link(f"/pictures/{_SCRIPTED_SCENE}.png"))
    main = (
        f'{render_breadcrumbs(edition)}<h1>Gallery</h1><p class="lede">The bay, the town and the fell, at all '
        f"hours.</p>"
        f'<ul class="grid">{items}</ul><h2>The whole bay</h2>'
        f'<figure><img data-src="{late}" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIA"'
        f' width="1280" height="720" alt="{escape(_SCRIPTED_CAPTION)}">'
        f"<figcaption>{escape(_SCRIPTED_CAPTION)}</figcaption></figure>"
    )
    return render_page(edition, PageLayout("Gallery", main, "Pictures of the bay, the town and the fell."))


def _render_responsive(edition: ResourceVersion, name: str) -> str:
    small, middle, large = (escape(edition.link(scene_picture_path(name, width))) for width in PICTURE_WIDTHS_PIXELS)
    return (
        f'<picture><source media="(max-width: 24rem)" srcset="{small}">'
        f'<source media="(min-width: 90rem)" srcset="{middle} 1x, {large} 2x">'
        f'<img src="{middle}" width="640" height="360" alt="{escape(SCENE_CAPTIONS[name])}" loading="lazy"></picture>'
    )


def _render_picture_page(edition: ResourceVersion, name: str) -> bytes:
    place = _GALLERY_SCENES.index(name)
    before, after = _GALLERY_SCENES[place - 1], _GALLERY_SCENES[(place + 1) % len(_GALLERY_SCENES)]
    large = escape(edition.link(scene_picture_path(name, 1280)))
    caption = escape(SCENE_CAPTIONS[name])
    main = (
        f"{render_breadcrumbs(edition)}<h1>{caption}</h1><figure>"
        f'<a href="{large}"><img src="{large}" width="1280" height="720" alt="{caption}"></a></figure>'
        f'<p><a href="../{before}/">← {escape(SCENE_CAPTIONS[before])}</a> · '
        f'<a href="../{after}/">{escape(SCENE_CAPTIONS[after])} →</a></p>'
    )
    return render_page(edition, PageLayout(SCENE_CAPTIONS[name], main))
