"""Calls about the logins of a collection: listed, checked, renamed, deleted. They are made and renewed in a browser
that somebody is shown, and no call tells what they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from webkeep.dashboard.pages import logins
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.dashboard.rest.collection_calls import find_facts
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.logins import LoginProfile, LoginState


@dataclass(frozen=True, slots=True)
class LoginAnswer:
    """A login of a collection, without what it holds."""

    id: str
    collection: str
    name: str
    url: Annotated[str, "where a person logged in"]
    renewed: Moment
    checked: Annotated[Moment | None, "when it was seen whether it holds; null where it was not"]
    state: LoginState
    message: Annotated[str, "what that check came to"]


@dataclass(frozen=True, slots=True)
class LoginsAnswer:
    """The logins of a collection."""

    logins: tuple[LoginAnswer, ...]


@dataclass(frozen=True, slots=True)
class LoginName:
    """What a login is to be called."""

    name: str


def list_logins(asked: ApiRequest) -> LoginsAnswer:
    """All logins of a collection."""
    profiles = asked.page.service.logins.list_profiles(find_facts(asked).name)
    return LoginsAnswer(tuple(map(_describe_login, profiles)))


def _describe_login(profile: LoginProfile) -> LoginAnswer:
    named = (profile.id, profile.collection, profile.name, profile.url, profile.renewed)
    return LoginAnswer(*named, profile.checked, profile.state, profile.message)


_LOGINS = "/collections/{collection}/logins"
_CURATE = Permission.CURATE

LOGIN_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", _LOGINS, _CURATE, "The logins of a collection.", LoginsAnswer, list_logins,
            pages=(logins.list_logins,)),
    ApiCall("PATCH", _LOGINS + "/{login}", _CURATE, "Call a login something else.", LoginsAnswer, list_logins,
            body=LoginName, form=logins.rename_login),
    ApiCall("POST", _LOGINS + "/{login}/check", _CURATE, "See whether a login still holds.", LoginsAnswer, list_logins,
            form=logins.check_profile),
    ApiCall("DELETE", _LOGINS + "/{login}", _CURATE, "Forget a login with all that it holds.",
            form=logins.delete_login),
)  # fmt: skip
"""All of them."""
