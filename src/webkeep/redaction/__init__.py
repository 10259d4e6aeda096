"""Redaction: what is a credential, and how it is kept out of archives, by whichever way an exchange gets in."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.redaction.redaction_rules import (
        CREDENTIALS_RULE as CREDENTIALS_RULE,
        NO_REDACTION as NO_REDACTION,
        RedactionRules as RedactionRules,
    )
    from webkeep.redaction.redactor import LEFT_OUT_CODE as LEFT_OUT_CODE, Redactor as Redactor
    from webkeep.redaction.secret_scan import find_secrets as find_secrets
    from webkeep.redaction.text_redactor import REDACTED as REDACTED
    from webkeep.redaction.websocket_messages import redact_frames as redact_frames
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "redaction_rules": ("CREDENTIALS_RULE", "NO_REDACTION", "RedactionRules"),
            "redactor": ("LEFT_OUT_CODE", "Redactor"),
            "secret_scan": ("find_secrets",),
            "text_redactor": ("REDACTED",),
            "websocket_messages": ("redact_frames",),
        },
    )
