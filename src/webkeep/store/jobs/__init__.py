"""The state of a capture under way: its store of URLs, in one SQLite file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.jobs.job_database import JobDatabase as JobDatabase, JobRow as JobRow
    from webkeep.store.jobs.sqlite_url_store import SqliteUrlStore as SqliteUrlStore
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "job_database": ("JobDatabase", "JobRow"),
            "sqlite_url_store": ("SqliteUrlStore",),
        },
    )
