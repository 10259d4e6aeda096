"""The tables of a cluster in PostgreSQL, and the one number by which workers know whether they understand them.

`url` has one row for every URL, by the hash of it; what is queued is a partial index by group and rank.
`host_group` has a row for every politeness group, with the worker that has it. `worker` has a row for every session
of a worker: its number is drawn by chance and is the fencing token of all groups that it owns, so that it is never
given again, not even by a database that forgot the last of what it knew. All moments are the database's own;
`timeline` says which server it is that has the capture, and since when. Where the steps to pages are counted,
`holder` is the session whose archive has a page, and `read_again` says that a shorter way was found since its links
were entered. A capture that goes by sites has a row in `course` for each: who carries it out, whose archive has
begun it, and what came of it. `payload` says what large payloads workers have on their disks: others refer to these
where the capture shares them, and at the end it is told which several of them hold.
"""

from __future__ import annotations

SCHEMA_NAME = "webkeep_cluster"
SCHEMA_VERSION = 5
"""Workers that know another one take no part."""

SCHEMA = f"""
CREATE SCHEMA {SCHEMA_NAME};
CREATE TABLE {SCHEMA_NAME}.capture (
    only_one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_one),
    schema_version BIGINT NOT NULL,
    program TEXT NOT NULL,
    id TEXT NOT NULL,
    plan TEXT NOT NULL,
    taken_down TEXT NOT NULL,
    started TIMESTAMPTZ NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    changes TEXT NOT NULL,
    timeline TEXT NOT NULL,
    timeline_since TIMESTAMPTZ NOT NULL,
    shares_payloads BOOLEAN NOT NULL
);
CREATE TABLE {SCHEMA_NAME}.worker (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'alive',
    joined TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    expires TIMESTAMPTZ NOT NULL,
    urls BIGINT NOT NULL DEFAULT 0,
    granted BIGINT NOT NULL DEFAULT 0,
    bytes BIGINT NOT NULL DEFAULT 0,
    in_flight BIGINT NOT NULL DEFAULT 0,
    fenced BIGINT NOT NULL DEFAULT 0,
    has_browser BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE TABLE {SCHEMA_NAME}.host_group (
    key TEXT PRIMARY KEY,
    owner BIGINT,
    pending BOOLEAN NOT NULL DEFAULT TRUE,
    free_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    lost_at TIMESTAMPTZ,
    wanted_by BIGINT,
    lent_to BIGINT,
    lent_until TIMESTAMPTZ
);
CREATE INDEX claimable ON {SCHEMA_NAME}.host_group (free_at) WHERE owner IS NULL AND pending;
CREATE INDEX owned ON {SCHEMA_NAME}.host_group (owner) WHERE owner IS NOT NULL;
CREATE INDEX lent ON {SCHEMA_NAME}.host_group (lent_to) WHERE lent_to IS NOT NULL;
CREATE INDEX wanted ON {SCHEMA_NAME}.host_group (owner) WHERE wanted_by IS NOT NULL;
CREATE TABLE {SCHEMA_NAME}.url (
    key BYTEA PRIMARY KEY,
    serial BIGINT GENERATED ALWAYS AS IDENTITY,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    host_group TEXT NOT NULL,
    rank BIGINT NOT NULL,
    via BYTEA NOT NULL,
    facts BIGINT NOT NULL,
    outcome SMALLINT NOT NULL,
    reason TEXT NOT NULL,
    holder BIGINT NOT NULL DEFAULT 0,
    read_again BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX queue ON {SCHEMA_NAME}.url (host_group, rank, key) WHERE outcome = 0;
CREATE INDEX to_read_again ON {SCHEMA_NAME}.url (holder) WHERE read_again;
CREATE INDEX found ON {SCHEMA_NAME}.url (serial);
CREATE TABLE {SCHEMA_NAME}.host_text (
    host_group TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (host_group, name)
);
CREATE TABLE {SCHEMA_NAME}.tally (
    worker BIGINT NOT NULL,
    outcome SMALLINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (worker, outcome)
);
CREATE TABLE {SCHEMA_NAME}.payload (
    digest TEXT NOT NULL,
    keeper TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    check_hash BYTEA NOT NULL,
    url TEXT NOT NULL,
    moment BIGINT NOT NULL,
    PRIMARY KEY (digest, keeper)
);
CREATE TABLE {SCHEMA_NAME}.course (
    id BIGINT PRIMARY KEY,
    site TEXT NOT NULL,
    course TEXT NOT NULL,
    needs_browser BOOLEAN NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    owner BIGINT,
    keeper TEXT NOT NULL DEFAULT '',
    begun_anew BIGINT NOT NULL DEFAULT 0,
    counts JSONB NOT NULL DEFAULT '{{}}',
    urls BIGINT NOT NULL DEFAULT 0,
    bytes BIGINT NOT NULL DEFAULT 0,
    capture TEXT NOT NULL DEFAULT '',
    report TEXT NOT NULL DEFAULT '{{}}'
);
"""
"""What a database has that captures of a cluster lie in."""

SESSION_TABLES = """
CREATE TEMP TABLE link_in (
    key BYTEA, url TEXT, host TEXT, host_group TEXT, rank BIGINT, via BYTEA, facts BIGINT, outcome SMALLINT, reason TEXT
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE fate_in (
    key BYTEA, url TEXT, host TEXT, host_group TEXT, via BYTEA, facts BIGINT, outcome SMALLINT, reason TEXT
) ON COMMIT DELETE ROWS;
"""
"""Where a connection copies what it hands over, before it is brought in."""

EMPTY_SESSION_TABLES = "TRUNCATE link_in, fate_in"
"""Between two batches that are brought in by one transaction."""

EMPTY_TABLES = f"""
TRUNCATE {SCHEMA_NAME}.capture, {SCHEMA_NAME}.worker, {SCHEMA_NAME}.host_group, {SCHEMA_NAME}.url,
    {SCHEMA_NAME}.host_text, {SCHEMA_NAME}.tally, {SCHEMA_NAME}.course,
    {SCHEMA_NAME}.payload
"""
"""Before another capture begins."""
