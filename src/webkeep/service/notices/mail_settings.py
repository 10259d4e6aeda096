"""By which server mail is sent, from whom, and how the service logs in there: out of a file that only its owner reads.

The password stands in that file or in the environment, and never among the words of a command, which every user of the
machine can see.
"""

from __future__ import annotations

import enum
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import UsageError

PASSWORD_VARIABLE = "WEBKEEP_MAIL_PASSWORD"
"""Where the password is, if it is not in the file."""
_NAMES = frozenset({"server", "port", "security", "from", "user", "password", "address"})


class MailSecurity(enum.StrEnum):
    """How the way to the mail server is kept private."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"
    """For a server on this machine."""


_USUAL_PORTS = {MailSecurity.STARTTLS: 587, MailSecurity.TLS: 465, MailSecurity.NONE: 25}


@dataclass(frozen=True, slots=True)
class MailSettings:
    """How mail is sent."""

    server: str
    port: int
    security: MailSecurity
    sender: str
    address: str
    """Where the service is seen from outside: what links in mails begin with."""
    user: str = ""
    password: str = field(default="", repr=False)


def read_mail_settings(path: Path) -> MailSettings:
    """What a file in TOML says of mail."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read {path} ({error}); it says server, from and address in TOML") from error
    unknown = sorted(values.keys() - _NAMES)
    if unknown:
        raise UsageError(f"{path} says {unknown[0]}, which mail has not; it has {', '.join(sorted(_NAMES))}")
    lacking = [name for name in ("server", "from", "address") if not isinstance(values.get(name), str)]
    if lacking:
        raise UsageError(f'{path} does not say {lacking[0]}; write {lacking[0]} = "…"')
    try:
        security = MailSecurity(values.get("security", MailSecurity.STARTTLS))
    except ValueError as error:
        raise UsageError(f"{path}: security is one of {', '.join(MailSecurity)}") from error
    password = str(values.get("password", "")) or os.environ.get(PASSWORD_VARIABLE, "")
    if values.get("password") and path.stat().st_mode & 0o077:
        raise UsageError(f"others can read the password in {path}; chmod 600 it")
    port = values.get("port", _USUAL_PORTS[security])
    if not isinstance(port, int) or not 0 < port < 65536:
        raise UsageError(f"{path}: port is a number from 1 to 65535")
    named = (values["server"], port, security, values["from"], values["address"].rstrip("/"))
    return MailSettings(*named, str(values.get("user", "")), password)
