"""Whom we trust: certificate authorities, our own certificate, invalid certificates that pass with `--insecure` and are
noted; and which TLS each connection spoke.
"""

from __future__ import annotations

import ssl
from dataclasses import replace

import certifi
import pycurl

from webkeep.errors import UsageError
from webkeep.fetch.addresses import authority_of
from webkeep.fetch.client.curl_handle import CurlHandle
from webkeep.fetch.request import FetchFailure, FetchResult
from webkeep.fetch.settings import FetchSettings

_MAX_CONNECTIONS = 4096
"""Connections whose TLS is remembered; with more, all are forgotten."""


class TlsHandshakes:
    """Remembers the TLS of connections, as libcurl tells of it only when it opens one."""

    def __init__(self) -> None:
        self._known: dict[int | str, str] = {}

    def tls_of(self, handle: CurlHandle) -> str:
        """The TLS that a request went by, as libcurl told of it this time or an earlier one; "" without TLS."""
        if handle.local_server is not None or not handle.request.url.startswith("https"):
            return ""
        return self._learn(handle.curl.getinfo(pycurl.CONN_ID), authority_of(handle.request.url), handle.tls)

    def _learn(self, connection: int, authority: str, tls: str) -> str:
        if not tls:
            # Several requests at a time may share a connection before the one that opened it has ended.
            return self._known.get(connection) or self._known.get(authority, "")
        if len(self._known) > _MAX_CONNECTIONS:
            self._known.clear()
        self._known[connection] = self._known[authority] = tls
        return tls


class InvalidCertificates:
    """The servers whose certificates are invalid, and passed all the same where a person allows it."""

    def __init__(self, are_accepted: bool) -> None:
        self._are_accepted = are_accepted
        self._reasons: dict[str, str] = {}

    def reason_for(self, url: str) -> str:
        """Why a server is asked without trust; "" where it is trusted, or was not asked yet."""
        return self._reasons.get(authority_of(url), "") if url.startswith("https") else ""

    def accept(self, fetched: FetchResult) -> str:
        """Why a request is to be made again without trust; "" where it is not."""
        if not self._are_accepted or fetched.failure is not FetchFailure.CERTIFICATE:
            return ""
        reason = self._reasons[authority_of(fetched.request.url)] = fetched.detail or "it is not valid"
        return reason


def note_accepted_certificate(fetched: FetchResult, reason: str) -> FetchResult:
    """What came of a request without trust, which says so."""
    detail = f"invalid certificate accepted: {reason}"
    return replace(fetched, detail=f"{detail}; {fetched.detail}" if fetched.detail else detail)


def set_curl_trust(curl: pycurl.Curl, settings: FetchSettings, verified: bool) -> None:
    """Tell libcurl whom to trust, and by what we are known."""
    curl.setopt(pycurl.CAINFO, _authorities_file(settings))
    if not verified:
        curl.setopt(pycurl.SSL_VERIFYPEER, 0)
        curl.setopt(pycurl.SSL_VERIFYHOST, 0)
    if settings.client_certificate:
        curl.setopt(pycurl.SSLCERT, settings.client_certificate)
        curl.setopt(pycurl.SSLKEY, settings.client_key or settings.client_certificate)


def tls_context(settings: FetchSettings, verified: bool) -> ssl.SSLContext:
    """The same trust as libcurl is given, for a connection without it."""
    try:
        context = ssl.create_default_context(cafile=_authorities_file(settings))
        if settings.client_certificate:
            context.load_cert_chain(settings.client_certificate, settings.client_key or None)
    except OSError as error:
        raise UsageError(f"cannot use the certificates given ({error}); check the files") from error
    context.set_alpn_protocols(["http/1.1"])
    if not verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _authorities_file(settings: FetchSettings) -> str:
    return settings.certificate_authorities or certifi.where()
