"""The page shown where there is none."""

from __future__ import annotations

from webkeep.lab.demo.markup import Layout, anchor, page
from webkeep.lab.demo.resource import Edition


def missing_page(edition: Edition, town: bool) -> bytes:
    """The same friendly page for every address that is not there."""
    home = anchor(edition, "/", "Back to the front page")
    main = (
        '<p class="kicker">404</p><h1>Nothing is moored here</h1>'
        f'<p class="lede">The address may be misspelt, or the page has sailed.</p><p>{home}</p>'
    )
    return page(edition, Layout("Not found", main, town=town))
