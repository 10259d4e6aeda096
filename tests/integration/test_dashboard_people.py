"""People come in to the pages of a service: accounts, logins, sessions, what holds up guessing, and the audit log."""

import csv
import http.client
import io
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from dashboard_calls import DashboardClient, PageAnswer, dashboard
from people_server import PASSWORD, PeopleServer, people_server
from warc_material import webkeep

from webkeep.dashboard.pages import jobs
from webkeep.errors import UsageError
from webkeep.service.accounts import AccountRole, ApiToken, AuditEntry, Permission, hash_secret
from webkeep.service.collections import CollectionFacts
from webkeep.service.jobs import JobOrder
from webkeep.service.run import ServicePlace

READER, CURATOR, ADMINISTRATOR = AccountRole


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleServer]:
    with people_server(tmp_path / "service") as serving:
        serving.add_account("ada", ADMINISTRATOR)
        yield serving


def log_in(client: DashboardClient, name: str = "ada", password: str = PASSWORD, aim: str = "/jobs") -> PageAnswer:
    return client.post("/login", name=name, password=password, next=aim)


def test_a_login_leads_to_where_one_wanted_to_go(server: PeopleServer) -> None:
    client = server.client()
    sent = client.ask("/jobs?collection=a%26b")
    assert (sent.status, sent.headers["location"]) == (303, "/login?next=%2Fjobs%3Fcollection%3Da%2526b")
    assert client.ask(sent.headers["location"]).field("next") == "/jobs?collection=a%26b"
    entered = log_in(client)
    assert (entered.status, entered.headers["location"]) == (303, "/jobs")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie and "domain" not in cookie
    shown = client.ask("/jobs")
    assert shown.status == 200 and "ada" in shown.text
    assert client.ask("/login").status == 303


def test_an_address_of_any_length_leads_to_a_login(server: PeopleServer) -> None:
    sent = server.client().ask("/jobs?collection=" + "a" * 40_000)
    assert (sent.status, sent.headers["location"]) == (303, "/login")


def test_a_login_leads_to_no_other_site(server: PeopleServer) -> None:
    for aim in ("//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "evil", "/a\r\nx: y"):
        assert log_in(server.client(), aim=aim).headers["location"] == "/"


def test_wrong_names_and_wrong_passwords_are_told_alike(server: PeopleServer) -> None:
    server.add_account("ben", READER)
    server.service.accounts.set_locked("ben", True)
    answers = [log_in(server.client(), name, "wrong password") for name in ("ada", "nobody", "ben")]
    answers.append(log_in(server.client(), "ben"))
    assert [each.status for each in answers] == [401] * 4
    assert all("Name or password is wrong" in each.text for each in answers)
    assert not any("set-cookie" in each.headers for each in answers)
    said = {(entry.subject, entry.outcome) for entry in server.service.audit.list_entries(10)}
    assert said == {("ada", "refused (401)"), ("", "refused (401)")}, "names that nobody has may be passwords"


def test_guessing_is_held_up_and_time_passes(server: PeopleServer) -> None:
    for _ in range(5):
        assert log_in(server.client(), password="guess").status == 401
    held = log_in(server.client())
    assert held.status == 429 and int(held.headers["retry-after"]) == 1
    server.clock.at = server.clock.at.plus(2)
    assert log_in(server.client()).status == 303
    assert log_in(server.client(), password="guess").status == 401, "a success forgets what failed before"


def test_guesses_at_many_accounts_hold_up_their_address(server: PeopleServer) -> None:
    statuses = [log_in(server.client(), f"name{number}", "guess").status for number in range(22)]
    assert statuses == [401] * 21 + [429]
    assert log_in(server.client()).status == 429


def test_a_session_planted_before_the_login_is_worth_nothing(server: PeopleServer) -> None:
    name = f"webkeep-{server.port}"
    victim = server.client()
    victim.cookies[name] = "planted"
    log_in(victim)
    assert victim.cookies[name] != "planted"
    attacker = DashboardClient(server.port, "/", {name: "planted"})
    assert attacker.ask("/jobs").status == 303
    known = server.client("ada")
    before = known.cookies[name]
    log_in(known)
    assert known.cookies[name] != before
    assert DashboardClient(server.port, "/", {name: before}).ask("/jobs").status == 303


def test_sessions_end(server: PeopleServer) -> None:
    client, other = server.client("ada"), server.client("ada")
    secret = dict(client.cookies)
    assert client.post("/logout", csrf_token=server.csrf_token(client)).status == 303
    assert DashboardClient(server.port, "/", secret).ask("/jobs").status == 303
    assert other.ask("/jobs").status == 200
    server.clock.at = server.clock.at.plus(11 * 3600)
    assert other.ask("/jobs").status == 200, "used within its idle term"
    server.clock.at = server.clock.at.plus(13 * 3600)
    assert other.ask("/jobs").status == 303, "idle"
    busy = server.client("ada")
    for _ in range(20):
        server.clock.at = server.clock.at.plus(10 * 3600)
        last = busy.ask("/jobs").status
    assert last == 303, "a week is the end of any session"


def test_the_link_lets_nobody_in_where_there_are_accounts(tmp_path: Path) -> None:
    with people_server(tmp_path / "service") as server:
        client, stranger = server.client(), server.client()
        assert client.ask(server.told[0]).status == 303
        assert client.ask("/jobs").status == 200
        assert len(server.told) == 2, "another link, for another browser"
        server.add_account("ada", ADMINISTRATOR)
        assert client.ask("/jobs").status == 303
        assert stranger.ask(server.told[1]).status == 403


def test_a_service_that_others_reach_has_no_link_and_secure_cookies(tmp_path: Path) -> None:
    place = ServicePlace(public_url="https://archive.example/")
    with people_server(tmp_path / "service", place=place) as server:
        assert server.told == ["/"]
        server.add_account("ada", ADMINISTRATOR)
        client = server.client()
        sent = client.ask("/login", "POST", b"", host="archive.example", origin="https://archive.example")
        assert sent.status == 401
        body = f"name=ada&password={PASSWORD.replace(' ', '+')}".encode()
        kind = "application/x-www-form-urlencoded"
        entered = client.ask("/login", "POST", body, host="archive.example", content_type=kind)
        assert entered.status == 303
        assert entered.headers["set-cookie"].startswith("__Host-webkeep=") and "Secure" in entered.headers["set-cookie"]
        assert client.ask("/jobs", host="archive.example").status == 200
        assert client.ask("/jobs", host="other.example").status == 421


@pytest.mark.parametrize(
    "url", ["ftp://a.example", "https://", "https://u:p@a.example/", "https://a.example/x", "https://a:x/", "nonsense"]
)
def test_places_that_are_none(url: str) -> None:
    with pytest.raises(UsageError, match="not the URL"):
        ServicePlace(public_url=url)


def test_a_place_without_a_name_is_refused() -> None:
    for host in ("0.0.0.0", "::", ""):
        with pytest.raises(UsageError, match="public-url"):
            ServicePlace(host)
    assert ServicePlace("::1").address(8060) == "http://[::1]:8060"
    assert not ServicePlace("127.0.0.2").is_exposed and ServicePlace("192.0.2.1").is_exposed


def test_tokens_are_no_more_than_their_account(server: PeopleServer) -> None:
    server.add_account("ben", READER, "town")
    secret = server.add_token("ben", Permission.ADMINISTER)
    client = server.client()
    assert client.ask("/jobs", authorization=f"Bearer {secret}").status == 200
    assert client.ask("/jobs", authorization=f"bearer {secret}").status == 200
    assert client.ask("/jobs", authorization=f"Basic {secret}").status != 200
    refused = client.ask("/jobs", authorization=f"Bearer {secret}x")
    assert refused.status == 401 and refused.headers["www-authenticate"].startswith("Bearer")
    logged_in = server.client("ada")
    assert logged_in.ask("/jobs", authorization="Bearer webkeep_wrong").status == 401, "the cookie does not help out"
    server.service.accounts.set_locked("ben", True)
    assert client.ask("/jobs", authorization=f"Bearer {secret}").status == 401
    now = server.clock.now()
    ended = ApiToken("late", "ada", "late", Permission.READ, "*", now, now.plus(60))
    server.service.tokens.create(ended, "webkeep_late")
    assert client.ask("/jobs", authorization="Bearer webkeep_late").status == 200
    server.clock.at = now.plus(61)
    assert client.ask("/jobs", authorization="Bearer webkeep_late").status == 401


def test_strangers_do_not_fill_the_audit_log(server: PeopleServer) -> None:
    client = server.client()
    for _ in range(1005):
        client.ask("/logout", "POST", b"")
    entries = server.service.audit.list_entries(2000)
    assert len(entries) == 1000 and entries[0].outcome.endswith("more of this hour is left out")
    server.clock.at = server.clock.at.plus(3601)
    client.ask("/logout", "POST", b"")
    assert len(server.service.audit.list_entries(2000)) == 1001


def test_accounts_from_the_terminal(tmp_path: Path) -> None:
    folder, file = tmp_path / "service", tmp_path / "password"
    file.write_text(PASSWORD + "\r\nanother line\n")
    add = ("service", "account", "add", folder)
    assert "public-url" in webkeep("service", folder, "--host", "0.0.0.0").err
    refused = webkeep("service", folder, "--public-url", "https://archive.example")
    assert refused.code == 2 and "nobody administers it" in refused.err
    first = webkeep(*add, "ben", "--role", "reader", "--password-file", file)
    assert first.code == 2 and "first account is an administrator" in first.err
    assert webkeep(*add, "Ada", "--password-file", file).code == 0
    assert webkeep(*add, "ada", "--password-file", file).code == 2
    assert webkeep(*add, "eve", "--password-file", tmp_path / "none").code == 2
    assert webkeep(*add, "eve").code == 2, "no terminal to ask"
    assert webkeep("job", "collection", folder, "town").code == 0
    curator = ("--role", "curator", "--collection", "town")
    assert webkeep(*add, "ben", *curator, "--password-file", file).code == 0
    assert webkeep("service", "account", "role", folder, "ben", "--role", "reader", "--collection", "nowhere").code == 2
    assert webkeep("service", "account", "lock", folder, "ada").code == 2, "the last administrator"
    assert webkeep("service", "account", "lock", folder, "ben").code == 0
    listed = webkeep("service", "account", "list", folder, "--json")
    accounts = json.loads(listed.out.splitlines()[-1])["accounts"]
    assert [(each["account"], each["locked"]) for each in accounts] == [("ada", False), ("ben", True)]
    with dashboard(folder) as client:
        assert client.entry == "/" and client.ask("/").status == 303
        assert log_in(client).status == 303 and client.ask("/").status == 200
        file.write_text("quite another password")
        assert webkeep("service", "account", "password", folder, "ada", "--password-file", file).code == 0
        assert client.ask("/").status == 303, "its sessions are ended"
    assert hash_secret(PASSWORD).encode() not in (folder / "jobs.sqlite").read_bytes()
    assert PASSWORD.encode() not in (folder / "jobs.sqlite").read_bytes()


def test_ones_own_account(server: PeopleServer) -> None:
    client, other = server.client("ada"), server.client("ada")
    page = client.ask("/account")
    assert page.status == 200
    hostile = "<script>alert(1)</script>"
    made = client.send("/account/tokens", page, label=hostile, scope="read")
    secret = made.text.partition("<code>")[2].partition("</code>")[0]
    assert secret.startswith("webkeep_") and hostile not in made.text
    assert secret not in client.ask("/account").text, "shown once"
    assert server.client().ask("/jobs", authorization=f"Bearer {secret}").status == 200
    assert server.client().ask("/account", authorization=f"Bearer {secret}").status == 403
    token = server.service.tokens.list_tokens("ada")[0]
    server.add_account("ben", READER)
    thief = server.client("ben")
    stolen = thief.send(f"/account/tokens/{token.id}/revoke", thief.ask("/account"))
    assert stolen.status == 400 and server.service.tokens.list_tokens("ada") == [token]
    assert client.send(f"/account/tokens/{token.id}/revoke", client.ask("/account")).status == 303
    assert server.client().ask("/jobs", authorization=f"Bearer {secret}").status == 401
    new = "another long password"
    wrong = client.send("/account/password", client.ask("/account"), current="wrong", new=new, again=new)
    assert wrong.status == 400 and other.ask("/jobs").status == 200
    right = client.send("/account/password", client.ask("/account"), current=PASSWORD, new=new, again=new)
    assert right.status == 303 and client.ask("/jobs").status == 200
    assert other.ask("/jobs").status == 303, "other sessions are ended"
    assert log_in(server.client(), password=new).status == 303


def test_an_administrator_looks_after_people_by_the_page(server: PeopleServer) -> None:
    server.service.collections.create(CollectionFacts("town", "Town"), server.clock.now())
    head = server.client("ada")
    made = head.send("/accounts", head.ask("/accounts"), name="Ben", role="curator", collection="town")
    password = made.text.partition("<code>")[2].partition("</code>")[0]
    assert made.status == 200 and len(password) >= 12
    assert password not in head.ask("/accounts").text, "shown once"
    ben = server.client()
    assert log_in(ben, "ben", password).status == 303 and ben.ask("/collections/town").status == 200
    assert ben.ask("/accounts").status == 403 and ben.ask("/audit").status == 403
    again = head.send("/accounts", head.ask("/accounts"), name="ben", role="reader")
    assert again.status == 400 and "an account ben already" in again.text
    assert head.send("/accounts/ben/role", head.ask("/accounts"), collection="town", role="reader").status == 303
    assert ben.ask("/collections/town/edit").status == 403 and ben.ask("/collections/town").status == 200
    assert head.send("/accounts/ben/role", head.ask("/accounts"), collection="nowhere", role="reader").status == 400
    assert head.send("/accounts/ben/role", head.ask("/accounts"), collection="town", role="none").status == 303
    assert ben.ask("/collections/town").status == 404
    other = head.send("/accounts/ben/password", head.ask("/accounts")).text
    assert ben.ask("/jobs").status == 303, "its sessions are ended"
    password = other.partition("<code>")[2].partition("</code>")[0]
    assert log_in(ben, "ben", password).status == 303
    assert head.send("/accounts/ben/lock", head.ask("/accounts"), action="lock").status == 303
    assert ben.ask("/jobs").status == 303 and log_in(ben, "ben", password).status != 303
    assert head.send("/accounts/ben/lock", head.ask("/accounts"), action="unlock").status == 303
    assert log_in(ben, "ben", password).status == 303
    assert head.send("/accounts/ben/delete", head.ask("/accounts")).status == 303
    assert log_in(ben, "ben", password).status != 303
    assert head.send("/accounts/ben/delete", head.ask("/accounts")).status == 404
    last = head.send("/accounts/ada/delete", head.ask("/accounts"))
    assert last.status == 400 and "the last administrator" in last.text


def test_the_first_account_is_made_by_the_page_and_ends_the_link(tmp_path: Path) -> None:
    with people_server(tmp_path / "service") as server:
        local = server.client("")
        refused = local.send("/accounts", local.ask("/accounts"), name="ada", role="reader")
        assert refused.status == 400 and "first account is an administrator" in refused.text
        made = local.send("/accounts", local.ask("/accounts"), name="ada", role="administrator")
        password = made.text.partition("<code>")[2].partition("</code>")[0]
        assert local.ask("/jobs").status == 303, "the link lets nobody in from now on"
        assert log_in(server.client(), "ada", password).status == 303


def test_what_is_shown_once_is_made_once_however_often_the_form_is_sent(server: PeopleServer) -> None:
    head = server.client("ada")
    page, people = head.ask("/account"), head.ask("/accounts")
    for form, path, fields in (
        (page, "/account/tokens", {"label": "x", "scope": "read"}),
        (people, "/accounts", {"name": "ben", "role": "reader"}),
    ):
        first, again = (head.send(path, form, **fields) for _ in range(2))
        assert first.status == again.status == 200 and "shown this once" in first.text
        assert first.text == again.text, "by a second click one is shown the same, and not that it is there already"
    assert len(server.service.tokens.list_tokens("ada")) == 1
    other = head.send("/account/tokens", page, label="y", scope="read")
    assert other.text != head.send("/account/tokens", page, label="x", scope="read").text
    assert len(server.service.tokens.list_tokens("ada")) == 2, "what says something else is another form"
    assert head.send("/accounts", people, name="ben", role="curator").status == 400, "and is not taken for done"


def test_two_clicks_at_one_moment_make_one_password(server: PeopleServer) -> None:
    head = server.client("ada")
    page = head.ask("/accounts")
    with ThreadPoolExecutor(8) as clicks:
        sent = [clicks.submit(head.send, "/accounts", page, name="ben", role="reader") for _ in range(8)]
        shown = {each.result().text.partition("<code>")[2].partition("</code>")[0] for each in sent}
    assert len(shown) == 1 and log_in(server.client(), "ben", shown.pop()).status == 303


def test_no_secret_of_an_address_is_in_the_log(server: PeopleServer) -> None:
    head = server.client("ada")
    for url, status in (("https://ada:tidal-5ecret@127.0.0.1:1/", 400), ("127.0.0.1:1/?token=tidal-5ecret", 303)):
        assert head.send("/start", head.ask("/"), url=url, preset="page").status == status
    hook = "https://hooks.example/services/tidal-5ecret"
    assert head.send("/notices/webhooks", head.ask("/notices"), url=hook).status == 303
    subjects = [each.subject for each in server.service.audit.list_entries(3)]
    assert "tidal-5ecret" not in " ".join(subjects)
    assert subjects[0].endswith("at hooks.example") and "127.0.0.1:1" in subjects[1] and not subjects[2]
    assert "tidal-5ecret" not in head.ask("/audit").text + head.ask("/audit.csv").text


def test_the_log_is_searched_whatever_capitals_it_has(server: PeopleServer) -> None:
    server.service.audit.append(AuditEntry(server.clock.now(), "x", "", "POST /y", "Straße der MÜLLER"))
    for words in ("MÜLLER", "müller", "Straße"):
        assert "der MÜLLER" in server.client("ada").ask(f"/audit?q={quote(words)}").text, words


def test_the_log_is_read_searched_and_had_as_a_table(server: PeopleServer) -> None:
    head, hostile = server.client("ada"), "<script>alert(1)</script>"
    for number in range(110):
        entry = AuditEntry(server.clock.now(), f"person-{number}", "192.0.2.1", "POST /x", hostile, "done")
        server.service.audit.append(entry)
    server.service.audit.append(AuditEntry(server.clock.now(), "100%_sure", "", "POST /y", "=1+1", "refused (403)"))
    page = head.ask("/audit")
    assert page.status == 200 and hostile not in page.text and "100%_sure" in page.text
    earlier = page.text.partition('<a href="?')[2].partition('"')[0].replace("&amp;", "&")
    assert "person-5<" in head.ask(f"/audit?{earlier}").text and "person-105<" not in head.ask(f"/audit?{earlier}").text
    found = head.ask("/audit?q=%25_SURE+refused").text
    assert "100%_sure" in found and "person-" not in found, "a search is for what stands there"
    assert "Nothing of that" in head.ask("/audit?q=nowhere&before=nonsense").text
    table = head.ask("/audit.csv")
    assert table.headers["content-type"].startswith("text/csv") and "attachment" in table.headers["content-disposition"]
    rows = list(csv.reader(io.StringIO(table.text, newline="")))
    assert rows[0][0] == "number" and len(rows) == 112 and "'=1+1" in rows[1]
    server.add_account("cur", AccountRole.CURATOR)
    assert server.client("cur").ask("/audit.csv").status == 403
    head.send("/collections", head.ask("/new-collection"), name="town", title="Secret plans")
    head.send("/collections", head.ask("/new-collection"), name="town", title="Again")
    done, refused = (each.subject for each in reversed(server.service.audit.list_entries(2)))
    assert (done, refused) == ("name=town", ""), "what was asked for, and nothing of what was refused"


@pytest.mark.parametrize("end", ["locked", "logged out", "role taken away"])
def test_who_may_no_longer_watch_a_job_is_told_nothing_more_of_it(
    server: PeopleServer, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(jobs, "_CHECK_SECONDS", 0.0)
    server.add_account("ben", READER, "town")
    server.service.collections.create(CollectionFacts("town", "Town"), server.clock.now())
    order = JobOrder("town", "archive-1", {"seeds": ["https://example.org/"]})
    job = server.service.jobs.submit(order, server.clock.now())
    assert job is not None
    client = server.client("ben")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    connection.request("GET", f"/jobs/{job.id}/events", headers={"cookie": cookie})
    stream = connection.getresponse()
    assert stream.readline().startswith(b"data: ")
    if end == "locked":
        server.service.accounts.set_locked("ben", True)
    elif end == "logged out":
        client.post("/logout", csrf_token=server.csrf_token(client))
    else:
        server.service.accounts.set_role("ben", "town", None)
    stream.read()  # which ends, though the job does not
    assert client.ask(f"/jobs/{job.id}/events").status in (303, 404)
    connection.close()
