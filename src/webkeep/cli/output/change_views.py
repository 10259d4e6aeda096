"""Lists of `webkeep list` about what pages say: pages that are alike, and what pages do in the course of captures."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.cli.output.list_views import ListedRow, ListView
from webkeep.cli.output.table import build_columns
from webkeep.quality.changes import find_duplicate_pages, read_page_behaviours
from webkeep.store.archive import Archive, Selection

_MAX_URLS_TOLD = 200
"""Of one group, to programs; all are counted."""


def _alike_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    for group in find_duplicate_pages(archive, selection.capture or None):
        shared = f"{group.resemblance:.0%}"
        yield ListedRow(
            (group.kind.value, f"{len(group.urls):,}", shared, group.urls[0]),
            {
                "kind": group.kind.value,
                "pages": len(group.urls),
                "resemblance": group.resemblance,
                "urls": list(group.urls[:_MAX_URLS_TOLD]),
            },
        )


def _behaviour_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    for page in read_page_behaviours(archive):
        if selection.includes_url(page.url):
            group = str(page.group) if page.group else ""
            yield ListedRow(
                (page.behaviour.value, f"{page.changes:,}", f"{page.versions:,}", group, page.url),
                {
                    "url": page.url,
                    "behaviour": page.behaviour.value,
                    "changes": page.changes,
                    "versions": page.versions,
                    "group": page.group,
                },
            )


CHANGE_VIEWS = {
    "alike": ListView(
        "group", build_columns("kind", "pages>", "shared>", "the first"), _alike_rows, frozenset({"capture"})
    ),
    "behaviours": ListView(
        "page",
        build_columns("behaviour", "changes>", "captures>", "group>", "URL"),
        _behaviour_rows,
        frozenset({"url"}),
    ),
}
