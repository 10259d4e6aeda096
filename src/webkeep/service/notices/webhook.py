"""Webhooks: programs elsewhere that are told when something became of a job, in JSON that is signed.

The signature is an HMAC by SHA-256 of the moment, a dot and the body, with the secret of the webhook: whoever receives
it can tell that it is ours and not an old one sent again.
"""

from __future__ import annotations

import enum
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from webkeep.model import Moment
from webkeep.service.sent_values import check_sent_url

_SECRET_BYTES = 32
"""As many as the digest has."""
_ID_BYTES = 8
"""Of chance in an id, as jobs have it."""
_PAUSES_SECONDS = (10.0, 60.0, 300.0, 1800.0, 7200.0, 21600.0, 43200.0, 86400.0)
"""From one attempt to the next: a server that is mended within two days has missed nothing."""


class WebhookEvent(enum.StrEnum):
    """What of a job is told, by the names that its journal has."""

    DONE = "finish"
    FAILED = "fail"
    CANCELLED = "cancel"
    EXPIRED = "expire"


@dataclass(frozen=True, slots=True)
class Webhook:
    """Somebody who is told."""

    id: str
    collection: str
    """Of whose jobs; empty for all."""
    url: str
    secret: str = field(repr=False)
    created: Moment
    is_local_allowed: bool = False


@dataclass(frozen=True, slots=True)
class WebhookDelivery:
    """One event, told or to be told to one webhook."""

    id: str
    webhook: str
    job: str
    event: str
    body: str
    attempts: int = 0
    next_try: Moment | None = None
    """None where it was delivered or given up."""
    delivered: Moment | None = None
    message: str = ""
    """What the last attempt came to."""


def new_webhook(url: str, collection: str, now: Moment, is_local_allowed: bool = False) -> Webhook:
    """A webhook with a secret of its own, at an address that may be named."""
    checked = check_sent_url(url, is_local_allowed)
    secret = secrets.token_hex(_SECRET_BYTES)
    return Webhook(secrets.token_hex(_ID_BYTES), collection, checked, secret, now, is_local_allowed)


def sign_body(secret: str, timestamp: int, body: bytes) -> str:
    """The signature of a body that is sent at a moment, in seconds since 1970."""
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


def next_pause_seconds(attempts: int) -> float | None:
    """How long to wait after so many attempts that failed; None where it is given up."""
    return _PAUSES_SECONDS[attempts - 1] if attempts <= len(_PAUSES_SECONDS) else None
