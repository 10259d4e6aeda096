"""What somebody must be allowed to do for an endpoint to answer."""

from __future__ import annotations

import enum


class Permission(enum.StrEnum):
    """What an endpoint asks of who calls it, from the least to the most."""

    ANYONE = "anyone"
    """The login page, health, pages of public collections, recovery for visitors."""
    SIGNED_IN = "signed in"
    """One's own account, the start page."""
    READ = "read"
    """Of a collection: see it, its jobs, replay, downloads."""
    CURATE = "curate"
    """Of a collection: start, stop, change, upload, seeds, schedules, logins."""
    ADMINISTER = "administer"
    """Accounts, settings, everything."""
