"""A small digital library whose pages are made of a PostgreSQL database.

`python app.py SETTINGS [VAULT]` serves it, with the blocks of a vault where one is named. It prints the port it listens
on, and ends with its standard input.
"""

import configparser
import csv
import html
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from string import Template
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

END = "end of the answer"
QUERIES = {
    "": "SELECT 'paper', id, title FROM papers ORDER BY id",
    "paper": "SELECT 'subject', s.id, s.name, p.title, p.abstract, a.id, a.name FROM papers p "
    "JOIN subjects s ON s.id = p.subject JOIN authors a ON a.id = p.author WHERE p.id = :'id'",
    "subject": "SELECT 'paper', p.id, p.title, s.name FROM subjects s JOIN papers p ON p.subject = s.id "
    "WHERE s.id = :'id' ORDER BY p.id",
    "author": "SELECT 'paper', p.id, p.title, a.name FROM authors a JOIN papers p ON p.author = a.id "
    "WHERE a.id = :'id' ORDER BY p.id",
}


class Library:
    """The application."""

    def __init__(self, settings: Path) -> None:
        parser = configparser.ConfigParser()
        parser.read(settings)
        self.title = parser["library"]["title"]
        self._turn = threading.Lock()
        command = ["psql", "-X", "-q", "-t", "--csv", parser["library"]["database"]]
        psql = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert psql.stdin is not None and psql.stdout is not None
        self._psql_in, self._psql_out = psql.stdin, psql.stdout
        self._template = Template((settings.parent / "page.html").read_text("utf-8"))

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        kind, _, number = environ["PATH_INFO"].strip("/").partition("/")
        rows = self._ask(kind, number) if kind in QUERIES else []
        if not rows:
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"there is no such page"]
        body = self._render(kind, rows).encode()
        head = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))]
        start_response("200 OK", head)
        return [body]

    def _ask(self, kind: str, number: str) -> list[list[str]]:
        """What the database says, by the program that talks to it."""
        chosen = int(number) if number.isdecimal() else 0
        with self._turn:
            self._psql_in.write(f"\\set id {chosen}\n{QUERIES[kind]};\n\\echo {END}\n")
            self._psql_in.flush()
            return list(csv.reader(iter(self._psql_out.readline, f"{END}\n")))

    def _render(self, kind: str, rows: list[list[str]]) -> str:
        links = "".join(f'<li><a href="/{to}/{at}">{html.escape(words)}</a></li>' for to, at, words, *_ in rows)
        text = ""
        title = self.title if not kind else rows[0][3]
        if kind == "paper":
            text = rows[0][4]
            links += f'<li><a href="/author/{rows[0][5]}">{html.escape(rows[0][6])}</a></li>'
        return self._template.substitute(title=html.escape(title), text=html.escape(text), links=links)


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    """Serve, with blocks of a vault where there is one, until standard input ends."""
    application: Any = Library(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        from webkeep.vault.middleware import VaultApplication

        application = VaultApplication(application, sys.argv[2])
    with make_server("127.0.0.1", 0, application, handler_class=_Quiet) as server:
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
