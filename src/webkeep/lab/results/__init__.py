"""Results of experiments: tables of figures beside those they are held against, and the page that shows them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.results.result_table import (
        ResultAgreement as ResultAgreement,
        ResultCell as ResultCell,
        ResultColumn as ResultColumn,
        ResultRow as ResultRow,
        ResultTable as ResultTable,
        count_agreements as count_agreements,
        count_near_published as count_near_published,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "result_table": (
                "ResultAgreement",
                "ResultCell",
                "ResultColumn",
                "ResultRow",
                "ResultTable",
                "count_agreements",
                "count_near_published",
            ),
        },
    )
