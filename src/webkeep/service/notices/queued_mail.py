"""Mails as values: what is to be said to whom, and how far one is that waits to be sent."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment

_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
)
_MAX_ADDRESS_CHARS = 254
"""Of an address, by RFC 5321."""


@dataclass(frozen=True, slots=True)
class MailDraft:
    """What is to be said to whom."""

    recipient: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class QueuedMail:
    """A mail that waits to be sent."""

    id: str
    draft: MailDraft
    created: Moment
    attempts: int = 0
    next_try: Moment | None = None
    """None where it was sent or given up."""
    sent: Moment | None = None
    message: str = ""


def check_mail_address(text: str) -> str:
    """An address that mail can be sent to."""
    address = text.strip()
    if len(address) > _MAX_ADDRESS_CHARS or not _ADDRESS.fullmatch(address):
        raise UsageError(f"not a mail address: {address[:80]!r}; write name@example.org")
    return address
