"""Index lines: CDXJ, classic CDX, and the keys of requests that have a body."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.cdx.cdx_legend import (
        CdxLegend as CdxLegend,
        guess_legend as guess_legend,
        parse_legend as parse_legend,
    )
    from webkeep.formats.cdx.cdxj import CdxLine as CdxLine, parse_cdx_line as parse_cdx_line, read_cdx as read_cdx
    from webkeep.formats.cdx.post_key import append_query as append_query, post_query as post_query
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "cdx_legend": ("CdxLegend", "guess_legend", "parse_legend"),
            "cdxj": ("CdxLine", "parse_cdx_line", "read_cdx"),
            "post_key": ("append_query", "post_query"),
        },
    )
