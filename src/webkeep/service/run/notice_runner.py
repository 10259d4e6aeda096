"""Notices sent when they are due: mail by its server, webhooks by the product's own fetcher, which looks at the address
itself; several at a time, each within bounds, so that a receiver that hangs holds nothing up but itself. What sends is
loaded once something is due.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.errors import RemoteError, UsageError
from webkeep.fetch import FetchLimits, FetchRequest, FetchSettings
from webkeep.formats.http import parse_response
from webkeep.formats.status import is_successful
from webkeep.model import BytesBody, Clock
from webkeep.service.notices import (
    MailSettings,
    QueuedMail,
    Webhook,
    WebhookDelivery,
    next_pause_seconds,
    sign_body,
)
from webkeep.service.store import NoticeStore

if TYPE_CHECKING:
    from webkeep.fetch.client import Fetcher

_BATCH_NOTICES = 16
"""So many are sent in one look."""
RECEIVER_LIMITS = FetchLimits(connect_seconds=5, seconds=10, max_stall_seconds=10, size=65_536)
"""Of a receiver: it need only say that it has it."""
_MAX_MAIL_PAUSE_SECONDS = 3600.0
"""Mail is never given up for a server that is down: it waits an hour at most."""
_FIRST_MAIL_PAUSE_SECONDS = 30.0
"""The first pause, doubled each time."""
_MAX_PAUSE_DOUBLINGS = 10
"""More would be beyond the longest pause."""


class NoticeRunner:
    """Sends what is due."""

    def __init__(
        self,
        spool: Path,
        notices: NoticeStore,
        mail: MailSettings | None,
        clock: Clock,
        limits: FetchLimits = RECEIVER_LIMITS,
    ) -> None:
        self._spool, self._notices, self._mail, self._clock = spool, notices, mail, clock
        self._limits = limits

    def look(self) -> int:
        """Send what is due; gives how much was tried."""
        return self.send_mail() + self.deliver()

    def send_mail(self) -> int:
        """Send the mails that are due; gives how many were tried."""
        if self._mail is None:
            return 0
        due = self._notices.due_mail(self._clock.now(), _BATCH_NOTICES)
        for mail in due:
            if not self._try_mail(mail, self._mail):
                break  # the server is down: the others need not find that out one by one
        return len(due)

    def _try_mail(self, mail: QueuedMail, settings: MailSettings) -> bool:
        from webkeep.service.notices import MailRefusedError, send_mail

        try:
            send_mail(mail, settings)
        except (MailRefusedError, UsageError) as error:
            self._notices.record_mail(mail, None, None, f"given up: {error}")
            return True
        except RemoteError as error:
            pause = _FIRST_MAIL_PAUSE_SECONDS * 2 ** min(mail.attempts, _MAX_PAUSE_DOUBLINGS)
            next_try = self._clock.now().plus(min(pause, _MAX_MAIL_PAUSE_SECONDS))
            self._notices.record_mail(mail, next_try, None, str(error))
            return False
        self._notices.record_mail(mail, None, self._clock.now(), "")
        return True

    def deliver(self) -> int:
        """Tell webhooks what is due; gives how much was tried."""
        self._notices.queue_deliveries(self._clock.now())
        due = self._notices.due_deliveries(self._clock.now(), _BATCH_NOTICES)
        hooks = {each.id: each for each in self._notices.list_webhooks()} if due else {}
        return asyncio.run(self._deliver(due, hooks)) if due else 0

    async def _deliver(self, due: list[WebhookDelivery], hooks: dict[str, Webhook]) -> int:
        from webkeep.fetch.client import Fetcher

        self._spool.mkdir(parents=True, exist_ok=True)
        settings = FetchSettings(connections=_BATCH_NOTICES, connections_per_host=_BATCH_NOTICES)
        async with Fetcher(settings, self._spool) as fetcher:
            known = [each for each in due if each.webhook in hooks]
            await asyncio.gather(*(self._try_delivery(fetcher, each, hooks[each.webhook]) for each in known))
        return len(known)

    async def _try_delivery(self, fetcher: Fetcher, delivery: WebhookDelivery, hook: Webhook) -> None:
        now = self._clock.now()
        body, timestamp = delivery.body.encode(), now.micros // 1_000_000
        headers = (
            ("Content-Type", "application/json"),
            ("X-Webkeep-Delivery", delivery.id),
            ("X-Webkeep-Timestamp", str(timestamp)),
            ("X-Webkeep-Signature", f"sha256={sign_body(hook.secret, timestamp, body)}"),
        )
        fetched = await fetcher.fetch(
            FetchRequest(hook.url, "POST", headers, BytesBody(body), private=hook.is_local_allowed, limits=self._limits)
        )
        said = f"{fetched.failure}: {fetched.detail}"
        if fetched.exchange is not None and fetched.failure is None:
            status = parse_response(fetched.exchange.response).status
            if is_successful(status):
                self._notices.record_delivery(delivery, None, now, f"status {status}")
                return
            said = f"status {status}"
        pause = next_pause_seconds(delivery.attempts + 1)
        next_try = None if pause is None else self._clock.now().plus(pause)
        self._notices.record_delivery(delivery, next_try, None, said if next_try else f"given up: {said}")
