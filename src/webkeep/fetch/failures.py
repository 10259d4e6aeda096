"""libcurl's errors, sorted by what they mean for a crawl."""

from __future__ import annotations

import pycurl

from webkeep.fetch.request import Failure

_FAILURES = {
    pycurl.E_UNSUPPORTED_PROTOCOL: Failure.SCHEME,
    pycurl.E_URL_MALFORMAT: Failure.SCHEME,
    pycurl.E_COULDNT_RESOLVE_PROXY: Failure.PROXY,
    pycurl.E_COULDNT_RESOLVE_HOST: Failure.NAME,
    pycurl.E_COULDNT_CONNECT: Failure.CONNECT,
    pycurl.E_HTTP2: Failure.PROTOCOL,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: Failure.PROTOCOL,
    pycurl.E_BAD_CONTENT_ENCODING: Failure.PROTOCOL,
    pycurl.E_TOO_MANY_REDIRECTS: Failure.PROTOCOL,
    pycurl.E_PARTIAL_FILE: Failure.DISCONNECTED,
    pycurl.E_GOT_NOTHING: Failure.DISCONNECTED,
    pycurl.E_RECV_ERROR: Failure.DISCONNECTED,
    pycurl.E_SEND_ERROR: Failure.DISCONNECTED,
    pycurl.E_OPERATION_TIMEDOUT: Failure.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: Failure.TLS,
    pycurl.E_SSL_CIPHER: Failure.TLS,
    pycurl.E_SSL_ENGINE_NOTFOUND: Failure.TLS,
    pycurl.E_SSL_CERTPROBLEM: Failure.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Failure.CERTIFICATE,
    pycurl.E_SSL_CACERT_BADFILE: Failure.CERTIFICATE,
    pycurl.E_SSL_ISSUER_ERROR: Failure.CERTIFICATE,
    pycurl.E_LOGIN_DENIED: Failure.AUTHENTICATION,
    pycurl.E_REMOTE_FILE_NOT_FOUND: Failure.OTHER,
    pycurl.E_FILE_COULDNT_READ_FILE: Failure.OTHER,
}


def failure_of(code: int, message: str) -> Failure:
    """What an error of libcurl means; a stalled transfer is told apart from one that took too long."""
    if code == pycurl.E_OPERATION_TIMEDOUT and "too slow" in message:
        return Failure.STALLED
    return _FAILURES.get(code, Failure.OTHER)
