"""libcurl's errors, sorted by what they mean for a crawl."""

from __future__ import annotations

import re

import pycurl

from webkeep.fetch.request import Failure

E_HTTP2_STREAM = 92
E_PROXY = 97
E_TOO_LARGE = 100

_FAILURES = {
    pycurl.E_UNSUPPORTED_PROTOCOL: Failure.SCHEME,
    pycurl.E_URL_MALFORMAT: Failure.SCHEME,
    pycurl.E_COULDNT_RESOLVE_PROXY: Failure.PROXY,
    E_PROXY: Failure.PROXY,
    pycurl.E_COULDNT_RESOLVE_HOST: Failure.NAME,
    pycurl.E_COULDNT_CONNECT: Failure.CONNECT,
    pycurl.E_HTTP2: Failure.PROTOCOL,
    E_TOO_LARGE: Failure.PROTOCOL,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: Failure.PROTOCOL,
    pycurl.E_BAD_CONTENT_ENCODING: Failure.PROTOCOL,
    pycurl.E_TOO_MANY_REDIRECTS: Failure.PROTOCOL,
    pycurl.E_PARTIAL_FILE: Failure.DISCONNECTED,
    pycurl.E_GOT_NOTHING: Failure.DISCONNECTED,
    pycurl.E_RECV_ERROR: Failure.DISCONNECTED,
    pycurl.E_SEND_ERROR: Failure.DISCONNECTED,
    E_HTTP2_STREAM: Failure.DISCONNECTED,
    pycurl.E_OPERATION_TIMEDOUT: Failure.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: Failure.TLS,
    pycurl.E_SSL_CIPHER: Failure.TLS,
    pycurl.E_SSL_ENGINE_NOTFOUND: Failure.TLS,
    pycurl.E_SSL_CERTPROBLEM: Failure.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Failure.CERTIFICATE,
    pycurl.E_SSL_CACERT_BADFILE: Failure.CERTIFICATE,
    pycurl.E_SSL_ISSUER_ERROR: Failure.CERTIFICATE,
    pycurl.E_LOGIN_DENIED: Failure.AUTHENTICATION,
    pycurl.E_REMOTE_FILE_NOT_FOUND: Failure.MISSING,
    pycurl.E_REMOTE_ACCESS_DENIED: Failure.DENIED,
    pycurl.E_FTP_COULDNT_RETR_FILE: Failure.MISSING,
}
_UNREADABLE = {
    pycurl.E_UNSUPPORTED_PROTOCOL,
    pycurl.E_FTP_WEIRD_SERVER_REPLY,
    pycurl.E_HTTP2,
    E_TOO_LARGE,
}
# A broken connection and these two have one code in common; only the words tell them apart.
_BAD_REPLY = re.compile(r"response headers|chunk|hexadecimal|malformed", re.IGNORECASE)


def failure_of(code: int, message: str) -> Failure:
    """What an error of libcurl means; some need its words to be told apart."""
    if code == pycurl.E_OPERATION_TIMEDOUT and "too slow" in message:
        return Failure.STALLED
    if is_unreadable(code, message) and code != pycurl.E_UNSUPPORTED_PROTOCOL:
        return Failure.PROTOCOL
    return _FAILURES.get(code, Failure.OTHER)


def is_unreadable(code: int, message: str) -> bool:
    """Whether libcurl gave up on an answer that came, so that it takes a plainer reader to record it."""
    return code in _UNREADABLE or (code == pycurl.E_RECV_ERROR and _BAD_REPLY.search(message) is not None)
