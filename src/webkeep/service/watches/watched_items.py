"""What an answer tells of, by the kind of watch: items of feeds, entries of sitemaps, records of OAI-PMH."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from urllib.parse import parse_qsl, urlencode

from webkeep.document import sniff_text
from webkeep.extract.documents import gunzip, read_feed_items, read_sitemap
from webkeep.formats.site import read_oai_page
from webkeep.service.watches.watch import Watch, WatchedItem, WatchKind, WatchState

_MAX_ITEMS = 50_000
"""Of one answer, as many as a sitemap may have."""
_NOTHING_NEW = "noRecordsMatch"


def build_watch_url(watch: Watch, state: WatchState) -> str:
    """What is asked for next; of OAI-PMH the list from where it was left."""
    if watch.kind is not WatchKind.OAI_PMH:
        return watch.url
    base, _, query = watch.url.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    if state.token:
        asked = {"verb": "ListRecords", "resumptionToken": state.token}
    else:
        asked = {"verb": "ListRecords", "metadataPrefix": given.get("metadataPrefix", "oai_dc")}
        asked |= {"set": given["set"]} if "set" in given else {}
        asked |= {"from": state.since} if state.since else {}
    return f"{base}?{urlencode(asked)}"


def read_watched(watch: Watch, state: WatchState, content: bytes, url: str) -> tuple[list[WatchedItem], WatchState]:
    """The pages that an answer tells of, and how far the watch has come with it."""
    if watch.kind is WatchKind.OAI_PMH:
        return _read_records(state, content)
    found = _feed_items(content, url) if watch.kind is WatchKind.FEED else _sitemap_items(content)
    return list(islice(found, _MAX_ITEMS)), replace(state, message="")


def _feed_items(content: bytes, url: str) -> Iterator[WatchedItem]:
    for page, changed in read_feed_items(sniff_text(gunzip(content)).text, url):
        yield WatchedItem(page, f"{page}\n{changed or ''}")


def _sitemap_items(content: bytes) -> Iterator[WatchedItem]:
    for entry in read_sitemap(content):
        if not entry.is_sitemap:
            yield WatchedItem(entry.url, f"{entry.url}\n{entry.lastmod or ''}")


def _read_records(state: WatchState, content: bytes) -> tuple[list[WatchedItem], WatchState]:
    page = read_oai_page(sniff_text(content).text)
    if page.error == _NOTHING_NEW:
        return [], replace(state, token="", message="")
    if page.error:
        return [], replace(state, token="", message=f"the repository refuses: {page.error}")
    items = [
        WatchedItem(url, f"{record.version}\n{url}")
        for record in page.records
        if not record.is_deleted
        for url in record.urls
    ]
    latest = max((record.datestamp for record in page.records), default="")
    # The list is in no order that is promised: what was changed while it was read is asked for again.
    return items[:_MAX_ITEMS], replace(state, token=page.token, since=max(state.since, latest), message="")
