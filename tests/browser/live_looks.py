"""Pages as Chromium shows them live, beside what packages have of them."""

from collections.abc import Iterable
from pathlib import Path
from shutil import which

from devtools import Browser, Page, chromium, evaluate, take_picture, visit_all

from webkeep.browser.process import quiet_switches
from webkeep.browser.process.chromium_command import HEADLESS_PROGRAMS

_WINDOW = (1280, 960)
_SCREENS = 5
"""That a page is scrolled down before it is pictured: no test site has more."""


def look_live(urls: Iterable[str], folder: Path, is_plain: bool = False) -> dict[str, Page]:
    """Each page in a Chromium of the flavour that packages are made with, which has never heard of webkeep."""
    pages = {url: Page(url, is_plain=is_plain, size=_WINDOW) for url in urls}
    program = next(filter(which, HEADLESS_PROGRAMS))
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1"
    command = [program, f"--user-data-dir={folder}", *quiet_switches(), "--no-sandbox", "--headless=new",
               "--ignore-certificate-errors", rules, "about:blank"]  # fmt: skip
    with chromium(command) as browser:
        visit_all(browser, list(pages.values()), then=_picture)
    return pages


def _picture(browser: Browser, page: Page) -> None:
    for screen in range(_SCREENS):
        evaluate(browser, page, f"scrollTo(0, {_WINDOW[1] * screen})")
        browser.call("Page.captureScreenshot", page.session, format="jpeg", quality=1)  # has it drawn
    evaluate(browser, page, "scrollTo(0, 0)")
    take_picture(browser, page)


def words_in(text: str) -> set[str]:
    """The words of a text, in small letters: capitals may be the style's."""
    return set(text.casefold().split())
