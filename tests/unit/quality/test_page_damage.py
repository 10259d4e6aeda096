"""What is lost of pages with their missing parts: every kind weighs what it matters to a reader."""

import pytest

from webkeep.model import Headers
from webkeep.quality.damage import HeldPart, PageDamage, PagePart, PartKind, measure_damage, read_page_structure

HTML = Headers((("Content-Type", "text/html; charset=utf-8"),))
CSS = Headers((("Content-Type", "text/css"),))
WORDS = "harbour tide ferry market weather council " * 60
STYLE = b".card { color: red } .wide { width: 400px; height: 200px } #top { background: url(back.png) }"


def damage(body: str, *missing: str, style: bytes = STYLE) -> PageDamage:
    """The damage of a page that misses what ends so."""
    structure = read_page_structure("http://site.example/", HTML, body.encode())

    def find(part: PagePart) -> HeldPart | None:
        held = [url for url in part.urls if not url.endswith(missing)] if missing else part.urls
        return HeldPart(CSS, style if held[0].endswith(".css") else b"x") if held else None

    return measure_damage(structure, find)


def lost(body: str, *missing: str) -> float:
    return damage(body, *missing).damage


def test_a_page_that_misses_nothing_lost_nothing() -> None:
    told = damage(f"<p>{WORDS}<img src=a.png>", "other.png")
    assert (told.damage, told.missing, told.parts) == (0.0, (), 1)


@pytest.mark.parametrize(
    "part",
    [
        "<img src=gone.x width=400 height=300>",
        "<iframe src=gone.x width=400 height=300></iframe>",
        "<video src=gone.x width=400 height=300></video>",
        "<object data=gone.x></object>",
        "<link rel=stylesheet href=gone.x>",
        "<div id=app></div><script src=gone.x></script>",
        "<p style='background: url(gone.x)'>words",
        "<style>@font-face { src: url(gone.x.woff) }</style>",
    ],
    ids=["image", "frame", "media", "object", "style", "script", "background", "font"],
)
def test_every_kind_of_part_is_missed(part: str) -> None:
    assert 0 < lost(f"{part}<p>{WORDS}", "gone.x", "gone.x.woff") <= 1


@pytest.mark.parametrize(
    "part",
    [
        "<link rel=icon href=gone.x>",
        "<link rel=preload as=image href=gone.x>",
        "<img src=gone.x hidden>",
        "<img src=gone.x style='display: none'>",
        "<script src=https://stats.example/analytics/gone.x></script>",
    ],
    ids=["icon", "preload", "hidden", "not displayed", "tracker"],
)
def test_what_no_reader_sees_is_not_missed(part: str) -> None:
    told = damage(f"{part}<p>{WORDS}", "gone.x")
    assert told.damage == 0
    assert [each.part.kind for each in told.missing] == [PartKind.HIDDEN]


def test_a_large_picture_is_missed_more_than_a_small_one() -> None:
    large, small = "<img src=large.x width=900 height=600>", "<img src=small.x width=60 height=40>"
    body = f"{large}{small}<p>{WORDS}"
    assert lost(body, "large.x") > 3 * lost(body, "small.x")


def test_what_moves_the_page_is_missed_more_the_higher_it_stands() -> None:
    body = f"<p>{WORDS}<img src=high.x><p>{WORDS}<p>{WORDS}<p>{WORDS}<img src=low.x>"
    assert lost(body, "high.x") > 2 * lost(body, "low.x")
    kept_free = "<link rel=stylesheet href=a.css><img class=wide src=high.x>"
    assert lost(f"{kept_free}<p>{WORDS}", "high.x") < lost(f"<img src=high.x><p>{WORDS}", "high.x")


def test_one_of_several_candidates_will_do() -> None:
    body = "<img src=a.png srcset='b.png 2x, c.png 3x' width=400 height=300>"
    assert lost(body, "a.png", "c.png") == 0
    assert lost(body, "a.png", "b.png", "c.png") > 0


def test_a_sheet_is_missed_for_what_nothing_else_styles() -> None:
    body = f"<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><p class=%s>{WORDS}"
    assert lost(body % "lonely", "b.css") > lost(body % "card", "b.css") > 0


def test_what_a_held_sheet_asks_for_is_looked_for_too() -> None:
    told = damage(f"<link rel=stylesheet href=a.css><p id=top>{WORDS}", "back.png")
    assert [(each.part.kind, each.part.parent) for each in told.missing] == [
        (PartKind.BACKGROUND, "http://site.example/a.css")
    ]


FACES = b"""@font-face { font-family: A; src: url(a.eot); src: url(a.eot?#iefix), url(a.woff2), url(a.svg#a) }
@media screen { @font-face { font-family: B; src: url("b.woff") } }"""


def test_files_of_one_font_are_one_part() -> None:
    body = f"<link rel=stylesheet href=a.css><p>{WORDS}"
    assert damage(body, "a.eot", "a.svg", style=FACES).damage == 0
    all_of_one = damage(body, "a.eot", "a.eot?", "a.woff2", "a.svg", style=FACES)
    assert [each.part.kind for each in all_of_one.missing] == [PartKind.FONT]
    assert damage(body, ".eot", ".eot?", ".woff2", ".svg", ".woff", style=FACES).damage > all_of_one.damage > 0


@pytest.mark.parametrize(
    ("selector", "kind"),
    [
        ("#top", PartKind.BACKGROUND),
        ("body", PartKind.BACKGROUND),
        (".absent, main #top > p", PartKind.BACKGROUND),
        (".absent", PartKind.HIDDEN),
        ("#top .absent", PartKind.HIDDEN),
        ("#top:hover", PartKind.HIDDEN),
    ],
)
def test_pictures_of_styles_are_missed_where_something_is_styled(selector: str, kind: PartKind) -> None:
    style = f"/* a; b */ @media screen {{ p {{ color: red }} {selector} {{ background: url(gone.x) }} }}".encode()
    told = damage(f"<link rel=stylesheet href=a.css><div id=top><p>{WORDS}", "gone.x", style=style)
    assert [each.part.kind for each in told.missing] == [kind]
    assert (told.damage > 0) is (kind is PartKind.BACKGROUND)


def test_more_missing_parts_never_make_less_damage() -> None:
    names = ["a.css", "one.x", "two.x", "three.js"]
    pictures = f"<img src=one.x><p>{WORDS}<img src=two.x width=9 height=9>"
    body = f"<link rel=stylesheet href=a.css>{pictures}<script src=three.js></script>"
    told = [lost(body, *names[:count]) for count in range(1, len(names) + 1)]
    assert told == sorted(told)
    assert told[-1] <= 1
