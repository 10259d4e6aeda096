"""The cookie of a session: out of the reach of scripts, not sent along by other sites, and by https alone where the
service is known by an https URL.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

_SECURE_NAME = "__Host-webkeep"
"""Browsers take a cookie of such a name from this very host alone, and only if it is secure."""
_HTTP_PORT = 80
"""That a host without a port means."""


@dataclass(frozen=True, slots=True)
class SessionCookie:
    """How a session is kept in browsers."""

    is_secure: bool = False

    def read(self, request: Request) -> str:
        """The secret that a browser shows; empty where it shows none."""
        return request.cookies.get(self._name(request), "")

    def put(self, request: Request, response: Response, secret: str) -> None:
        """Have the browser keep a session until it is closed."""
        name = self._name(request)
        response.set_cookie(name, secret, httponly=True, samesite="lax", secure=self.is_secure, path="/")

    def remove(self, request: Request, response: Response) -> None:
        """Have the browser forget it."""
        name = self._name(request)
        response.delete_cookie(name, httponly=True, samesite="lax", secure=self.is_secure, path="/")

    def _name(self, request: Request) -> str:
        """One for each port: cookies know hosts and not ports, and two services may run on one machine."""
        return _SECURE_NAME if self.is_secure else f"webkeep-{request.url.port or _HTTP_PORT}"
