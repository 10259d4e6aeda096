"""One mail: what may stand in it, and how it is handed to the mail server.

No text of a visitor can become a header of its own: addresses are checked, and what has a line end in it is refused. A
mail keeps its Message-ID however often it is tried, so that who receives it twice can tell.
"""

from __future__ import annotations

import smtplib
import ssl
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from webkeep.errors import RemoteError
from webkeep.fetch import FetchSettings
from webkeep.fetch.client import tls_context
from webkeep.service.notices.mail_settings import MailSecurity, MailSettings
from webkeep.service.notices.queued_mail import QueuedMail, check_mail_address

_MAX_SUBJECT_CHARS = 200
"""Of a subject: a line of most mail programs has less."""
_SEND_SECONDS = 10.0
"""So long the server may take for each answer."""
_LASTING_REFUSALS = range(500, 600)
"""Answers of SMTP that say not to try again."""


class MailRefusedError(RemoteError):
    """The server will never take this mail."""


def build_mail(mail: QueuedMail, settings: MailSettings) -> EmailMessage:
    """The message as it is sent."""
    message = EmailMessage(policy=SMTP)
    message["Subject"] = " ".join(mail.draft.subject.split())[:_MAX_SUBJECT_CHARS]
    message["From"] = Address(addr_spec=check_mail_address(settings.sender), display_name="webkeep")
    message["To"] = Address(addr_spec=check_mail_address(mail.draft.recipient))
    message["Date"] = mail.created.datetime
    message["Message-ID"] = f"<{mail.id}@{settings.sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.draft.text)
    return message


def send_mail(mail: QueuedMail, settings: MailSettings) -> None:
    """Hand a mail to the server; raises MailRefusedError where it never takes it, RemoteError where it may later."""
    message = build_mail(mail, settings)
    try:
        with _connect(settings) as server:
            if settings.user:
                server.login(settings.user, settings.password)
            server.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        code, said = next(iter(error.recipients.values()))
        kind = MailRefusedError if code in _LASTING_REFUSALS else RemoteError
        raise kind(
            f"the mail server does not take the address: {code} {said.decode('utf-8', 'replace')[:200]}"
        ) from error
    except smtplib.SMTPDataError as error:
        kind = MailRefusedError if error.smtp_code in _LASTING_REFUSALS else RemoteError
        raise kind(f"the mail server does not take the mail: {error.smtp_code}") from error
    except (smtplib.SMTPException, OSError, UnicodeError) as error:
        raise RemoteError(f"the mail server {settings.server} took no mail ({error}); it is tried again") from error


def _connect(settings: MailSettings) -> smtplib.SMTP:
    if settings.security is MailSecurity.TLS:
        context = _mail_trust()
        return smtplib.SMTP_SSL(settings.server, settings.port, timeout=_SEND_SECONDS, context=context)
    server = smtplib.SMTP(settings.server, settings.port, timeout=_SEND_SECONDS)
    if settings.security is MailSecurity.STARTTLS:
        try:
            server.starttls(context=_mail_trust())
        except BaseException:
            server.close()
            raise
    return server


def _mail_trust() -> ssl.SSLContext:
    """Whom requests trust as well; mail names no protocol of the web when it connects."""
    context = tls_context(FetchSettings(connections=1, connections_per_host=1), verified=True)
    context.set_alpn_protocols([])
    return context
