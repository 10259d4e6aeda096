"""The store of the service: jobs and what happened to them, collections, schedules, people; in SQLite or PostgreSQL."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.store.account_store import AccountStore as AccountStore
    from webkeep.service.store.audit_store import AuditStore as AuditStore
    from webkeep.service.store.collection_store import (
        NEVER_CAPTURED as NEVER_CAPTURED,
        CollectionStore as CollectionStore,
    )
    from webkeep.service.store.database_opening import open_service_database as open_service_database
    from webkeep.service.store.job_queue import JobQueue as JobQueue
    from webkeep.service.store.job_store import (
        MAX_WAIT_SECONDS as MAX_WAIT_SECONDS,
        JobJournalLine as JobJournalLine,
        JobResult as JobResult,
        JobStore as JobStore,
        forget_processes as forget_processes,
    )
    from webkeep.service.store.latest_jobs import LatestOutcome as LatestOutcome
    from webkeep.service.store.login_store import LoginStore as LoginStore
    from webkeep.service.store.machine_store import MachineStore as MachineStore
    from webkeep.service.store.notice_store import NoticeStore as NoticeStore
    from webkeep.service.store.schedule_store import ScheduleStore as ScheduleStore, StoredSchedule as StoredSchedule
    from webkeep.service.store.session_store import SessionStore as SessionStore
    from webkeep.service.store.sql_database import (
        DatabaseGoneError as DatabaseGoneError,
        SqlDatabase as SqlDatabase,
    )
    from webkeep.service.store.token_store import TokenStore as TokenStore
    from webkeep.service.store.visitor_block_store import (
        BlockedAddress as BlockedAddress,
        BlockedAddressError as BlockedAddressError,
        VisitorBlockStore as VisitorBlockStore,
    )
    from webkeep.service.store.visitor_recovery_store import VisitorRecoveryStore as VisitorRecoveryStore
    from webkeep.service.store.watch_store import WatchStore as WatchStore
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "account_store": ("AccountStore",),
            "audit_store": ("AuditStore",),
            "collection_store": ("NEVER_CAPTURED", "CollectionStore"),
            "database_opening": ("open_service_database",),
            "job_queue": ("JobQueue",),
            "job_store": (
                "MAX_WAIT_SECONDS",
                "JobJournalLine",
                "JobResult",
                "JobStore",
                "forget_processes",
            ),
            "latest_jobs": ("LatestOutcome",),
            "login_store": ("LoginStore",),
            "machine_store": ("MachineStore",),
            "notice_store": ("NoticeStore",),
            "schedule_store": ("ScheduleStore", "StoredSchedule"),
            "session_store": ("SessionStore",),
            "sql_database": ("DatabaseGoneError", "SqlDatabase"),
            "token_store": ("TokenStore",),
            "visitor_block_store": ("BlockedAddress", "BlockedAddressError", "VisitorBlockStore"),
            "visitor_recovery_store": ("VisitorRecoveryStore",),
            "watch_store": ("WatchStore",),
        },
    )
