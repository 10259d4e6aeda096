"""A site of a few pages that is kept by programs in Python, and changes between two captures of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from small_site import Page, SmallSite, linking

PICTURE = Page(b"\x89PNG\r\n\x1a\n" + bytes(200), "image/png")


class ChangingSite:
    """Its pages as they are now."""

    def __init__(self) -> None:
        self._words = "low tide"

    def answer(self, _host: str, path: str) -> Page:
        pages = {
            "/": linking("/about", "/news", "/boat.png", title="home"),
            "/about": Page(b"<title>about</title><p>a harbour"),
            "/news": Page(f"<title>news</title><p>{self._words}".encode()),
            "/boat.png": PICTURE,
            "/robots.txt": Page(b"User-agent: *\n", "text/plain"),
        }
        return pages.get(path, Page(b"not here", "text/plain", 404))

    def change(self) -> None:
        """Let the news be others."""
        self._words = "high tide"


@contextmanager
def changing_site() -> Iterator[tuple[ChangingSite, SmallSite]]:
    """The site, on loopback for as long as the block lasts."""
    pages = ChangingSite()
    with SmallSite(pages.answer) as server:
        yield pages, server
