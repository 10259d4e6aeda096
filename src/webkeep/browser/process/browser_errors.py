"""How a browser fails, sorted by what is to be done: start Chromium again, open the tab again, or do the same once more
to see.
"""

from webkeep.errors import RemoteError


class BrowserGone(RemoteError):  # noqa: N818 - what happened is its name
    """Chromium ended or says nothing more: start it again and repeat the page."""


class PageGone(RemoteError):  # noqa: N818 - what happened is its name
    """A page crashed its process, hangs or cannot be shown: its tab is to be opened again."""


class ProcessGone(PageGone):
    """A page's process ended, by what the page did or by another's hand: which, only doing it again can tell."""
