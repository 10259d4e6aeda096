"""A service whose visitors may recover out of archives on loopback, with a clock that is moved by hand and its pages
served within the test; and what visitors do there.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from dashboard_calls import DashboardClient, PageAnswer
from people_server import HandClock, PeopleServer, people_server
from serve_calls import archive_of, page

from webkeep.cli.service.run import JOB_PROGRAM
from webkeep.service.notices import MailSecurity, MailSettings
from webkeep.service.recoveries import VisitorLimits, VisitorRecovery, VisitorSettings
from webkeep.service.run import DiskBudget, JobLimits, Service, ServiceSettings

LOST = "http://lost.example/"
DAY = 86400.0
SCRIPT = "<script>alert(document.domain)</script>"


def held_site(folder: Path) -> Path:
    """An archive that holds a small site with a picture and a page of a hostile title."""
    links = "".join(f'<a href="/{name}">{name}</a>' for name in ("p1", "p2", "sub/p3"))
    home = f'<title>{SCRIPT}</title>{SCRIPT}<img src="/i.png">{links}'
    pages = [page(LOST + name, "2010-02-01", f"<title>{name}</title><p>{name}") for name in ("p1", "p2", "sub/p3")]
    picture = page(f"{LOST}i.png", "2010-02-01", b"\x89PNG\r\n\x1a\n", "image/png")
    return archive_of(folder, page(LOST, "2010-02-01", home), picture, *pages)


def mail_settings(port: int, address: str = "http://keep.example") -> MailSettings:
    return MailSettings("127.0.0.1", port, MailSecurity.NONE, "keep@library.example", address)


@dataclass
class VisitedService:
    server: PeopleServer
    settings: ServiceSettings

    @property
    def service(self) -> Service:
        return self.server.service

    @property
    def clock(self) -> HandClock:
        return self.server.clock

    def visitor(self) -> DashboardClient:
        return DashboardClient(self.server.port, "/")

    def pass_days(self, days: float) -> None:
        self.clock.at = self.clock.at.plus(days * DAY)

    def work(self) -> None:
        self.clock.at = self.clock.at.plus(0.05)
        self.service.look()
        self.service.look_at_surveys()
        self.service.look_at_notices()

    def work_until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 120
        while not is_so():
            assert time.monotonic() < deadline, self.service.notice
            self.work()
            time.sleep(0.02)

    def ask(self, client: DashboardClient, **fields: str | list[str]) -> PageAnswer:
        """Send the form."""
        form = client.ask("/recover")
        assert form.status == 200, form.text
        usual: dict[str, str | list[str]] = {"url": LOST, "extent": "site"}
        usual["repository"] = list(self.settings.visitors.repositories) if self.settings.visitors else []
        usual |= {"mail": "ada@home.example"} if self.settings.mail else {}
        return client.send("/recover", form, **(usual | fields))

    def asked(self, client: DashboardClient, **fields: str | list[str]) -> str:
        """The path of the page of what somebody asked for."""
        answer = self.ask(client, **fields)
        assert answer.status == 303, answer.text
        return answer.headers["location"]

    def recovery(self, path: str) -> VisitorRecovery:
        found = self.service.recoveries.find_by_link(path.split("/")[2])
        assert found is not None
        return found

    def confirm_on_page(self, client: DashboardClient, path: str) -> None:
        status = client.ask(path)
        found = re.search(r'action="([^"]*/confirm/[^"]*)"', status.text)
        assert found, status.text
        assert client.send(unescape(found[1]), status).headers["location"] == path

    def recover(self, client: DashboardClient, **fields: str | list[str]) -> str:
        """Ask, confirm on the page, and wait for the result."""
        path = self.asked(client, **fields)
        self.confirm_on_page(client, path)
        self.work_until(lambda: self.recovery(path).ended is not None)
        return path


@contextmanager
def visited_service(
    root: Path,
    repositories: dict[str, str],
    mail: MailSettings | None = None,
    limits: VisitorLimits | None = None,
    clock: HandClock | None = None,
) -> Iterator[VisitedService]:
    """The service for as long as the block lasts."""
    visitors = VisitorSettings(repositories, limits=limits or VisitorLimits(100, 100, 100))
    settings = ServiceSettings(
        root, limits=JobLimits(budget=DiskBudget(0)), program=JOB_PROGRAM, mail=mail, visitors=visitors
    )
    with people_server(root, settings=settings, clock=clock) as server:
        try:
            yield VisitedService(server, settings)
        finally:
            for child in server.service._supervisor._children.values():
                child.kill()
                child.wait()
