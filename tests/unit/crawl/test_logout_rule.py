"""What would end a login is left out while someone is logged in, unless they ask for it."""

import pytest

from webkeep.crawl.plan import parse_plan
from webkeep.crawl.plan.policies import policy_from_plan

HOME = "http://a.test/"
LEAVING = """
    /logout /log-out /log_out.php /logoff /signout /sign-out /users/sign_out /accounts/logout/ /%6Cogout
    /wp-login.php?action=logout /ucp.php?mode=logout&sid=1 /index.php?title=Special:UserLogout ?logout=1
    /auth/logout?next=/ /abmelden /session/destroy /endsession /api/v1/session/end /d%C3%A9connexion
    /do.logout /LogOut.aspx /Special:UserLogout
""".split()  # noqa: SIM905 - it is read more easily so
STAYING = """
    /login /about /blogout /catalogoutline /sign-offers /signoutside /sessions /logouts-in-history /log/output /outlog
    /session/12 /design-output
""".split()  # noqa: SIM905 - it is read more easily so


def is_allowed(path: str, **said: object) -> bool:
    plan = parse_plan({"seeds": [HOME], **said})
    return policy_from_plan(plan).scope.judge(HOME.rstrip("/") + path if path[0] == "/" else HOME + path).is_allowed


@pytest.mark.parametrize("path", LEAVING)
def test_it_is_left_out_while_logged_in(path: str) -> None:
    assert not is_allowed(path, headers=["Authorization: Bearer x"])
    assert is_allowed(path)
    assert is_allowed(path, headers=["Accept-Language: de"])


@pytest.mark.parametrize("path", STAYING)
def test_what_only_looks_like_it_is_not(path: str) -> None:
    assert is_allowed(path, headers=["Authorization: Bearer x"])


def test_a_rule_that_names_it_takes_it_in() -> None:
    said = {"headers": ["Authorization: Bearer x"]}
    assert is_allowed("/logout", **said, include=["*logout*"])
    assert not is_allowed("/logout", **said, include=["*"])


def test_why_it_is_left_out_is_told_in_a_sentence() -> None:
    scope = policy_from_plan(parse_plan({"seeds": [HOME], "headers": ["Authorization: Bearer x"]})).scope
    said = scope.judge(f"{HOME}logout").reason
    assert said == "it would end the login; --include '*logout*' takes it in all the same"


def test_a_seed_is_always_asked_for() -> None:
    plan = parse_plan({"seeds": [f"{HOME}logout"], "headers": ["X-Mine: 1"]})
    assert policy_from_plan(plan).scope.judge(f"{HOME}logout").is_allowed
