"""Logging in and patching on the pages of a service: one Chromium looks at them, in which another is shown."""

import json
import sys
from pathlib import Path
from urllib.parse import parse_qs

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from bench.secret_search import find_secrets
from dashboard_calls import DashboardClient, dashboard
from devtools import Browser
from service_page import ServicePage
from speaking_site import Speaker, serving

from webkeep.store.archive import Archive

NAME, PASSWORD, COOKIE = "ada", "correct-horse-battery", "c00kie-of-a-member"
TOKEN = "t0ken-in-local-storage-of-ada"
STYLE = "position:absolute;left:20px;width:300px;height:40px"
FORM = f"""<!doctype html><title>Log in</title><form method="post" action="/login">
<input name="name" autofocus style="{STYLE};top:20px"><input name="word" type="password" style="{STYLE};top:80px">
<button style="{STYLE};top:140px">Log in</button></form>"""
MEMBERS = f"""<!doctype html><title>Members</title><body><a href="/more" style="{STYLE};top:20px">more</a>
<a href="/logout">leave</a><button id="late" style="{STYLE};top:120px">late</button><p id="out"></p><script>
localStorage.setItem('session', ['{TOKEN[:5]}', '{TOKEN[5:]}'].join(''));
document.getElementById('late').onclick = async () => {{
  const name = confirm('Load it?') ? ['la', 'te.json'].join('') : 'no';
  const answer = await fetch('/' + name);
  document.getElementById('out').textContent = (await answer.json()).said;
}};
</script>"""


class MembersSite(Speaker):
    """Shows its pages to members, and sends all others to where they log in."""

    is_open = True

    def answer(self) -> None:
        path, _, _ = self.path.partition("?")
        if path == "/robots.txt":
            self.say(b"", status=404)
        elif self.command == "POST":
            sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            if sent == {"name": [NAME], "word": [PASSWORD]}:
                type(self).is_open = True
                cookie = ("Set-Cookie", f"member={COOKIE}; Path=/; HttpOnly")
                self.say(b"", ("Location", "/members"), cookie, status=303)
            else:
                self.say(b"no", status=403)
        elif path == "/login":
            self.say(FORM.encode())
        elif f"member={COOKIE}" not in self.headers.get("Cookie", "") or not type(self).is_open:
            self.say(b"", ("Location", "/login?next=" + path), status=302)
        elif path == "/logout":
            type(self).is_open = False
            self.say(b"out")
        elif path == "/late.json":
            self.say(json.dumps({"said": "it came late"}).encode(), kind="application/json")
        else:
            self.say(MEMBERS.encode() if path == "/members" else b"<title>More</title>only for members")


def log_in(page: ServicePage) -> None:
    """Fill in the form that is shown, by mouse and keyboard."""
    page.wait("view.dataset.drawn === 'yes' && view.dataset.url.includes('/login')")
    page.click_picture(100, 40)
    page.press(*NAME)
    page.press("Tab")
    page.call("Input.insertText", text="")
    page.press(*PASSWORD)
    page.press("Enter")
    page.wait("view.dataset.drawn === 'yes' && view.dataset.url.endsWith('/members')")


def wait_for_job(client: DashboardClient, job: str) -> str:
    """The page of a job once it is over, or waits."""
    while any(f'data-state="{state}"' in (shown := client.ask(job).text) for state in ("queued", "running")):
        pass
    return shown


def test_a_login_a_capture_behind_it_and_a_patch(tmp_path: Path, offline_browser: Browser) -> None:
    MembersSite.is_open = True
    root = tmp_path / "service"
    with serving(MembersSite) as home, dashboard(root) as client:
        page = ServicePage(offline_browser, f"http://127.0.0.1:{client.port}{client.entry}")
        page.wait("document.querySelector('#url')")
        cookies = page.call("Network.getCookies", urls=[f"http://127.0.0.1:{client.port}/"])["cookies"]
        client.cookies = {each["name"]: each["value"] for each in cookies}
        made = client.send("/collections", client.ask("/new-collection"), name="town", title="Town")
        assert made.status == 303, made.text

        page.go(f"http://127.0.0.1:{client.port}/collections/town/logins")
        page.wait("document.querySelector('#name')")
        page.fill("#url", f"{home}/login")
        page.fill("#name", "Ada at the members")
        page.press("Enter")
        log_in(page)
        page.click("[action$='/save'] button")
        assert "Ada at the members" in page.wait("document.querySelector('h2') && document.body.innerText")
        listed = client.ask("/collections/town/logins")
        assert f"{home}/login" in listed.text and "not known" in listed.text

        checking = listed.text.split('/check"')[0].rpartition('action="')[2] + "/check"
        assert client.send(checking, listed).status == 303
        assert "logged in" in client.ask("/collections/town/logins").text

        login = checking.split("/")[-2]
        begun = client.send(
            "/start", client.ask("/"), url=f"{home}/members", preset="site", collection="town", login=login, delay="0"
        )
        job = begun.headers["location"]
        assert 'data-state="done"' in wait_for_job(client, job)
        with Archive(root / "collections" / "town" / "archive-1") as archive:
            held = {each.url.removeprefix(home): each.status for each in archive}
        assert held["/more"] == held["/members"] == 200
        assert "/logout" not in held
        assert find_secrets(root, [PASSWORD, COOKIE, TOKEN]) == {}

        MembersSite.is_open = False  # the site forgets them
        begun = client.send(
            "/start", client.ask("/"), url=f"{home}/more", preset="page", collection="town", login=login, delay="0"
        )
        job = begun.headers["location"]
        waiting = wait_for_job(client, job)
        assert 'data-state="waiting for a login"' in waiting
        assert "the login &#39;Ada at the members&#39; has ended at" in waiting
        assert "ended" in client.ask("/collections/town/logins").text
        page.go(f"http://127.0.0.1:{client.port}{job}")
        page.wait("document.querySelector('a[href$=\"/logins\"]')")
        page.click("a[href$='/logins']")
        page.wait("document.querySelector('[action$=\"/renew\"]')")
        page.click("[action$='/renew'] button")
        log_in(page)
        page.click("[action$='/save'] button")
        page.wait("document.querySelector('[action$=\"/renew\"]')")
        assert 'data-state="done"' in wait_for_job(client, job)
        assert find_secrets(root, [PASSWORD, COOKIE, TOKEN]) == {}

        page.go(f"http://127.0.0.1:{client.port}{job}")
        page.wait("document.querySelector('a[href$=\"/patch\"]')")
        page.click("a[href$='/patch']")
        page.wait("document.querySelector('form.card #url')")
        page.run("document.querySelector('#url').value = ''")
        page.fill("#url", f"{home}/members")
        page.run(f"document.querySelector('#login').value = '{login}'")
        page.press("Enter")
        page.wait("view.dataset.drawn === 'yes' && view.dataset.url.endsWith('/members')")
        page.click_picture(100, 140)
        assert "Load it?" in page.wait("!dialog.hidden && document.getElementById('dialog-text').textContent")
        page.press("Enter")
        recorded = page.wait("/recorded [2-9]/.test(counts.textContent) && counts.textContent")
        assert recorded.startswith("recorded"), recorded
        page.click("[action$='/end'] button")
        page.wait("document.querySelector('a[href$=\"/report\"]')")
        listed = client.ask("/jobs?collection=town").text
        patch = "/jobs/" + listed.split('href="/jobs/')[1].split('"')[0]
        assert 'data-state="done"' in wait_for_job(client, patch)
        with Archive(root / "collections" / "town" / "archive-1") as archive:
            late = archive.lookup(f"{home}/late.json")
            assert late is not None and late.status == 200
        assert find_secrets(root, [PASSWORD, COOKIE, TOKEN]) == {}
        page.go(client.ask(f"{patch}/replay").headers["location"])
        page.wait("document.querySelectorAll('a').length")
        assert page.complaints() == []
        assert list((root / "spool").glob("shown-*")) == list((root / "spool").glob("login-*")) == []
        page.close()


LOOKS = """
(() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paperOf = (each) => {
    const colour = getComputedStyle(each).backgroundColor;
    return colour.endsWith(', 0)') ? paperOf(each.parentElement) : colour;
  };
  const said = [...document.querySelectorAll('main *')]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((each) => !each.closest('svg, script, noscript, [hidden]'));
  const pale = said.filter((each) => {
    const [ink, paper] = [light(getComputedStyle(each).color), light(paperOf(each))];
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
  });
  const wanted = 'main input:not([type=hidden]), main select, main textarea, main button';
  const fields = [...document.querySelectorAll(wanted)];
  const nameOf = (each) => each.getAttribute('aria-label') || each.textContent.trim();
  const nameless = fields.filter((each) => !each.labels?.length && !nameOf(each));
  return JSON.stringify({
    wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    pale: pale.map((each) => each.outerHTML.slice(0, 200)),
    nameless: nameless.map((each) => each.outerHTML.slice(0, 200)),
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
  });
})()
"""
FINE = {"wide": 0, "pale": [], "nameless": [], "dark": True}


def looks_of(page: ServicePage) -> object:
    """How a page looks that is there with its style sheet."""
    page.wait("document.readyState === 'complete'")
    return json.loads(str(page.run(LOOKS)))


def test_on_a_phone_in_the_dark_by_keyboard_alone(tmp_path: Path, offline_browser: Browser) -> None:
    MembersSite.is_open = True
    with serving(MembersSite) as home, dashboard(tmp_path / "service") as client:
        client.enter()
        client.send("/collections", client.ask("/new-collection"), name="town", title="Town")
        base = f"http://127.0.0.1:{client.port}"
        page = ServicePage(offline_browser, "about:blank", 390, "dark")
        for name, value in client.cookies.items():
            page.call("Network.setCookie", name=name, value=value, url=base)
        page.go(f"{base}/collections/town/logins")
        page.wait("document.querySelector('#url')")
        assert looks_of(page) == FINE
        page.tab_to("#url")
        page.call("Input.insertText", text=f"{home}/login")
        page.tab_to("#name")
        page.call("Input.insertText", text="Ada")
        page.press("Enter")
        page.wait("view.dataset.drawn === 'yes' && view.dataset.url.includes('/login')")
        assert looks_of(page) == FINE
        page.tab_to("#view")
        page.press(*NAME)
        page.press("F6")
        assert page.run("document.activeElement.id") == "typing"
        page.tab_to("#view", modifiers=8)
        page.press("Tab", *PASSWORD, "Enter")
        page.wait("view.dataset.drawn === 'yes' && view.dataset.url.endsWith('/members')")
        page.press("F6", modifiers=8)
        assert page.run("document.activeElement.id") == "address"
        page.tab_to("[action$='/save'] button", modifiers=8)
        page.press("Enter")
        page.wait('document.querySelector("form[action*=renew]")')
        assert looks_of(page) == FINE
        page.close()
