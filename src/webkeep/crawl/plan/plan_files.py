"""Files that a plan names, checked before anything begins: Netscape cookie files, authorities and client certificates
in PEM, rates and weights, login folders; and what is said of a wrong one.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

from webkeep.crawl.plan.rates_file import read_rates_file, read_weights_file
from webkeep.crawl.plan.saved_login import read_login
from webkeep.crawl.plan.value_parsers import parse_line
from webkeep.errors import UsageError

_HTTP_ONLY = "#HttpOnly_"
_COOKIE_FIELDS = 7
"""Fields of a line, as Netscape had it."""
_MAX_COOKIE_BYTES = 16_000_000
"""So much of a cookie file is checked, which is held whole; browsers keep a few thousand cookies of 4 KB."""


def check_cookie_file(value: Any) -> str:
    """A cookie file as Netscape had it: seven fields a line, with tabs between them."""
    try:
        with Path(check_file(value)).open("rb") as stream:
            lines = stream.read(_MAX_COOKIE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise ValueError(f"it cannot be read ({error.strerror}); get the permission for it") from error
    for number, line in enumerate(lines, 1):
        is_remark = line.startswith("#") and not line.startswith(_HTTP_ONLY)
        # A cookie without a value may end before the tab of its last field.
        if line.strip() and not is_remark and len(line.split("\t")) not in (_COOKIE_FIELDS - 1, _COOKIE_FIELDS):
            raise ValueError(f"line {number} is no Netscape cookie; export a cookies.txt from your browser")
    return str(value)


def check_authorities_file(value: Any) -> str:
    """Certificates of authorities, in PEM."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(check_file(value))
    except OSError as error:  # SSLError is one as well
        raise ValueError(
            "no certificate in PEM can be read in it; begin it with -----BEGIN CERTIFICATE-----"
        ) from error
    return str(value)


def check_client_certificate(certificate: str, key: str) -> None:
    """See that a client's certificate and key can be used, and belong together."""
    if not certificate:
        if key:
            raise UsageError("client-key needs its certificate; add --client-certificate FILE")
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key or None, password="")
    except OSError as error:
        files = f"{certificate} cannot be used with {key}" if key else f"{certificate} cannot be used"
        advice = "give a certificate and its key in PEM, without a pass phrase"
        raise UsageError(f"client-certificate: {files}; {advice}") from error


def check_file(value: Any) -> str:
    """A file that is there."""
    if not Path(parse_line(value)).is_file():
        raise ValueError("there is no such file; give one that is there")
    return str(value)


def check_rates_file(value: Any) -> str:
    """The path of a file of rates that can be read."""
    path = check_file(value)
    read_rates_file(Path(path))
    return path


def check_weights_file(value: Any) -> str:
    """The path of a file of weights that can be read."""
    path = check_file(value)
    read_weights_file(Path(path))
    return path


def check_login_folder(value: Any) -> str:
    """A folder that `webkeep login` made."""
    return str(read_login(Path(parse_line(value)).absolute()).folder)
