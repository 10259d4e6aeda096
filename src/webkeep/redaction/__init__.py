"""Redaction: what is a credential, and how it is kept out of archives, by whichever way an exchange gets in."""

from webkeep.redaction.known_values import (
    KnownValues,
    cookie_secrets,
    header_secrets,
    login_secrets,
    stored_secrets,
)
from webkeep.redaction.messages import redact_frames
from webkeep.redaction.names import CREDENTIAL_HEADERS, header_secrecy_of, secrecy_of
from webkeep.redaction.redactor import LEFT_OUT, Redacted, Redactor
from webkeep.redaction.rules import NO_REDACTION, RedactionRules, parse_rule
from webkeep.redaction.text import REDACTED

__all__ = [
    "CREDENTIAL_HEADERS",
    "LEFT_OUT",
    "NO_REDACTION",
    "REDACTED",
    "KnownValues",
    "Redacted",
    "RedactionRules",
    "Redactor",
    "cookie_secrets",
    "header_secrecy_of",
    "header_secrets",
    "login_secrets",
    "parse_rule",
    "redact_frames",
    "secrecy_of",
    "stored_secrets",
]
