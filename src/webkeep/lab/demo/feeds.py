"""The newspaper's feeds: RSS 2.0 and Atom, changing whenever an article does."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime
from functools import partial
from xml.sax.saxutils import escape

from webkeep.lab.demo.markup import TOWN_NAME
from webkeep.lab.demo.resource import Edition, Kind, Resource
from webkeep.lab.demo.sitemaps import Modified
from webkeep.lab.demo.texts import Article, articles


def feeds(modified: Modified) -> Iterator[Resource]:
    """Both feeds."""
    feed = partial(Resource, kind=Kind.FEED, follows=tuple(article.path for article in articles()))
    yield feed("/feeds/news.rss", partial(_rss, modified=modified), "application/rss+xml; charset=utf-8")
    yield feed("/feeds/news.atom", partial(_atom, modified=modified), "application/atom+xml; charset=utf-8")


def _rss(edition: Edition, modified: Modified) -> bytes:
    items = "".join(
        f"<item><title>{escape(article.title)}</title><link>{_url(edition, article)}</link>"
        f'<guid isPermaLink="true">{_url(edition, article)}</guid><description>{escape(article.lede)}</description>'
        f"<pubDate>{format_datetime(modified(article.path, edition.began).datetime)}</pubDate></item>\n"
        for article in articles()
    )
    home = escape(edition.addresses.absolute("/"))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>{TOWN_NAME}</title>'
        f"<link>{home}</link><description>News from the harbour</description>\n{items}</channel></rss>\n"
    ).encode()


def _atom(edition: Edition, modified: Modified) -> bytes:
    entries = "".join(
        f'<entry><title>{escape(article.title)}</title><link href="{_url(edition, article)}"/>'
        f"<id>{_url(edition, article)}</id><updated>{modified(article.path, edition.began).iso()}</updated>"
        f"<summary>{escape(article.lede)}</summary></entry>\n"
        for article in articles()
    )
    home = escape(edition.addresses.absolute("/"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{TOWN_NAME}</title><id>{home}</id><updated>{edition.began.iso()}</updated>"
        f"<author><name>Courier staff</name></author>\n{entries}</feed>\n"
    ).encode()


def _url(edition: Edition, article: Article) -> str:
    return escape(edition.addresses.absolute(article.path))
