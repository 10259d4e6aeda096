"""Notices: mail by SMTP, and webhooks that are signed; what they say, and how one of each is sent."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.notices.mail import MailRefusedError as MailRefusedError, send_mail as send_mail
    from webkeep.service.notices.mail_settings import (
        PASSWORD_VARIABLE as PASSWORD_VARIABLE,
        MailSecurity as MailSecurity,
        MailSettings as MailSettings,
        read_mail_settings as read_mail_settings,
    )
    from webkeep.service.notices.queued_mail import (
        MailDraft as MailDraft,
        QueuedMail as QueuedMail,
        check_mail_address as check_mail_address,
    )
    from webkeep.service.notices.webhook import (
        Webhook as Webhook,
        WebhookDelivery as WebhookDelivery,
        WebhookEvent as WebhookEvent,
        new_webhook as new_webhook,
        next_pause_seconds as next_pause_seconds,
        sign_body as sign_body,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "mail": ("MailRefusedError", "send_mail"),
            "mail_settings": ("PASSWORD_VARIABLE", "MailSecurity", "MailSettings", "read_mail_settings"),
            "queued_mail": ("MailDraft", "QueuedMail", "check_mail_address"),
            "webhook": (
                "Webhook",
                "WebhookDelivery",
                "WebhookEvent",
                "new_webhook",
                "next_pause_seconds",
                "sign_body",
            ),
        },
    )
