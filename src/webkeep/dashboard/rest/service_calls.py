"""Calls about the service itself: how it is, who is told of jobs, and one's own account with its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from starlette.exceptions import HTTPException

from webkeep.dashboard.access import account_pages
from webkeep.dashboard.notices import webhooks
from webkeep.dashboard.pages import machines, start
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.model import Moment
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.jobs import JobMachine
from webkeep.service.notices import Webhook


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """How the service is."""

    status: Annotated[str, "ok or trouble"]
    trouble: Annotated[str, "why no job may run, where that is so"]
    version: str
    jobs: Annotated[Mapping[str, int], "how many are in each state"]


@dataclass(frozen=True, slots=True)
class WebhookOrder:
    """Somebody to tell when jobs have ended."""

    url: str
    collection: Annotated[str, "of whose jobs; empty for all"] = ""
    local: Annotated[bool, "whether it may be at a private address"] = False


@dataclass(frozen=True, slots=True)
class WebhookPiece:
    """All who are told."""

    webhooks: tuple[Webhook, ...]


@dataclass(frozen=True, slots=True)
class DeliveryAnswer:
    """One event that was told to a webhook, or is to be."""

    id: str
    webhook: str
    job: str
    event: str
    attempts: int
    next_try: Moment | None
    delivered: Moment | None
    message: str


@dataclass(frozen=True, slots=True)
class MailAnswer:
    """A mail that was sent, or waits."""

    id: str
    recipient: str
    subject: str
    attempts: int
    next_try: Moment | None
    sent: Moment | None
    message: str


@dataclass(frozen=True, slots=True)
class NoticePiece:
    """What was told of late, and what waits."""

    deliveries: tuple[DeliveryAnswer, ...]
    mails: tuple[MailAnswer, ...]


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """One of one's sessions."""

    id: str
    created: Moment
    seen: Moment
    address: str
    is_this: bool


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """One of one's tokens; the token itself was shown once."""

    id: str
    label: str
    scope: Permission
    collection: Annotated[str, "the one that it is good for; * for all"]
    created: Moment
    expires: Moment | None
    used: Moment | None


@dataclass(frozen=True, slots=True)
class AccountAnswer:
    """One's own account."""

    name: str
    roles: Annotated[Mapping[str, AccountRole], "by collection; * stands for all"]
    sessions: tuple[SessionAnswer, ...]
    tokens: tuple[TokenAnswer, ...]


@dataclass(frozen=True, slots=True)
class PasswordChange:
    """Another password."""

    current: str
    new: str
    again: str


@dataclass(frozen=True, slots=True)
class TokenOrder:
    """A token to make."""

    label: Annotated[str, "what it is for"]
    scope: Annotated[str, "read, curate or administer"]
    collection: Annotated[str, "the one that it is good for; empty for all"] = ""


def describe_service(asked: ApiRequest) -> ServiceAnswer:
    """How it is."""
    health = asked.page.service.describe_health()
    jobs = health.get("jobs")
    counts = jobs if isinstance(jobs, dict) else {}
    return ServiceAnswer(str(health["status"]), str(health.get("trouble", "")), str(health["version"]), counts)


def list_webhooks(asked: ApiRequest) -> WebhookPiece:
    """All who are told."""
    return WebhookPiece(tuple(asked.page.service.notices.list_webhooks()))


def list_notices(asked: ApiRequest) -> NoticePiece:
    """What was told of late."""
    notices = asked.page.service.notices
    deliveries = tuple(
        DeliveryAnswer(
            each.id, each.webhook, each.job, each.event, each.attempts, each.next_try, each.delivered, each.message
        )
        for each in notices.list_deliveries()
    )
    mails = tuple(
        MailAnswer(
            each.id, each.draft.recipient, each.draft.subject, each.attempts, each.next_try, each.sent, each.message
        )
        for each in notices.list_mail()
    )
    return NoticePiece(deliveries, mails)


def describe_account(asked: ApiRequest) -> AccountAnswer:
    """What one's account has."""
    visitor, service = asked.page.visitor, asked.page.service
    if not visitor.account:
        raise HTTPException(404)
    sessions = service.sessions.list_sessions(visitor.account, service.clock.now())
    tokens = service.tokens.list_tokens(visitor.account)
    return AccountAnswer(
        visitor.account,
        visitor.roles,
        tuple(
            SessionAnswer(each.key, each.created, each.seen, each.address, each.key == visitor.session_key)
            for each in sessions
        ),
        tuple(
            TokenAnswer(each.id, each.label, each.scope, each.collection, each.created, each.expires, each.used)
            for each in tokens
        ),
    )


@dataclass(frozen=True, slots=True)
class MachineAction:
    """What is to become of a machine."""

    name: Annotated[str, "as it joined; empty for that of the service"]
    action: Annotated[str, "lock, unlock or forget"]


@dataclass(frozen=True, slots=True)
class MachinesAnswer:
    """The machines that jobs run on."""

    machines: tuple[JobMachine, ...]


def list_machines(asked: ApiRequest) -> MachinesAnswer:
    """All of them, by name."""
    return MachinesAnswer(tuple(asked.page.service.machines.list_machines()))


_ADMINISTER, _SIGNED_IN = Permission.ADMINISTER, Permission.SIGNED_IN

SERVICE_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", "/service", Permission.ANYONE, "How the service is.", ServiceAnswer, describe_service,
            pages=(start.answer_health,)),
    ApiCall("GET", "/webhooks", _ADMINISTER, "Who is told when jobs have ended.", WebhookPiece, list_webhooks,
            pages=(webhooks.show_notices,)),
    ApiCall("POST", "/webhooks", _ADMINISTER, "Tell somebody from now on.", Webhook, body=WebhookOrder,
            form=webhooks.add_webhook),
    ApiCall("DELETE", "/webhooks/{webhook}", _ADMINISTER, "Tell somebody no more.", form=webhooks.delete_webhook),
    ApiCall("GET", "/notices", _ADMINISTER, "What was told of late, and what waits.", NoticePiece, list_notices),
    ApiCall("GET", "/account", _SIGNED_IN, "One's own account.", AccountAnswer, describe_account,
            pages=(account_pages.show_account,), needs_session=True),
    ApiCall("POST", "/account/password", _SIGNED_IN, "Take another password; all other sessions are ended.",
            body=PasswordChange, form=account_pages.change_password, needs_session=True),
    ApiCall("DELETE", "/account/sessions/{session}", _SIGNED_IN, "End one of one's sessions.",
            form=account_pages.end_session, needs_session=True),
    ApiCall("POST", "/account/tokens", _SIGNED_IN, "Make a token, which is told this once.",
            account_pages.NewToken, body=TokenOrder, form=account_pages.make_token, needs_session=True),
    ApiCall("DELETE", "/account/tokens/{token}", _SIGNED_IN, "End one of one's tokens.",
            form=account_pages.revoke_token, needs_session=True),
    ApiCall("GET", "/machines", _ADMINISTER, "The machines that jobs run on.", MachinesAnswer, list_machines,
            pages=(machines.show_machines,)),
    ApiCall("POST", "/machines", _ADMINISTER, "Lock a machine, unlock it, or forget one that left.", MachinesAnswer,
            list_machines, body=MachineAction, form=machines.change_machine),
)  # fmt: skip
"""All of them."""
