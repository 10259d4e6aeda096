"""A small site whose pages come out of a capture in every way that can be told in a browser: whole, with parts missing,
changed since, gone, forbidden, never the same twice, and covered by a box.
"""

import random
import struct
import zlib

from small_site import GONE, Page

CSS, SCRIPT, PNG = "text/css", "text/javascript", "image/png"
WORDS = " ".join(f"The {each} lies at the quay." for each in ("ferry", "tug", "lighter", "dredger", "pilot") * 12)
BOX = """
const box = document.createElement('div');
box.id = 'cookie-consent';
box.style = 'position:fixed;inset:auto 0 0 0;height:260px;background:#246;color:#fff;z-index:9999;padding:20px';
box.textContent = '%s';
document.addEventListener('DOMContentLoaded', () => document.body.append(box));
"""


def picture(seed: str, width: int = 400, height: int = 240) -> bytes:
    """A picture of stripes in colours of its own."""
    chance = random.Random(seed)
    colours = [bytes(chance.randrange(20, 230) for _ in range(3)) for _ in range(5)]
    rows = b"".join(
        b"\0" + b"".join(colours[(x // 20 + y // 20) % 5] for x in range(width)) for y in range(height)
    )  # fmt: skip
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 1)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (*parts, (b"IEND", b""))
    )


def page(title: str, *parts: str, text: str = WORDS) -> Page:
    return Page(f"<!doctype html><title>{title}</title>{''.join(parts)}<h1>{title}</h1><p>{text}</p>".encode())


class ShownSite:
    """Answers of the site; `is_later` is set once it was captured."""

    def __init__(self) -> None:
        self.is_later = False
        self._chance = random.Random(0)

    def __call__(self, _host: str, path: str) -> Page:
        later = self.is_later
        missed = Page(b"busy", "text/plain", 404)
        match path.partition("?")[0]:
            case "/robots.txt":
                return Page(b"User-agent: *\nDisallow: /private\n" if later else b"User-agent: *\n", "text/plain")
            case "/":
                names = ("unstyled", "unpictured", "unscripted", "changed", "restyled", "covered", "random", "gone",
                         "private", "long")  # fmt: skip
                return page("harbour", '<link rel=stylesheet href="/calm.css"><img src="/boat.png">',
                            *(f'<p><a href="/{name}">{name}</a>' for name in names))  # fmt: skip
            case "/calm.css":
                return Page(b"body { font: 20px/1.6 serif; color: #123 }", CSS)
            case "/boat.png":
                return Page(picture("boat"), PNG)
            case "/unstyled":
                return page("unstyled", '<link rel=stylesheet href="/late.css">')
            case "/late.css":
                return Page(b"body { columns: 3; background: #dde } h1 { font-size: 4em }", CSS) if later else missed
            case "/unpictured":
                return page("unpictured", '<img src="/late.png" width=400 height=240>')
            case "/long":
                return page("long", '<div style="height:3000px"></div>',
                            '<img src="/late.png?deep" width=400 height=240 loading=lazy>')  # fmt: skip
            case "/late.png":
                return Page(picture("late"), PNG) if later else missed
            case "/unscripted":
                return page("unscripted", "<div id=out></div>", '<script src="/late.js"></script>')
            case "/late.js":
                script = b"document.getElementById('out').textContent = 'High water at noon, low water at six.'"
                return Page(script, SCRIPT) if later else missed
            case "/changed":
                return page("changed", text="All ships have left the harbour for good. " * 20 if later else WORDS)
            case "/restyled":
                return page("restyled", '<link rel=stylesheet href="/theme.css">')
            case "/theme.css":
                colour = b"#fff; background: #612" if later else b"#000"
                return Page(b"body { font: 22px monospace; color: " + colour + b" }", CSS)
            case "/covered":
                return page("covered", '<script src="/box.js"></script>')
            case "/box.js":
                words = "We value your privacy. Accept all cookies?" if later else "Cookies: yes or no?"
                return Page((BOX % words).encode(), SCRIPT)
            case "/random":
                drawn = self._chance.randrange(10**9)
                return page("random", f'<img src="/any.png?{drawn}" width=400 height=240><p>Ticket {drawn} was drawn.')
            case "/any.png":
                return Page(picture(path), PNG)
            case "/gone":
                return GONE if later else page("gone")
            case "/private":
                return page("private")
            case _:
                return GONE
