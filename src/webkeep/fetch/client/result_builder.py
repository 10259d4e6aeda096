"""From what a handle gathered to how the request ended: the exchange as it is recorded, with address, protocols,
truncation and the times of each request; also after a lenient second try.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pycurl

from webkeep.fetch.client.curl_handle import CurlHandle
from webkeep.fetch.client.file_resource import describe_file
from webkeep.fetch.client.lenient_request import LenientResult
from webkeep.fetch.client.plain_exchange import PlainExchange
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.credentials import split_credentials
from webkeep.fetch.request import FetchFailure, FetchResult
from webkeep.formats.http import is_response
from webkeep.model import BytesBody, Exchange, Moment

_PROTOCOL_NAMES = {
    pycurl.CURL_HTTP_VERSION_1_0: "http/1.0",
    pycurl.CURL_HTTP_VERSION_1_1: "http/1.1",
    pycurl.CURL_HTTP_VERSION_2_0: "h2",
    pycurl.CURL_HTTP_VERSION_3: "h3",
}
_CONNECTION_FIELD = re.compile(rb"^connection[ \t]*:[^\n]*\n", re.IGNORECASE | re.MULTILINE)
_HTTP_VERSION = re.compile(rb" HTTP/[0-9.]+\r\n")


@dataclass(frozen=True, slots=True)
class PlainTry:
    """A request sent once more without libcurl: what was sent, when, whereto, and where the body goes."""

    sent: bytes
    started: Moment
    sink: SpoolSink
    address: str


class FetchResultBuilder:
    """Makes the results of a fetcher."""

    def __init__(self, proxied: bool = False) -> None:
        self._is_proxied = proxied

    def _server_address(self, handle: CurlHandle) -> str:
        """Where the server is; by way of a proxy nobody knows, for the address talked to is the proxy's.

        A Unix socket has none.
        """
        local = handle.local_server
        is_unknown = self._is_proxied if local is None else bool(local.socket)
        return "" if is_unknown else str(handle.curl.getinfo(pycurl.PRIMARY_IP))

    def from_transfer(
        self, handle: CurlHandle, ended: Moment, failure: FetchFailure | None, detail: str, tls: str
    ) -> FetchResult:
        """What libcurl made of a request."""
        curl = handle.curl
        exchange = self._build_exchange(handle, failure, tls) if handle.is_http else None
        resource = None
        if not handle.is_http and (failure is None or handle.sink.size):
            modified = curl.getinfo(pycurl.INFO_FILETIME)
            resource = describe_file(
                handle.request.url,
                handle.started,
                handle.sink.take_body(),
                modified if modified >= 0 else None,
                self._server_address(handle),
                failure.truncation if failure else "",
            )
        return FetchResult(
            handle.request,
            handle.started,
            ended,
            exchange,
            failure,
            detail,
            curl.getinfo(pycurl.TOTAL_TIME),
            curl.getinfo(pycurl.STARTTRANSFER_TIME),
            curl.getinfo(pycurl.NUM_CONNECTS) == 0,
            tls,
            (exchange,) if exchange is not None else (),
            _request_spans(handle.sent_at, handle.challenged_at, ended)
            if handle.is_http
            else ((handle.started, ended),),
            False,
            handle.challenge,
            resource,
            handle.local_server is not None,
        )

    def _build_exchange(self, handle: CurlHandle, failure: FetchFailure | None, tls: str) -> Exchange | None:
        # A head that never ended is kept too, with the failure that it is.
        head = handle.head or b"".join(handle.lines)
        if not head or not handle.sent or failure is FetchFailure.PROXY:
            return None
        body = handle.sink.take_body()
        if not is_response(head):
            # It is the beginning of an answer without a head, of which libcurl hands over no more.
            head, body = b"", BytesBody(head)
        request, curl = handle.request, handle.curl
        version = _PROTOCOL_NAMES.get(curl.getinfo(pycurl.INFO_HTTP_VERSION), "http/1.1")
        return Exchange(
            request.url,
            handle.sent_at[-1] if handle.sent_at else handle.started,
            head,
            body,
            handle.sent,
            request.body,
            self._server_address(handle),
            (version, _tls_name(tls)) if tls else (version,),
            failure.truncation if failure is not None else "",
            _without_credentials(request.via),
            request.visit,
        )

    def from_plain(self, plain: PlainExchange, ended: Moment, address: str) -> FetchResult:
        """What came without libcurl over a connection that stood."""
        failure, head, body = plain.failure, plain.head or plain.held, plain.sink.take_body()
        if head and not is_response(head):
            head, body = b"", BytesBody(head)
        exchange = None
        if head or body.size:
            exchange = Exchange(
                plain.request.url,
                plain.sent_at,
                head,
                body,
                plain.sent,
                plain.request.body,
                address,
                ("http/1.1",),
                failure.truncation if failure is not None else "",
                _without_credentials(plain.request.via),
                plain.request.visit,
            )
        return FetchResult(
            plain.request,
            plain.started,
            ended,
            exchange,
            failure,
            plain.detail,
            ended.seconds_since(plain.started),
            max(plain.first_byte_at - plain.began_at, 0.0),
            plain.channel.uses > 1,
            "",
            (exchange,) if exchange is not None else (),
            ((plain.sent_at, ended),),
        )

    def from_lenient(self, first: FetchResult, plain: PlainTry, result: LenientResult, ended: Moment) -> FetchResult:
        """The same after a plain try, whose answer stands in for what libcurl made of the first."""
        at, sink = plain.started, plain.sink
        spans = (*first.spans, (at, ended))
        if not result.head and not sink.size:
            return replace(first, ended=ended, spans=spans)
        request = first.request
        exchange = Exchange(
            request.url,
            at,
            result.head,
            sink.take_body(),
            plain.sent,
            request.body,
            "" if self._is_proxied else plain.address,
            ("http/1.1", _tls_name(first.tls)) if first.tls else ("http/1.1",),
            result.failure.truncation if result.failure in _TRUNCATING_FAILURES else "",
            _without_credentials(request.via),
            request.visit,
        )
        detail = f"{result.detail or 'taken plainly'}: {first.detail}"
        return replace(
            first,
            ended=ended,
            exchange=exchange,
            parts=(exchange,),
            failure=result.failure,
            detail=detail,
            is_reused_connection=False,
            spans=spans,
            is_lenient=True,
        )


_TRUNCATING_FAILURES = {
    FetchFailure.TOO_LARGE,
    FetchFailure.UNWANTED,
    FetchFailure.TIMEOUT,
    FetchFailure.STALLED,
    FetchFailure.DISCONNECTED,
    FetchFailure.TLS,
}


def lenient_request_from(sent: bytes) -> bytes:
    """A request as HTTP/1.1 has it, that asks for the connection to be closed so that the answer's end is seen."""
    line, _, fields = _HTTP_VERSION.sub(b" HTTP/1.1\r\n", sent, count=1).partition(b"\r\n")
    kept = _CONNECTION_FIELD.sub(b"", fields)
    return line + b"\r\n" + kept.removesuffix(b"\r\n") + b"Connection: close\r\n\r\n"


def _request_spans(sent: list[Moment], asked_back: list[Moment], ended: Moment) -> tuple[tuple[Moment, Moment], ...]:
    if len(sent) == 1:
        return ((sent[0], ended),)
    return tuple(zip(sent, [*asked_back, *sent[len(asked_back) + 1 :], ended], strict=False))


def _tls_name(tls: str) -> str:
    return tls.partition(" ")[0].lower().replace("v", "/")


def _without_credentials(url: str) -> str:
    return split_credentials(url)[0] if "@" in url else url
