"""The newspaper's feeds: RSS 2.0 and Atom, changing whenever an article does."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime
from functools import partial
from xml.sax.saxutils import escape

from webkeep.lab.demo.page_markup import TOWN_NAME
from webkeep.lab.demo.site_resource import DemoKind, DemoResource, ResourceVersion
from webkeep.lab.demo.sitemaps import ModifiedAt
from webkeep.lab.demo.texts import Article, read_articles


def feed_resources(modified: ModifiedAt) -> Iterator[DemoResource]:
    """Both feeds."""
    feed = partial(DemoResource, kind=DemoKind.FEED, follows=tuple(article.path for article in read_articles()))
    yield feed("/feeds/news.rss", partial(_render_rss, modified=modified), "application/rss+xml; charset=utf-8")
    yield feed("/feeds/news.atom", partial(_render_atom, modified=modified), "application/atom+xml; charset=utf-8")


def _render_rss(edition: ResourceVersion, modified: ModifiedAt) -> bytes:
    items = "".join(
        f"<item><title>{escape(article.title)}</title><link>{_article_url(edition, article)}</link>"
        f'<guid isPermaLink="true">{_article_url(edition, article)}</guid><description>{escape(article.lede)}'
        f"</description>"
        f"<pubDate>{format_datetime(modified(article.path, edition.began).datetime)}</pubDate></item>\n"
        for article in read_articles()
    )
    home = escape(edition.addresses.absolute_url("/"))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>{TOWN_NAME}</title>'
        f"<link>{home}</link><description>News from the harbour</description>\n{items}</channel></rss>\n"
    ).encode()


def _render_atom(edition: ResourceVersion, modified: ModifiedAt) -> bytes:
    entries = "".join(
        f'<entry><title>{escape(article.title)}</title><link href="{_article_url(edition, article)}"/>'
        f"<id>{_article_url(edition, article)}</id><updated>{modified(article.path, edition.began).iso()}</updated>"
        f"<summary>{escape(article.lede)}</summary></entry>\n"
        for article in read_articles()
    )
    home = escape(edition.addresses.absolute_url("/"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{TOWN_NAME}</title><id>{home}</id><updated>{edition.began.iso()}</updated>"
        f"<author><name>Courier staff</name></author>\n{entries}</feed>\n"
    ).encode()


def _article_url(edition: ResourceVersion, article: Article) -> str:
    return escape(edition.addresses.absolute_url(article.path))
