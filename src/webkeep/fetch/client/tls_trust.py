"""What is known of servers' TLS: what was spoken on which connection, and whose certificates are invalid."""

from __future__ import annotations

import ssl

import certifi

from webkeep.errors import UsageError
from webkeep.fetch.settings import FetchSettings

_MAX_CONNECTIONS = 4096
"""Connections whose TLS is remembered; with more, all are forgotten."""


class TlsHandshakes:
    """Remembers the TLS of connections, as libcurl tells of it only when it opens one."""

    def __init__(self) -> None:
        self._known: dict[int | str, str] = {}

    def tls_of(self, connection: int, authority: str, tls: str) -> str:
        """The TLS of a connection, given what was heard of it this time."""
        if not tls:
            # Several requests at a time may share a connection before the one that opened it has ended.
            return self._known.get(connection) or self._known.get(authority, "")
        if len(self._known) > _MAX_CONNECTIONS:
            self._known.clear()
        self._known[connection] = self._known[authority] = tls
        return tls


def tls_context(settings: FetchSettings, verified: bool) -> ssl.SSLContext:
    """The same trust as libcurl is given, for a connection without it."""
    try:
        context = ssl.create_default_context(cafile=settings.certificate_authorities or certifi.where())
        if settings.client_certificate:
            context.load_cert_chain(settings.client_certificate, settings.client_key or None)
    except OSError as error:
        raise UsageError(f"cannot use the certificates given ({error}); check the files") from error
    context.set_alpn_protocols(["http/1.1"])
    if not verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
