"""The tables of the service, as the steps that brought them about: a database of an earlier version is brought up to
date when it is opened, one of a later version is left alone.

A step that was released is never changed; what is to be different is another step.
"""

from __future__ import annotations

from webkeep.errors import StorageError
from webkeep.service.store.sql_database import SqlDatabase

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE job (
            id TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            archive TEXT NOT NULL,
            kind TEXT NOT NULL,
            plan TEXT NOT NULL,
            priority BIGINT NOT NULL,
            schedule TEXT NOT NULL,
            due BIGINT,
            state TEXT NOT NULL,
            wish TEXT,
            attempts BIGINT NOT NULL,
            created BIGINT NOT NULL,
            queued BIGINT NOT NULL,
            not_before BIGINT,
            started BIGINT,
            ended BIGINT,
            exit_code BIGINT,
            summary TEXT NOT NULL,
            message TEXT NOT NULL,
            machine TEXT,
            boot TEXT,
            process BIGINT,
            process_started BIGINT
        )
        """,
        "CREATE UNIQUE INDEX job_once ON job (schedule, due) WHERE due IS NOT NULL",
        "CREATE INDEX job_by_turn ON job (state, priority DESC, queued, id)",
        "CREATE INDEX job_by_age ON job (created, id)",
        "CREATE INDEX job_by_collection ON job (collection, created)",
        """
        CREATE TABLE job_event (
            number BIGINT NOT NULL,
            job TEXT NOT NULL,
            at BIGINT NOT NULL,
            event TEXT NOT NULL,
            state TEXT NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY (job, number)
        )
        """,
    ),
)
"""What each version added to the one before."""


def migrate(database: SqlDatabase) -> None:
    """Bring a database up to date."""
    database.change("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
    with database.transaction():
        version = int(database.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0][0] or 0)
        if version > len(MIGRATIONS):
            raise StorageError(
                f"the job store is of version {version}, and this webkeep knows those up to {len(MIGRATIONS)}; "
                "install the newer webkeep that made it"
            )
        for number, statements in enumerate(MIGRATIONS[version:], version + 1):
            for statement in statements:
                database.change(statement)
            database.change("INSERT INTO schema_version (version) VALUES (?)", (number,))
