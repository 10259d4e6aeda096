"""libcurl's errors, sorted by what they mean for a crawl (no such name, no connection, TLS, timeout, broken off), and
which of them call for a plainer reader of the answer.
"""

from __future__ import annotations

import re

import pycurl

from webkeep.fetch.request import FetchFailure

E_HTTP2_STREAM = 92
"""libcurl's CURLE_HTTP2_STREAM, which pycurl does not name."""
E_PROXY = 97
"""libcurl's CURLE_PROXY, which pycurl does not name."""
E_TOO_LARGE = 100
"""libcurl's CURLE_TOO_LARGE, which pycurl does not name."""

_FAILURES = {
    pycurl.E_UNSUPPORTED_PROTOCOL: FetchFailure.SCHEME,
    pycurl.E_URL_MALFORMAT: FetchFailure.SCHEME,
    pycurl.E_COULDNT_RESOLVE_PROXY: FetchFailure.PROXY,
    E_PROXY: FetchFailure.PROXY,
    pycurl.E_COULDNT_RESOLVE_HOST: FetchFailure.NAME,
    pycurl.E_COULDNT_CONNECT: FetchFailure.CONNECT,
    pycurl.E_HTTP2: FetchFailure.PROTOCOL,
    E_TOO_LARGE: FetchFailure.PROTOCOL,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: FetchFailure.PROTOCOL,
    pycurl.E_BAD_CONTENT_ENCODING: FetchFailure.PROTOCOL,
    pycurl.E_TOO_MANY_REDIRECTS: FetchFailure.PROTOCOL,
    pycurl.E_PARTIAL_FILE: FetchFailure.DISCONNECTED,
    pycurl.E_GOT_NOTHING: FetchFailure.DISCONNECTED,
    pycurl.E_RECV_ERROR: FetchFailure.DISCONNECTED,
    pycurl.E_SEND_ERROR: FetchFailure.DISCONNECTED,
    E_HTTP2_STREAM: FetchFailure.DISCONNECTED,
    pycurl.E_OPERATION_TIMEDOUT: FetchFailure.TIMEOUT,
    pycurl.E_ABORTED_BY_CALLBACK: FetchFailure.WITHHELD,
    pycurl.E_SSL_CONNECT_ERROR: FetchFailure.TLS,
    pycurl.E_SSL_CIPHER: FetchFailure.TLS,
    pycurl.E_SSL_ENGINE_NOTFOUND: FetchFailure.TLS,
    pycurl.E_SSL_CERTPROBLEM: FetchFailure.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: FetchFailure.CERTIFICATE,
    pycurl.E_SSL_CACERT_BADFILE: FetchFailure.CERTIFICATE,
    pycurl.E_SSL_ISSUER_ERROR: FetchFailure.CERTIFICATE,
    pycurl.E_LOGIN_DENIED: FetchFailure.AUTHENTICATION,
    pycurl.E_REMOTE_FILE_NOT_FOUND: FetchFailure.MISSING,
    pycurl.E_REMOTE_ACCESS_DENIED: FetchFailure.DENIED,
    pycurl.E_FTP_COULDNT_RETR_FILE: FetchFailure.MISSING,
}
_UNREADABLE_CODES = {
    pycurl.E_UNSUPPORTED_PROTOCOL,
    pycurl.E_FTP_WEIRD_SERVER_REPLY,
    pycurl.E_HTTP2,
    E_TOO_LARGE,
}
# A broken connection and these two have one code in common; only the words tell them apart.
_UNREADABLE_WORDS = re.compile(r"response headers|chunk|hexadecimal|malformed", re.IGNORECASE)


def failure_from_curl(code: int, message: str) -> FetchFailure:
    """What an error of libcurl means; some need its words to be told apart."""
    if code == pycurl.E_OPERATION_TIMEDOUT and "too slow" in message:
        return FetchFailure.STALLED
    if is_unreadable_response(code, message) and code != pycurl.E_UNSUPPORTED_PROTOCOL:
        return FetchFailure.PROTOCOL
    return _FAILURES.get(code, FetchFailure.OTHER)


def is_unreadable_response(code: int, message: str) -> bool:
    """Whether libcurl gave up on an answer that came, so that it takes a plainer reader to record it."""
    return code in _UNREADABLE_CODES or (code == pycurl.E_RECV_ERROR and _UNREADABLE_WORDS.search(message) is not None)
