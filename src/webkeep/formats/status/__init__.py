"""Statuses of HTTP: their lines, their numbers, and what kind of answer they are."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.status.status_classes import (
        BLOCKED_STATUSES as BLOCKED_STATUSES,
        BODILESS_STATUSES as BODILESS_STATUSES,
        GONE_STATUSES as GONE_STATUSES,
        REDIRECT_STATUSES as REDIRECT_STATUSES,
        THROTTLING_STATUSES as THROTTLING_STATUSES,
        TRANSIENT_STATUSES as TRANSIENT_STATUSES,
        is_answered as is_answered,
        is_client_error as is_client_error,
        is_error as is_error,
        is_interim as is_interim,
        is_redirection as is_redirection,
        is_server_error as is_server_error,
        is_successful as is_successful,
        leads_elsewhere as leads_elsewhere,
    )
    from webkeep.formats.status.status_codes import (
        CONTINUE as CONTINUE,
        FORBIDDEN as FORBIDDEN,
        INTERNAL_SERVER_ERROR as INTERNAL_SERVER_ERROR,
        METHOD_NOT_ALLOWED as METHOD_NOT_ALLOWED,
        NO_CONTENT as NO_CONTENT,
        NOT_FOUND as NOT_FOUND,
        NOT_MODIFIED as NOT_MODIFIED,
        OK as OK,
        PARTIAL_CONTENT as PARTIAL_CONTENT,
        PROXY_AUTHENTICATION_REQUIRED as PROXY_AUTHENTICATION_REQUIRED,
        RANGE_NOT_SATISFIABLE as RANGE_NOT_SATISFIABLE,
        SERVICE_UNAVAILABLE as SERVICE_UNAVAILABLE,
        SWITCHING_PROTOCOLS as SWITCHING_PROTOCOLS,
        TOO_MANY_REQUESTS as TOO_MANY_REQUESTS,
        UNAUTHORIZED as UNAUTHORIZED,
        UNAVAILABLE_FOR_LEGAL_REASONS as UNAVAILABLE_FOR_LEGAL_REASONS,
    )
    from webkeep.formats.status.status_line import (
        build_status_line as build_status_line,
        reason_phrase as reason_phrase,
        status_of as status_of,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "status_classes": (
                "BLOCKED_STATUSES",
                "BODILESS_STATUSES",
                "GONE_STATUSES",
                "REDIRECT_STATUSES",
                "THROTTLING_STATUSES",
                "TRANSIENT_STATUSES",
                "is_answered",
                "is_client_error",
                "is_error",
                "is_interim",
                "is_redirection",
                "is_server_error",
                "is_successful",
                "leads_elsewhere",
            ),
            "status_codes": (
                "CONTINUE",
                "FORBIDDEN",
                "INTERNAL_SERVER_ERROR",
                "METHOD_NOT_ALLOWED",
                "NOT_FOUND",
                "NOT_MODIFIED",
                "NO_CONTENT",
                "OK",
                "PARTIAL_CONTENT",
                "PROXY_AUTHENTICATION_REQUIRED",
                "RANGE_NOT_SATISFIABLE",
                "SERVICE_UNAVAILABLE",
                "SWITCHING_PROTOCOLS",
                "TOO_MANY_REQUESTS",
                "UNAUTHORIZED",
                "UNAVAILABLE_FOR_LEGAL_REASONS",
            ),
            "status_line": ("build_status_line", "reason_phrase", "status_of"),
        },
    )
