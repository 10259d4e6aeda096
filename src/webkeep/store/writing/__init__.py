"""From exchanges to acknowledged records: tasks, drafts, deduplication, preparation, group commit."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.writing.acknowledgement import (
        Acknowledgement as Acknowledgement,
        PendingAcknowledgements as PendingAcknowledgements,
    )
    from webkeep.store.writing.group_commit import WrittenRecord as WrittenRecord
    from webkeep.store.writing.receipts import Receipts as Receipts, counted_size as counted_size
    from webkeep.store.writing.write_tasks import ExchangeAnalysis as ExchangeAnalysis
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "acknowledgement": ("Acknowledgement", "PendingAcknowledgements"),
            "group_commit": ("WrittenRecord",),
            "receipts": ("Receipts", "counted_size"),
            "write_tasks": ("ExchangeAnalysis",),
        },
    )
