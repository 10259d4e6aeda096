"""The log of an archive's records: a Merkle tree over all of them, appended to by the writer, rebuilt from the WARC
files alone, with signed checkpoints and proofs.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.log.log_checkpoints import make_checkpoint as make_checkpoint
    from webkeep.store.log.log_opening import begin_log as begin_log
    from webkeep.store.log.log_proofs import prove_records as prove_records
    from webkeep.store.log.log_repair import hash_record_at as hash_record_at
    from webkeep.store.log.log_tiles import (
        read_checkpoint_history as read_checkpoint_history,
        read_tile as read_tile,
    )
    from webkeep.store.log.log_verification import (
        KeptCheckpoint as KeptCheckpoint,
        LogVerification as LogVerification,
    )
    from webkeep.store.log.record_log import RecordLog as RecordLog
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "log_checkpoints": ("make_checkpoint",),
            "log_proofs": ("prove_records",),
            "log_opening": ("begin_log",),
            "log_repair": ("hash_record_at",),
            "log_tiles": ("read_checkpoint_history", "read_tile"),
            "log_verification": ("KeptCheckpoint", "LogVerification"),
            "record_log": ("RecordLog",),
        },
    )
