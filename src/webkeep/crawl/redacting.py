"""What a plan's credentials are, and the redactor that keeps them out of the archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from webkeep.crawl.login import cookies_in, read_login
from webkeep.crawl.plan import Plan, is_credential
from webkeep.redaction import (
    KnownValues,
    RedactionRules,
    Redactor,
    cookie_secrets,
    header_secrets,
    login_secrets,
    stored_secrets,
)


def redactor_of(plan: Plan) -> Redactor | None:
    """What leaves a plan's credentials out of records; None where everything is recorded as it was."""
    if not plan.redacts:
        return None
    added = tuple(f"header:{name.lower()}" for name, _ in _headers(plan))
    return Redactor(RedactionRules(added=added), KnownValues(_known(plan)))


def _headers(plan: Plan) -> Iterator[tuple[str, str]]:
    """The fields that a person gives that say who they are."""
    groups = (plan.headers, *(host.headers for host in plan.hosts.values()))
    return (field for group in groups for field in group if is_credential(*field))


def _known(plan: Plan) -> Iterator[str]:
    """The values that a person gave, and those of their login."""
    for _, value in _headers(plan):
        yield from header_secrets(value)
    for _, user, password in plan.credentials:
        yield from login_secrets(user, password)
    login = read_login(Path(plan.browser_profile)) if plan.browser_profile else None
    cookies = login.cookies if login is not None else cookies_in(Path(plan.cookies)) if plan.cookies else ()
    for cookie in cookies:
        yield from cookie_secrets(str(cookie["name"]), str(cookie["value"]))
    if login is not None:
        yield from stored_secrets(login.stores)
