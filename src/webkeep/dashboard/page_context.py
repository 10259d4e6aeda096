"""What every handler is given beside the request: the service, who asks, and how people are let in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request

from webkeep.dashboard.access.access_settings import AccessSettings
from webkeep.service.accounts import ALL_COLLECTIONS, AccountRole, Permission, has_permission
from webkeep.service.recoveries import VISITOR_COLLECTION
from webkeep.service.run import Service

_SECRET_PARAMETERS = ("link", "code")
"""Of paths that nobody can guess, by which whoever has them is let in."""
_DEFAULT_COLLECTION = "main"
"""What is meant where no collection is named, by whoever may change it; it is made when it is first needed."""
_TOLD_NAMES = 5
"""Collections that somebody is told they may change: who has more knows them."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks."""

    account: str = ""
    """The name of the account; empty where nobody is signed in, or where there are no accounts."""
    is_local: bool = False
    """Whether it is whoever started the service, by the link that was printed: they may do everything."""
    csrf_token: str = ""
    """What forms of this visitor carry."""
    roles: Mapping[str, AccountRole] = field(default_factory=dict)
    """By collection, or by `ALL_COLLECTIONS`; those of a token are no more than its scope allows."""
    session_key: str = ""
    """Of the session, where one was shown."""
    token_id: str = ""
    """Of the API token, where one was shown."""
    token_scope: Permission | None = None
    address: str = ""
    """From where they ask."""

    @property
    def is_signed_in(self) -> bool:
        """Whether it is known who it is."""
        return bool(self.account) or self.is_local

    @property
    def is_administrator(self) -> bool:
        """Whether they may do what concerns all of the service, and may name what only administrators may."""
        return self.may(Permission.ADMINISTER)

    @property
    def may_curate_any(self) -> bool:
        """Whether there is any collection that they may change."""
        return self.is_local or any(has_permission(self.roles, Permission.CURATE, name) for name in self.roles)

    @property
    def own_collections(self) -> list[str]:
        """The collections that they were named a curator of, by name; those who may change all were named of none."""
        return sorted(name for name in self.roles if name != ALL_COLLECTIONS and self.may(Permission.CURATE, name))

    @property
    def default_collection(self) -> str:
        """The collection that is meant where they name none: one that they may change, if there is any."""
        own = self.own_collections
        return own[0] if own and not self.may(Permission.CURATE, _DEFAULT_COLLECTION) else _DEFAULT_COLLECTION

    def require_curator(self, collection: str) -> None:
        """Refuse whoever may not change a collection, be it there or not; they are told which they may."""
        if self.may(Permission.CURATE, collection):
            return
        own = self.own_collections
        names = ", ".join(own[:_TOLD_NAMES]) + (" and others" if len(own) > _TOLD_NAMES else "")
        mine = f"name one that you may: {names}" if own else "ask an administrator for one"
        raise HTTPException(403, f"you may not change the collection {collection[:80]!r}; {mine}")

    @property
    def label(self) -> str:
        """What they are called in the audit log."""
        name = self.account or ("local" if self.is_local else "nobody")
        return f"{name} by token {self.token_id}" if self.token_id else name

    @property
    def sees_all_collections(self) -> bool:
        """Whether they may read collections that are yet to be made, too."""
        return self.is_local or ALL_COLLECTIONS in self.roles

    def visible_collections(self, collection: str = "") -> frozenset[str] | None:
        """Those that they may read, be it one that is asked for or any; None for all."""
        if collection:
            return frozenset({collection} if self.may(Permission.READ, collection) else ())
        return None if self.sees_all_collections else frozenset(self.roles)

    def may(self, permission: Permission, collection: str = "") -> bool:
        """Whether something is allowed, of a collection where it is about one."""
        if permission is Permission.ANYONE or self.is_local:
            return True
        if collection == VISITOR_COLLECTION:  # what strangers asked for in confidence
            return self.is_signed_in and has_permission(self.roles, Permission.ADMINISTER)
        return self.is_signed_in and has_permission(self.roles, permission, collection)


@dataclass(frozen=True, slots=True)
class PageContext:
    """What a handler works with."""

    service: Service
    visitor: Visitor
    access: AccessSettings = field(default_factory=AccessSettings)
    is_still_let_in: Callable[[], bool] = lambda: True
    """Whether the same request would be let in at this moment, for answers that take hours; it reads the store."""


def page_of(request: Request) -> PageContext:
    """The context of a request that was let in."""
    page: PageContext = request.state.page
    return page


def note_subject(request: Request, subject: str) -> None:
    """Say for the audit log what a request is about, in place of its path and its form; never a secret."""
    request.scope["state"]["audit_subject"] = subject


def noted_subject(request: Request) -> str | None:
    """What was said so; None where nobody did."""
    noted: str | None = getattr(request.state, "audit_subject", None)
    return noted


def subject_of_path(request: Request) -> str:
    """What stands in the path of a request, for the audit log."""
    return " ".join(str(value) for name, value in request.path_params.items() if name not in _SECRET_PARAMETERS)


def note_outcome(request: Request, outcome: object) -> None:
    """Say for programs what came of a change, where the page that a browser is led to would not: a typed value."""
    request.scope["state"]["outcome"] = outcome


def noted_outcome(request: Request) -> object | None:
    """What was said so."""
    outcome: object | None = getattr(request.state, "outcome", None)
    return outcome
