"""What a plan's credentials are, and the redactor that keeps them out of the archive; loaded only where it has some."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from webkeep.crawl.plan.capture_plan import CapturePlan, is_credential
from webkeep.crawl.plan.saved_login import read_cookie_file, read_login
from webkeep.redaction import RedactionRules, Redactor
from webkeep.redaction.values import KnownValues, cookie_secrets, header_secrets, login_secrets


def build_redactor(plan: CapturePlan) -> Redactor:
    """What leaves a plan's credentials out of records."""
    added = tuple(f"header:{name.lower()}" for name, _ in _credential_headers(plan))
    return Redactor(RedactionRules(added=added), KnownValues(_known_secrets(plan)))


def _credential_headers(plan: CapturePlan) -> Iterator[tuple[str, str]]:
    """The fields that a person gives that say who they are."""
    groups = (plan.headers, *(host.headers for host in plan.hosts.values()))
    return (field for group in groups for field in group if is_credential(*field))


def _known_secrets(plan: CapturePlan) -> Iterator[str]:
    """The values that a person gave, and those of their login."""
    for _, value in _credential_headers(plan):
        yield from header_secrets(value)
    for _, user, password in plan.credentials:
        yield from login_secrets(user, password)
    if plan.browser_profile:
        yield from read_login(Path(plan.browser_profile)).secrets()
    elif plan.cookies:
        for cookie in read_cookie_file(Path(plan.cookies)):
            yield from cookie_secrets(str(cookie["name"]), str(cookie["value"]))
