"""Logins: kept for their owner alone, used by both tiers, and known to have ended."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.crawl.plan import parse_plan, save_login
from webkeep.crawl.plan.policies import fetch_settings_from_plan
from webkeep.crawl.plan.saved_login import SavedLogin, read_cookie_file, read_login
from webkeep.errors import UsageError
from webkeep.frontier.urls import FetchOutcome
from webkeep.model import Moment

COOKIES = [
    {"name": "sid", "value": "secret", "domain": ".example.org", "path": "/", "expires": -1, "httpOnly": True},
    {"name": "n", "value": "1", "domain": "example.org", "path": "/a", "expires": 1e9, "secure": True},
    {"name": "odd", "value": "a\tb", "domain": "example.org", "path": "/"},
]


def test_a_login_is_kept_for_its_owner(tmp_path: Path) -> None:
    folder = tmp_path / "login"
    save_login(folder, "https://example.org/login", COOKIES)
    login = read_login(folder)
    assert login.url == "https://example.org/login"
    assert [cookie["name"] for cookie in login.cookies] == ["sid", "n", "odd"]
    assert Path(login.cookie_file).read_text().splitlines()[1:] == [
        "#HttpOnly_.example.org\tTRUE\t/\tFALSE\t0\tsid\tsecret",
        "example.org\tFALSE\t/a\tTRUE\t1000000000\tn\t1",
    ]
    again = read_cookie_file(Path(login.cookie_file))
    assert [(each["name"], each["httpOnly"], each["secure"], each.get("expires")) for each in again] == [
        ("sid", True, False, None),
        ("n", False, True, 10**9),
    ]
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_local_storage_is_kept_beside_the_cookies(tmp_path: Path) -> None:
    stores = {"https://example.org": {"session": "secret"}}
    save_login(tmp_path / "login", "https://example.org/login", COOKIES, stores)
    login = read_login(tmp_path / "login")
    assert login.stores == stores
    assert "secret" not in repr(replace(login, cookies=()))
    (tmp_path / "login" / "login.json").write_text('{"url": "x", "cookies": [], "stores": [1]}')
    with pytest.raises(UsageError, match="holds no login"):
        read_login(tmp_path / "login")


def test_a_plan_takes_its_cookies_and_says_nothing_of_it(tmp_path: Path) -> None:
    save_login(tmp_path / "login", "https://example.org/login", COOKIES)
    plan = parse_plan({"seeds": ["https://example.org/"], "browser_profile": str(tmp_path / "login")})
    assert plan.browser == "auto"
    assert fetch_settings_from_plan(plan).cookies == str(tmp_path / "login" / "cookies.txt")
    assert plan.redacts
    assert "login" not in plan.to_text()
    with pytest.raises(UsageError, match="webkeep login"):
        parse_plan({"seeds": ["https://example.org/"], "browser_profile": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("url", "status", "redirect", "ended"),
    [
        ("/page", 302, "https://example.org/login?next=/page", True),
        ("/page", 401, "", True),
        ("/page", 302, "https://example.org/other", False),
        ("/page", 200, "", False),
        ("/login", 302, "https://example.org/login?again", False),
        ("/page", 403, "", False),
    ],
    ids=["sent to log in", "unauthorized", "sent elsewhere", "found", "the login itself", "forbidden"],
)
def test_the_end_of_a_login_is_known(url: str, status: int, redirect: str, ended: bool) -> None:
    login = SavedLogin(Path(), "https://example.org/login")
    now = Moment(0)
    assert login.has_ended(f"https://example.org{url}", FetchOutcome(now, now, status, redirect=redirect)) is ended
