"""Addresses from which no recovery is taken: kept by their hash, so that whoever asked can be kept out without anybody
knowing from where that was.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import hash_secret
from webkeep.service.notices import check_mail_address
from webkeep.service.store.sql_database import SqlDatabase, make_keepable

_SITE_BITS = 64
"""Of an IPv6 address: who has one has all that begin so."""


class BlockedAddressError(UsageError):
    """Somebody asks from an address that an administrator blocked."""


@dataclass(frozen=True, slots=True)
class BlockedAddress:
    """One address."""

    key: str
    """The hash that it is kept by."""
    label: str
    """What an administrator called it."""
    at: Moment


def network_key(address: str) -> str:
    """What an address on the network counts as."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return f"network:{address}"
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or ipaddress.ip_network((parsed, _SITE_BITS), strict=False).network_address
    return f"network:{parsed}"


def mail_key(address: str) -> str:
    """What a mail address counts as."""
    return f"mail:{address.strip().lower()}"


class VisitorBlockStore:
    """All addresses that are blocked."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def block(self, text: str, now: Moment) -> None:
        """Take nothing any more from a mail address or one on the network."""
        address = text.strip()
        if "@" in address:
            self._keep(hash_secret(mail_key(check_mail_address(address))), address, now)
            return
        try:
            ipaddress.ip_address(address)
        except ValueError:
            raise UsageError(f"not an address: {address[:80]!r}; write name@example.org or 192.0.2.1") from None
        self._keep(hash_secret(network_key(address)), address, now)

    def block_asker(self, recovery_id: str, now: Moment) -> int:
        """Take nothing any more from whoever asked for a recovery; gives how many addresses that is."""
        with self._sql.transaction():
            rows = self._sql.rows("SELECT DISTINCT address FROM visitor_use WHERE recovery = ?", (recovery_id,))
            for (key,) in rows:
                self._keep(str(key), f"who asked for {recovery_id}", now)
            return len(rows)

    def _keep(self, key: str, label: str, now: Moment) -> None:
        self._sql.change(
            "INSERT INTO visitor_block (address, label, at) VALUES (?,?,?) ON CONFLICT DO NOTHING",
            (key, make_keepable(label), now.micros),
        )

    def unblock(self, key: str) -> bool:
        """Take from it again; whether it was blocked."""
        return self._sql.change("DELETE FROM visitor_block WHERE address = ?", (key,)) > 0

    def list_blocked(self) -> list[BlockedAddress]:
        """All of them, the newest first."""
        rows = self._sql.rows("SELECT address, label, at FROM visitor_block ORDER BY at DESC, label, address")
        return [BlockedAddress(str(key), str(label), Moment(int(at or 0))) for key, label, at in rows]
