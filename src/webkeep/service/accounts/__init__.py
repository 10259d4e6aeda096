"""People of the service: accounts, roles, sessions, tokens, what holds up guessing, and the log of who did what."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.accounts.account import (
        MIN_PASSWORD_CHARS as MIN_PASSWORD_CHARS,
        Account as Account,
        check_account_name as check_account_name,
        check_new_password as check_new_password,
    )
    from webkeep.service.accounts.account_role import (
        ALL_COLLECTIONS as ALL_COLLECTIONS,
        AccountRole as AccountRole,
        has_permission as has_permission,
        parse_role as parse_role,
    )
    from webkeep.service.accounts.account_session import (
        AccountSession as AccountSession,
        SessionTerm as SessionTerm,
        is_session_live as is_session_live,
    )
    from webkeep.service.accounts.api_token import (
        TOKEN_PREFIX as TOKEN_PREFIX,
        TOKEN_SCOPES as TOKEN_SCOPES,
        ApiToken as ApiToken,
        limit_roles as limit_roles,
        parse_scope as parse_scope,
    )
    from webkeep.service.accounts.audit_entry import (
        AuditEntry as AuditEntry,
        guard_formula as guard_formula,
        render_audit_rows as render_audit_rows,
        render_audit_table as render_audit_table,
    )
    from webkeep.service.accounts.login_throttle import (
        ACCOUNT_RULE as ACCOUNT_RULE,
        ADDRESS_RULE as ADDRESS_RULE,
        FORGOTTEN_SECONDS as FORGOTTEN_SECONDS,
        LoginFailures as LoginFailures,
        ThrottleRule as ThrottleRule,
        account_key as account_key,
        address_key as address_key,
        count_failure as count_failure,
        wait_seconds as wait_seconds,
    )
    from webkeep.service.accounts.password_hash import AccountPasswords as AccountPasswords
    from webkeep.service.accounts.permission import Permission as Permission
    from webkeep.service.accounts.secret_values import (
        derive_csrf_token as derive_csrf_token,
        hash_secret as hash_secret,
        is_same_secret as is_same_secret,
        new_password as new_password,
        new_secret as new_secret,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "account": ("MIN_PASSWORD_CHARS", "Account", "check_account_name", "check_new_password"),
            "account_role": ("ALL_COLLECTIONS", "AccountRole", "has_permission", "parse_role"),
            "account_session": ("AccountSession", "SessionTerm", "is_session_live"),
            "api_token": ("TOKEN_PREFIX", "TOKEN_SCOPES", "ApiToken", "limit_roles", "parse_scope"),
            "audit_entry": ("AuditEntry", "guard_formula", "render_audit_rows", "render_audit_table"),
            "login_throttle": (
                "ACCOUNT_RULE",
                "ADDRESS_RULE",
                "FORGOTTEN_SECONDS",
                "LoginFailures",
                "ThrottleRule",
                "account_key",
                "address_key",
                "count_failure",
                "wait_seconds",
            ),
            "password_hash": ("AccountPasswords",),
            "permission": ("Permission",),
            "secret_values": ("derive_csrf_token", "hash_secret", "is_same_secret", "new_password", "new_secret"),
        },
    )
