"""Who asks: whoever an API token or the cookie of a session belongs to, or nobody.

An API token is taken from the header `Authorization: Bearer` alone, never from a URL, which logs and histories keep.
Where one is shown the cookie counts for nothing, so that a request is never half of one and half of the other.
"""

from __future__ import annotations

from starlette.requests import Request

from webkeep.dashboard.access.session_cookie import SessionCookie
from webkeep.dashboard.page_context import Visitor
from webkeep.service.accounts import (
    ALL_COLLECTIONS,
    TOKEN_PREFIX,
    AccountRole,
    AccountSession,
    derive_csrf_token,
    hash_secret,
    limit_roles,
    new_secret,
)
from webkeep.service.run import Service

_LOCAL_ROLES = {ALL_COLLECTIONS: AccountRole.ADMINISTRATOR}
_MAX_SECRET_CHARS = 200
"""Longer than any secret that was ever given out."""


class VisitorLookup:
    """Finds out who asks; it reads the store, so it is asked in a thread."""

    def __init__(self, service: Service, cookie: SessionCookie, is_exposed: bool) -> None:
        self._service, self._cookie, self._is_exposed = service, cookie, is_exposed

    def find(self, request: Request, is_use: bool = True) -> Visitor:
        """Whoever asks; a session lasts longer by being used."""
        address = address_of(request)
        shown = request.headers.getlist("authorization")
        if any(each[:7].lower() == "bearer " for each in shown):
            token = shown[0][7:].strip() if len(shown) == 1 else ""
            return self._find_by_token(token, address)
        return self._find_by_session(self._cookie.read(request), address, is_use)

    def may_use_link(self) -> bool:
        """Whether the printed link and its sessions let in: on this machine alone, while there are no accounts."""
        return not self._is_exposed and not self._service.accounts.has_accounts()

    def _find_by_token(self, secret: str, address: str) -> Visitor:
        nobody = Visitor(address=address)
        if not secret.startswith(TOKEN_PREFIX) or len(secret) > _MAX_SECRET_CHARS:
            return nobody
        token = self._service.tokens.find(secret, self._service.clock.now())
        account = self._service.accounts.find(token.account) if token else None
        if token is None or account is None or account.is_locked:
            return nobody
        roles = limit_roles(account.roles, token)
        return Visitor(account.name, roles=roles, token_id=token.id, token_scope=token.scope, address=address)

    def _find_by_session(self, secret: str, address: str, is_use: bool) -> Visitor:
        nobody = Visitor(address=address)
        if not secret or len(secret) > _MAX_SECRET_CHARS:
            return nobody
        session = self._service.sessions.find(hash_secret(secret), self._service.clock.now(), is_use)
        if session is None:
            return nobody
        csrf_token = derive_csrf_token(secret)
        if session.is_local:
            if not self.may_use_link():
                return nobody
            return Visitor("", True, csrf_token, _LOCAL_ROLES, session.key, address=address)
        account = self._service.accounts.find(session.account)
        if account is None or account.is_locked:
            return nobody
        return Visitor(account.name, False, csrf_token, account.roles, session.key, address=address)


def begin_session(service: Service, account: str, address: str) -> str:
    """A session for an account, or without one for whoever used the link; gives the secret of its cookie."""
    secret, now = new_secret(), service.clock.now()
    service.sessions.begin(AccountSession(hash_secret(secret), account, now, now, address))
    return secret


def address_of(request: Request) -> str:
    """From where somebody asks; behind a proxy what it says, where it is one that may say so."""
    return request.client.host if request.client else ""
