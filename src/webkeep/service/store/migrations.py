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
            seed TEXT NOT NULL,
            archive TEXT NOT NULL,
            kind TEXT NOT NULL,
            plan TEXT NOT NULL,
            priority BIGINT NOT NULL,
            schedule TEXT NOT NULL,
            due BIGINT,
            state TEXT NOT NULL,
            wish TEXT,
            attempts BIGINT NOT NULL,
            losses BIGINT NOT NULL,
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
        "CREATE UNIQUE INDEX job_once ON job (schedule, due, seed) WHERE due IS NOT NULL",
        "CREATE INDEX job_by_turn ON job (state, priority DESC, queued, id)",
        "CREATE INDEX job_by_archive ON job (state, collection, archive)",
        "CREATE INDEX job_by_seed ON job (seed, created, id)",
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
        """
        CREATE TABLE collection (
            name TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT NOT NULL,
            subjects TEXT NOT NULL,
            creator TEXT NOT NULL,
            rights TEXT NOT NULL,
            purpose TEXT NOT NULL,
            archives BIGINT NOT NULL,
            quota BIGINT,
            created BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE seed (
            id TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            url TEXT NOT NULL,
            site TEXT NOT NULL,
            archive TEXT NOT NULL,
            settings TEXT NOT NULL,
            notes TEXT NOT NULL,
            created BIGINT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX seed_once ON seed (collection, url)",
        "CREATE INDEX seed_by_site ON seed (collection, site)",
        """
        CREATE TABLE schedule (
            id TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            seed TEXT NOT NULL,
            times TEXT NOT NULL,
            last_due BIGINT,
            last_begun BIGINT,
            next_due BIGINT,
            next_begins BIGINT
        )
        """,
        "CREATE INDEX schedule_by_turn ON schedule (next_begins)",
        "CREATE INDEX schedule_by_collection ON schedule (collection)",
    ),
    (
        """
        CREATE TABLE watch (
            id TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            seed TEXT NOT NULL,
            kind TEXT NOT NULL,
            url TEXT NOT NULL,
            poll BIGINT NOT NULL,
            facts TEXT NOT NULL,
            state TEXT NOT NULL,
            next_look BIGINT NOT NULL
        )
        """,
        "CREATE INDEX watch_by_turn ON watch (next_look)",
        "CREATE TABLE watch_item (watch TEXT NOT NULL, version TEXT NOT NULL, PRIMARY KEY (watch, version))",
    ),
    (
        """
        CREATE TABLE account (
            name TEXT PRIMARY KEY,
            password TEXT NOT NULL,
            locked BIGINT NOT NULL,
            created BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE account_role (
            account TEXT NOT NULL,
            collection TEXT NOT NULL,
            role TEXT NOT NULL,
            PRIMARY KEY (account, collection)
        )
        """,
        """
        CREATE TABLE account_session (
            key TEXT PRIMARY KEY,
            account TEXT NOT NULL,
            created BIGINT NOT NULL,
            seen BIGINT NOT NULL,
            address TEXT NOT NULL
        )
        """,
        "CREATE INDEX account_session_by_account ON account_session (account)",
        """
        CREATE TABLE api_token (
            id TEXT PRIMARY KEY,
            key TEXT NOT NULL,
            account TEXT NOT NULL,
            label TEXT NOT NULL,
            scope TEXT NOT NULL,
            collection TEXT NOT NULL,
            created BIGINT NOT NULL,
            expires BIGINT,
            used BIGINT
        )
        """,
        "CREATE UNIQUE INDEX api_token_by_key ON api_token (key)",
        "CREATE INDEX api_token_by_account ON api_token (account)",
        "CREATE TABLE login_failure (key TEXT PRIMARY KEY, count BIGINT NOT NULL, last BIGINT NOT NULL)",
        "CREATE INDEX login_failure_by_age ON login_failure (last)",
        """
        CREATE TABLE audit_entry (
            number BIGINT PRIMARY KEY,
            at BIGINT NOT NULL,
            who TEXT NOT NULL,
            address TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            outcome TEXT NOT NULL
        )
        """,
    ),
    ("ALTER TABLE collection ADD COLUMN is_public BIGINT NOT NULL DEFAULT 0",),
    (
        "CREATE INDEX job_event_by_kind ON job_event (event, at)",
        """
        CREATE TABLE mail (
            id TEXT PRIMARY KEY,
            recipient TEXT NOT NULL,
            subject TEXT NOT NULL,
            text TEXT NOT NULL,
            created BIGINT NOT NULL,
            attempts BIGINT NOT NULL,
            next_try BIGINT,
            sent BIGINT,
            message TEXT NOT NULL
        )
        """,
        "CREATE INDEX mail_by_turn ON mail (next_try)",
        """
        CREATE TABLE webhook (
            id TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            url TEXT NOT NULL,
            secret TEXT NOT NULL,
            created BIGINT NOT NULL,
            is_local_allowed BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE webhook_delivery (
            id TEXT PRIMARY KEY,
            webhook TEXT NOT NULL,
            job TEXT NOT NULL,
            number BIGINT NOT NULL,
            event TEXT NOT NULL,
            body TEXT NOT NULL,
            attempts BIGINT NOT NULL,
            next_try BIGINT,
            delivered BIGINT,
            message TEXT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery (webhook, job, number)",
        "CREATE INDEX webhook_delivery_by_turn ON webhook_delivery (next_try)",
    ),
    (
        """
        CREATE TABLE visitor_recovery (
            id TEXT PRIMARY KEY,
            state TEXT NOT NULL,
            asked TEXT NOT NULL,
            created BIGINT NOT NULL,
            mail TEXT NOT NULL,
            link TEXT NOT NULL,
            link_hash TEXT NOT NULL UNIQUE,
            code TEXT NOT NULL,
            turn BIGINT,
            confirmed BIGINT,
            started BIGINT,
            ended BIGINT,
            picked_up BIGINT,
            reminders BIGINT NOT NULL,
            last_reminder BIGINT,
            job TEXT NOT NULL,
            survey TEXT NOT NULL,
            outcome TEXT NOT NULL,
            message TEXT NOT NULL
        )
        """,
        "CREATE INDEX visitor_recovery_by_state ON visitor_recovery (state, turn)",
        """
        CREATE TABLE visitor_use (
            recovery TEXT NOT NULL,
            address TEXT NOT NULL,
            at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX visitor_use_by_address ON visitor_use (address, at)",
    ),
    (
        "ALTER TABLE schedule ADD COLUMN is_off BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE watch ADD COLUMN is_off BIGINT NOT NULL DEFAULT 0",
    ),
    (
        """
        CREATE TABLE login_profile (
            id TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            name TEXT NOT NULL,
            facts TEXT NOT NULL,
            sealed TEXT NOT NULL,
            created BIGINT NOT NULL,
            renewed BIGINT NOT NULL,
            checked BIGINT,
            state TEXT NOT NULL,
            message TEXT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX login_profile_once ON login_profile (collection, name)",
    ),
    ("ALTER TABLE collection ADD COLUMN picture TEXT NOT NULL DEFAULT ''",),
    (
        "ALTER TABLE mail ADD COLUMN about TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX mail_by_subject ON mail (about)",
        "CREATE TABLE visitor_block (address TEXT PRIMARY KEY, label TEXT NOT NULL, at BIGINT NOT NULL)",
        "CREATE INDEX visitor_use_by_recovery ON visitor_use (recovery)",
    ),
    (
        "ALTER TABLE job ADD COLUMN runner TEXT NOT NULL DEFAULT ''",
        """
        CREATE TABLE machine (
            name TEXT PRIMARY KEY,
            host TEXT NOT NULL,
            running BIGINT NOT NULL,
            joined BIGINT NOT NULL,
            seen BIGINT NOT NULL,
            is_locked BIGINT NOT NULL
        )
        """,
    ),
    ("CREATE INDEX job_by_state_age ON job (state, created, id)",),
    ("CREATE INDEX job_by_end ON job (ended, id)",),
    ("ALTER TABLE collection ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]'",),
)
"""What each version added to the one before."""


def migrate(database: SqlDatabase, target: int | None = None) -> None:
    """Bring a database up to date, or up to an earlier version for whoever wants to see how one of it fares."""
    database.change("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
    with database.transaction():
        version = int(database.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0][0] or 0)
        if version > len(MIGRATIONS):
            raise StorageError(
                f"the job store is of version {version}, and this webkeep knows those up to {len(MIGRATIONS)}; "
                "install the newer webkeep that made it"
            )
        for number, statements in enumerate(MIGRATIONS[version:target], version + 1):
            for statement in statements:
                database.change(statement)
            database.change("INSERT INTO schema_version (version) VALUES (?)", (number,))
