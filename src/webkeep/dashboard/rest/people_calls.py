"""Calls about the accounts of a service and about its log, for who administers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from webkeep.dashboard.access import audit_pages, people_pages
from webkeep.dashboard.page_cursor import DEFAULT_LISTED_ROWS, check_limit, cut_piece, read_cursor, write_cursor
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.model import Moment
from webkeep.service.accounts import AccountRole, Permission


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """An account."""

    name: str
    roles: Annotated[Mapping[str, AccountRole], "by collection; * stands for all"]
    is_locked: bool
    created: Moment


@dataclass(frozen=True, slots=True)
class PeopleAnswer:
    """All accounts, by name."""

    accounts: tuple[PersonAnswer, ...]


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to begin."""

    name: str
    role: Annotated[str, "reader, curator or administrator"]
    collection: Annotated[str, "the one that the role is in; empty for all"] = ""


@dataclass(frozen=True, slots=True)
class RoleChange:
    """What an account is to be."""

    role: Annotated[str, "reader, curator, administrator or none"]
    collection: Annotated[str, "the one that the role is in; empty for all"] = ""


@dataclass(frozen=True, slots=True)
class AccountAction:
    """What is to become of an account."""

    action: Annotated[str, "lock or unlock"]


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """A line of the log."""

    number: int
    at: Moment
    who: Annotated[str, "an account, local for the person at the machine, nobody for whoever was not logged in"]
    address: str
    action: str
    subject: str
    outcome: str


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Which lines are listed."""

    q: Annotated[str, "words that stand in it"] = ""
    limit: Annotated[int, "from 1 to 1000"] = DEFAULT_LISTED_ROWS
    cursor: Annotated[str, "the value next of the piece before"] = ""


@dataclass(frozen=True, slots=True)
class AuditPiece:
    """A piece of the log, the newest line first."""

    entries: tuple[AuditAnswer, ...]
    next: Annotated[str | None, "the cursor of the next piece; null at the end"]


def list_people(asked: ApiRequest) -> PeopleAnswer:
    """All accounts."""
    listed = asked.page.service.accounts.list_accounts()
    return PeopleAnswer(tuple(PersonAnswer(each.name, each.roles, each.is_locked, each.created) for each in listed))


def list_audit(asked: ApiRequest) -> AuditPiece:
    """A piece of the log."""
    query, limit = asked.query, check_limit(asked.query.limit)
    keys = read_cursor(query.cursor, (int,))
    found = asked.page.service.audit.list_entries(limit + 1, keys[0] if keys else None, query.q)
    piece, following = cut_piece(found, limit, lambda entry: write_cursor(entry.number))
    told = (
        AuditAnswer(each.number, each.at, each.who, each.address, each.action, each.subject, each.outcome)
        for each in piece
    )
    return AuditPiece(tuple(told), following)


_ADMINISTER = Permission.ADMINISTER

PEOPLE_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", "/accounts", _ADMINISTER, "Who has an account, and what they may.", PeopleAnswer, list_people,
            pages=(people_pages.show_people,)),
    ApiCall("POST", "/accounts", _ADMINISTER, "Begin an account; its first password is told this once.",
            people_pages.NewPassword, body=NewAccount, form=people_pages.add_account, needs_session=True),
    ApiCall("POST", "/accounts/{account}/role", _ADMINISTER, "Give an account a role, or take it.", PeopleAnswer,
            list_people, body=RoleChange, form=people_pages.change_role, needs_session=True),
    ApiCall("POST", "/accounts/{account}/lock", _ADMINISTER, "Shut an account out, or let it in again.", PeopleAnswer,
            list_people, body=AccountAction, form=people_pages.lock_account, needs_session=True),
    ApiCall("POST", "/accounts/{account}/password", _ADMINISTER,
            "Give an account another password, which is told this once; its sessions are ended.",
            people_pages.NewPassword, form=people_pages.renew_password, needs_session=True),
    ApiCall("DELETE", "/accounts/{account}", _ADMINISTER, "End an account; what it did stays in the log.",
            form=people_pages.delete_account, needs_session=True),
    ApiCall("GET", "/audit", _ADMINISTER, "Who did what, the newest first.", AuditPiece, list_audit,
            query=AuditQuery, pages=(audit_pages.show_audit,)),
    ApiCall("GET", "/audit.csv", _ADMINISTER, "All of the log as a table.", file=audit_pages.download_audit,
            media_type="text/csv"),
)  # fmt: skip
"""All of them."""
