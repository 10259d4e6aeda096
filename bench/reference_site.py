"""The reference site: pages, pictures, styles and scripts, the same on every machine, all reachable from its root.

Page 0 is the root; page n links to eight pages of its own, so that a walk from the root finds all, to its two pictures,
to the shared files, and to pages anywhere. Nothing is reachable by a script or a style alone.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

_VERSION = 3
"""Part of the name under which a site is kept; to be raised with every change to what is generated."""
_STYLES, _SCRIPTS = 6, 6
_OWN_PAGES = 8
_LINKS = 40
_WORDS = 4000
_PICTURE_START = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01"


@dataclass(frozen=True, slots=True)
class ReferenceSite:
    """A generated site in a folder that a web server can serve."""

    folder: Path
    pages: int

    def files(self) -> dict[str, Path]:
        """The file behind every path of the site."""
        return {path: self.folder / (path[1:] or "index.html") for path in _paths(self.pages)}

    def digests(self) -> dict[str, str]:
        """The SHA-1 of what is served under every path, in hexadecimal."""
        return {path: hashlib.sha1(file.read_bytes()).hexdigest() for path, file in self.files().items()}


def reference_site(pages: int = 5000) -> ReferenceSite:
    """The site with so many pages: 5,000 make 15,012 files and 327 MB; generated once, then kept."""
    name = f"webkeep-reference-{_VERSION}-{pages}-{os.getuid()}"
    folder = Path(tempfile.gettempdir()) / name
    if not folder.exists():
        unfinished = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        _generate(unfinished, pages)
        _put_in_place(unfinished, folder)
    return ReferenceSite(folder, pages)


def _put_in_place(unfinished: Path, folder: Path) -> None:
    try:
        unfinished.rename(folder)
    except OSError:  # another bench was quicker
        shutil.rmtree(unfinished)
        if not folder.exists():
            raise


def _paths(pages: int) -> list[str]:
    return [
        *map(_page_path, range(pages)),
        *map(_picture_path, range(2 * pages)),
        *(f"/styles/{number}.css" for number in range(_STYLES)),
        *(f"/scripts/{number}.js" for number in range(_SCRIPTS)),
    ]


def _page_path(number: int) -> str:
    return f"/pages/{number % 50}/{number}.html" if number else "/"


def _picture_path(number: int) -> str:
    return f"/pictures/{number % 50}/{number}.jpg"


def _generate(folder: Path, pages: int) -> None:
    chance = random.Random(_VERSION)
    text = _Text(chance)
    for name in ("pages", "pictures"):
        for number in range(50):
            (folder / name / str(number)).mkdir(parents=True)
    for number in range(pages):
        (folder / (_page_path(number)[1:] or "index.html")).write_bytes(_page(number, pages, text, chance))
    for number in range(2 * pages):
        size = 1_000 + int(29_000 * chance.random() ** 0.4)
        picture = _PICTURE_START + chance.randbytes(size - len(_PICTURE_START))
        (folder / _picture_path(number)[1:]).write_bytes(picture)
    for kind, count, ending in (("styles", _STYLES, "css"), ("scripts", _SCRIPTS, "js")):
        (folder / kind).mkdir()
        for number in range(count):
            (folder / kind / f"{number}.{ending}").write_text(_shared(ending, text, chance))
    folder.chmod(0o755)


class _Text:
    """Paragraphs of made-up words; many are made once, and pages choose among them."""

    def __init__(self, chance: random.Random) -> None:
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = ["".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(_WORDS)]
        self._paragraphs = [" ".join(chance.choices(self.words, k=40)) for _ in range(2000)]
        self._chance = chance

    def paragraph(self) -> str:
        return self._chance.choice(self._paragraphs)

    def word(self) -> str:
        return self._chance.choice(self.words)


def _page(number: int, pages: int, text: _Text, chance: random.Random) -> bytes:
    first = number * _OWN_PAGES + 1
    own = list(range(first, min(first + _OWN_PAGES, pages)))
    elsewhere = [chance.randrange(pages) for _ in range(_LINKS - len(own) - 1)]
    targets = [0, *own, *elsewhere]
    chance.shuffle(targets)
    pieces = [_head(number, text)]
    for at, target in enumerate(targets):
        link = f'<a href="{_page_path(target)}">{text.word()} {text.word()}</a>'
        pieces.append(f"<p>{text.paragraph()} {link}</p>\n")
        if at in (3, 20):
            path = _picture_path(2 * number + (at == 20))
            pieces.append(f'<figure><img src="{path}" alt="{text.word()}" width="640" height="480"></figure>\n')
    size, wanted = sum(map(len, pieces)), chance.randint(15_000, 29_700)
    while size < wanted:
        pieces.append(f"<p>{text.paragraph()}</p>\n")
        size += len(pieces[-1])
    pieces.append("</main></body></html>\n")
    return "".join(pieces).encode()


def _head(number: int, text: _Text) -> str:
    styles = "".join(f'<link rel="stylesheet" href="/styles/{each}.css">' for each in {0, 1 + number % (_STYLES - 1)})
    scripts = "".join(f'<script src="/scripts/{each}.js" defer></script>' for each in {0, 1 + number % (_SCRIPTS - 1)})
    title = f"{text.word()} {text.word()} {number}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{styles}{scripts}</head>\n'
        f"<body><h1>{title}</h1><main>\n"
    )


def _shared(ending: str, text: _Text, chance: random.Random) -> str:
    if ending == "css":
        rules = (
            f".{text.word()} {{ margin: {chance.randint(0, 40)}px; color: #{chance.randrange(4096):03x} }}\n"
            for _ in range(200)
        )
        return "".join(rules)
    return "".join(f"function {text.word()}_{each}(a, b) {{ return a * {each} + b }}\n" for each in range(200))
