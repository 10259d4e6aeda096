"""The state of a capture under way: its store of URLs, in one SQLite file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.jobs.candidate_rows import (
        CODES_BY_OUTCOME as CODES_BY_OUTCOME,
        OUTCOMES_BY_CODE as OUTCOMES_BY_CODE,
        WAY_BITS as WAY_BITS,
        hash_url as hash_url,
        pack_candidate as pack_candidate,
        shorter_way_sql as shorter_way_sql,
        unpack_candidate as unpack_candidate,
    )
    from webkeep.store.jobs.job_database import JobDatabase as JobDatabase, JobRow as JobRow
    from webkeep.store.jobs.job_folder import (
        PLAN_FACT as PLAN_FACT,
        SHARED_FACT as SHARED_FACT,
        JobFolder as JobFolder,
        job_path as job_path,
        newest_captures as newest_captures,
        resumable_captures as resumable_captures,
    )
    from webkeep.store.jobs.sqlite_url_store import SqliteUrlStore as SqliteUrlStore
    from webkeep.store.jobs.stored_urls import StoredUrls as StoredUrls
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "candidate_rows": (
                "CODES_BY_OUTCOME",
                "OUTCOMES_BY_CODE",
                "WAY_BITS",
                "hash_url",
                "pack_candidate",
                "shorter_way_sql",
                "unpack_candidate",
            ),
            "job_database": ("JobDatabase", "JobRow"),
            "job_folder": (
                "JobFolder",
                "PLAN_FACT",
                "SHARED_FACT",
                "resumable_captures",
                "job_path",
                "newest_captures",
            ),
            "sqlite_url_store": ("SqliteUrlStore",),
            "stored_urls": ("StoredUrls",),
        },
    )
