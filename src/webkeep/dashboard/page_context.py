"""What every handler is given beside the request: the service, and who asks."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from webkeep.service.accounts import Permission
from webkeep.service.run import Service


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks."""

    account: str = ""
    """The name of the account; empty where nobody is signed in, or where there are no accounts."""
    is_local: bool = False
    """Whether it is whoever started the service, by the link that was printed: they may do everything."""
    csrf_token: str = ""
    """What forms of this visitor carry."""

    def may(self, permission: Permission, collection: str = "") -> bool:  # noqa: ARG002
        """Whether something is allowed, of a collection where it is about one."""
        return permission is Permission.ANYONE or self.is_local


@dataclass(frozen=True, slots=True)
class PageContext:
    """What a handler works with."""

    service: Service
    visitor: Visitor


def page_of(request: Request) -> PageContext:
    """The context of a request that was let in."""
    page: PageContext = request.state.page
    return page
