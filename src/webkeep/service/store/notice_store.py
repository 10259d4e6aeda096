"""Mails and deliveries to webhooks as rows: a queue that loses nothing while the other side is down, and the list of
what was sent.
"""

from __future__ import annotations

import json
import secrets

from webkeep.model import Moment
from webkeep.service.notices import MailDraft, QueuedMail, Webhook, WebhookDelivery, WebhookEvent
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, make_keepable

_MAIL = "id, recipient, subject, text, created, attempts, next_try, sent, message"
_WEBHOOK = "id, collection, url, secret, created, is_local_allowed"
_DELIVERY = "id, webhook, job, event, body, attempts, next_try, delivered, message"
_ID_BYTES = 12
"""Of chance in the id of a notice, which is its Message-ID as well."""
_EVENT_DAYS_SECONDS = 2 * 86400.0
"""How far back events are looked for: no service that records them is without its notices for longer."""
_LONGEST_WAIT_SECONDS = 86400.0
"""From one attempt to the next no notice waits for longer: one that would has a clock that was set back meanwhile."""
_IS_DUE = "next_try > 0 AND (attempts = 0 OR next_try <= ? OR next_try > ?)"
"""Of a notice; one that was never tried is due whatever the clock says."""
_MAX_LISTED_NOTICES = 200
"""Notices that are listed at once."""


class NoticeStore:
    """All notices of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    # ---- mail ----

    def queue_mail(self, draft: MailDraft, now: Moment, about: str = "") -> QueuedMail:
        """Have a mail sent; what it is about is what it is forgotten by."""
        mail = QueuedMail(secrets.token_hex(_ID_BYTES), draft, now, 0, now)
        said = (draft.recipient, make_keepable(draft.subject), make_keepable(draft.text))
        self._sql.change(
            f"INSERT INTO mail ({_MAIL}, about) VALUES (?,?,?,?,?,0,?,NULL,'',?)",
            (mail.id, *said, now.micros, now.micros, about),
        )
        return mail

    def forget_mail(self, about: str) -> None:
        """Send and list no mail any more that is about something."""
        self._sql.change("DELETE FROM mail WHERE about = ?", (about,))

    def due_mail(self, now: Moment, limit: int) -> list[QueuedMail]:
        """Mails that are to be tried now."""
        rows = self._sql.rows(
            f"SELECT {_MAIL} FROM mail WHERE {_IS_DUE} ORDER BY next_try, id LIMIT ?",
            (now.micros, now.plus(_LONGEST_WAIT_SECONDS).micros, limit),
        )
        return [_mail_from_row(row) for row in rows]

    def record_mail(self, mail: QueuedMail, next_try: Moment | None, sent: Moment | None, message: str) -> bool:
        """Note what an attempt came to; whether it was the attempt that the mail was read in."""
        return bool(
            self._sql.change(
                "UPDATE mail SET attempts = attempts + 1, next_try = ?, sent = ?, message = ? "
                "WHERE id = ? AND attempts = ?",
                (_micros(next_try), _micros(sent), make_keepable(message)[:500], mail.id, mail.attempts),
            )
        )

    def list_mail(self, limit: int = _MAX_LISTED_NOTICES) -> list[QueuedMail]:
        """The newest mails."""
        rows = self._sql.rows(f"SELECT {_MAIL} FROM mail ORDER BY created DESC, id LIMIT ?", (limit,))
        return [_mail_from_row(row) for row in rows]

    # ---- webhooks ----

    def add_webhook(self, hook: Webhook) -> None:
        """Tell somebody from now on."""
        self._sql.change(
            f"INSERT INTO webhook ({_WEBHOOK}) VALUES (?,?,?,?,?,?)",
            (hook.id, hook.collection, hook.url, hook.secret, hook.created.micros, int(hook.is_local_allowed)),
        )

    def list_webhooks(self) -> list[Webhook]:
        """All who are told."""
        rows = self._sql.rows(f"SELECT {_WEBHOOK} FROM webhook ORDER BY created, id")
        return [_webhook_from_row(row) for row in rows]

    def delete_webhook(self, webhook_id: str) -> bool:
        """Tell somebody no more; whether they were told before."""
        with self._sql.transaction():
            self._sql.change("DELETE FROM webhook_delivery WHERE webhook = ?", (webhook_id,))
            return self._sql.change("DELETE FROM webhook WHERE id = ?", (webhook_id,)) > 0

    def queue_deliveries(self, now: Moment) -> int:
        """Queue what became of jobs since, once for each webhook; gives how many."""
        # A clock that was set back would have nothing told until it is where it was.
        self._sql.change("UPDATE webhook SET created = ? WHERE created > ?", (now.micros, now.micros))
        names = [each.value for each in WebhookEvent]
        rows = self._sql.rows(
            "SELECT w.id, e.job, e.number, e.event, e.state, e.at, e.message, j.collection FROM webhook w "
            f"JOIN job_event e ON e.event IN ({', '.join('?' * len(names))}) AND e.at >= w.created AND e.at >= ? "
            "JOIN job j ON j.id = e.job AND (w.collection = '' OR w.collection = j.collection) "
            "WHERE NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.webhook = w.id AND d.job = e.job "
            "AND d.number = e.number) ORDER BY e.at, e.job, e.number",
            (*names, now.plus(-_EVENT_DAYS_SECONDS).micros),
        )
        return sum(self._queue_delivery(row, now) for row in rows)

    def _queue_delivery(self, row: ResultRow, now: Moment) -> int:
        webhook, job, number, event, state, at, message, collection = row
        told = {"event": event, "job": job, "state": state, "collection": collection, "message": message}
        body = json.dumps({**told, "at": Moment(int(at or 0)).iso()}, sort_keys=True)
        values = (secrets.token_hex(_ID_BYTES), webhook, job, event, body, now.micros, number)
        return self._sql.change(
            f"INSERT INTO webhook_delivery ({_DELIVERY}, number) VALUES (?,?,?,?,?,0,?,NULL,'',?) "
            "ON CONFLICT DO NOTHING",
            values,
        )

    def due_deliveries(self, now: Moment, limit: int) -> list[WebhookDelivery]:
        """Deliveries that are to be tried now: of each webhook in turn, so that one that hangs holds up no other."""
        rows = self._sql.rows(
            f"SELECT {_DELIVERY} FROM (SELECT {_DELIVERY}, "
            "row_number() OVER (PARTITION BY webhook ORDER BY next_try, id) AS place "
            f"FROM webhook_delivery WHERE {_IS_DUE}) AS due ORDER BY place, next_try, id LIMIT ?",
            (now.micros, now.plus(_LONGEST_WAIT_SECONDS).micros, limit),
        )
        return [_delivery_from_row(row) for row in rows]

    def record_delivery(
        self, delivery: WebhookDelivery, next_try: Moment | None, delivered: Moment | None, message: str
    ) -> bool:
        """Note what an attempt came to; whether it was the attempt that the delivery was read in."""
        return bool(
            self._sql.change(
                "UPDATE webhook_delivery SET attempts = attempts + 1, next_try = ?, delivered = ?, message = ? "
                "WHERE id = ? AND attempts = ?",
                (_micros(next_try), _micros(delivered), make_keepable(message)[:500], delivery.id, delivery.attempts),
            )
        )

    def list_deliveries(self, limit: int = _MAX_LISTED_NOTICES) -> list[WebhookDelivery]:
        """The deliveries of all webhooks, those that wait first."""
        rows = self._sql.rows(
            f"SELECT {_DELIVERY} FROM webhook_delivery ORDER BY delivered IS NOT NULL, delivered DESC, id LIMIT ?",
            (limit,),
        )
        return [_delivery_from_row(row) for row in rows]

    def count_waiting(self) -> dict[str, int]:
        """How many notices wait, by what they are."""
        return {
            name: int(self._sql.rows(f"SELECT count(*) FROM {table} WHERE next_try IS NOT NULL")[0][0] or 0)
            for name, table in (("mail", "mail"), ("webhook", "webhook_delivery"))
        }


def _micros(moment: Moment | None) -> int | None:
    return None if moment is None else moment.micros


def _moment(value: int | str | None) -> Moment | None:
    return None if value is None else Moment(int(value))


def _mail_from_row(row: ResultRow) -> QueuedMail:
    mail_id, recipient, subject, text, created, attempts, next_try, sent, message = row
    draft = MailDraft(str(recipient), str(subject), str(text))
    tried = (Moment(int(created or 0)), int(attempts or 0), _moment(next_try), _moment(sent))
    return QueuedMail(str(mail_id), draft, *tried, str(message))


def _webhook_from_row(row: ResultRow) -> Webhook:
    hook_id, collection, url, secret, created, is_local_allowed = row
    named = (str(hook_id), str(collection), str(url), str(secret))
    return Webhook(*named, Moment(int(created or 0)), bool(is_local_allowed))


def _delivery_from_row(row: ResultRow) -> WebhookDelivery:
    delivery_id, webhook, job, event, body, attempts, next_try, delivered, message = row
    named = (str(delivery_id), str(webhook), str(job), str(event), str(body))
    return WebhookDelivery(*named, int(attempts or 0), _moment(next_try), _moment(delivered), str(message))
