"""A service that runs as a process of its own, and a client of its pages that keeps cookies and sends forms."""

import http.client
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

_LINK = re.compile(r"http://127\.0\.0\.1:(\d+)(/\S*)")


@dataclass
class PageAnswer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def field(self, name: str) -> str:
        """The value of the first hidden field of that name."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.text)
        assert found, name
        return unescape(found[1])


@dataclass
class DashboardClient:
    port: int
    entry: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> PageAnswer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            if self.cookies:
                sent.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            for name, value in response.getheaders():
                if name.lower() == "set-cookie":
                    key, _, rest = value.partition("=")
                    self.cookies[key] = rest.partition(";")[0]
            return PageAnswer(response.status, {n.lower(): v for n, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def enter(self) -> None:
        """Come in by the link that was printed."""
        assert self.ask(self.entry).status == 303

    def send(self, path: str, page: PageAnswer, **fields: str | list[str]) -> PageAnswer:
        """Send a form of a page, with what every form carries."""
        values = {name: page.field(name) for name in ("csrf_token", "submission")} | fields
        return self.post(path, **values)

    def post(self, path: str, **fields: str | list[str]) -> PageAnswer:
        body = urllib.parse.urlencode(fields, doseq=True).encode()
        return self.ask(path, "POST", body, content_type="application/x-www-form-urlencoded")


@contextmanager
def dashboard(folder: Path, *more: object) -> Iterator[DashboardClient]:
    """The pages of a service that runs for as long as the block does."""
    words = [sys.executable, "-m", "webkeep", "service", str(folder), "--port", "0", "--keep-free", "1MB"]
    with subprocess.Popen([*words, *map(str, more)], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = _LINK.search(line)
            assert found, line + process.stderr.read()
            yield DashboardClient(int(found[1]), found[2])
        finally:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=60)
