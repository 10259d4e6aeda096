"""A small shop whose pages come out of a database: as a WSGI and as an ASGI application."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import closing
from typing import Any

HTML = "text/html; charset=utf-8"


def make_database(path: str) -> None:
    """Fill a new database."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, stock INTEGER)")
        items = [("kettle", 3), ("lamp", 0), ("chair — oak", 12)]
        database.executemany("INSERT INTO item (name, stock) VALUES (?, ?)", items)


def run_statement(statement: str, *values: object) -> list[tuple[Any, ...]]:
    """What the database says."""
    with closing(sqlite3.connect(os.environ["SHOP_DATABASE"])) as database, database:
        return database.execute(statement, values).fetchall()


def render(path: str, query: str, scheme: str, host: str) -> tuple[str, str, list[bytes] | Iterator[bytes]]:
    """The status, the media type and the body of a page."""
    if path == "/":
        rows = run_statement("SELECT id, name FROM item ORDER BY id")
        items = "".join(f'<li><a href="{scheme}://{host}/item?id={number}">{name}</a>' for number, name in rows)
        head = '<link rel="stylesheet" href="/static/shop.css"><script src="/static/shop.js"></script>'
        return "200 OK", HTML, [f"{head}<ul>{items}</ul>".encode()]
    if path == "/item":
        rows = run_statement("SELECT name, stock FROM item WHERE id = ?", query.removeprefix("id="))
        found = [f"<h1>{name}</h1><p>{stock} left</p><a href='/list.txt'>all</a>".encode() for name, stock in rows]
        return ("200 OK" if found else "404 Not Found"), HTML, found
    if path == "/list.txt":
        rows = run_statement("SELECT name FROM item ORDER BY id")
        return "200 OK", "text/plain; charset=utf-8", (f"{name}\n".encode() for (name,) in rows)
    if path == "/stock.json":
        rows = run_statement("SELECT sum(stock) FROM item")
        return "200 OK", "application/json", [f'{{"stock": {rows[0][0]}}}'.encode()]
    if path == "/broken":
        raise ValueError("this page is broken")
    return "404 Not Found", "text/plain", [b"nothing here\n"]


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    """The shop by WSGI."""
    host, scheme = environ["HTTP_HOST"], environ.get("HTTP_X_FORWARDED_PROTO", environ["wsgi.url_scheme"])
    status, media_type, body = render(environ["PATH_INFO"], environ["QUERY_STRING"], scheme, host)
    start_response(status, [("Content-Type", media_type), ("X-Shop", "wsgi")])
    return body


def create_application() -> Callable[..., Iterable[bytes]]:
    """The same out of a function."""
    return application


async def asgi_application(
    scope: MutableMapping[str, Any], receive: Callable[..., Any], send: Callable[..., Any]
) -> None:
    """The shop by ASGI, which says when it starts and when it ends."""
    if scope["type"] == "lifespan":
        for step in ("startup", "shutdown"):
            assert (await receive())["type"] == f"lifespan.{step}"
            run_statement("CREATE TABLE IF NOT EXISTS life (step TEXT)")
            run_statement("INSERT INTO life VALUES (?)", step)
            await send({"type": f"lifespan.{step}.complete"})
        return
    host = dict(scope["headers"])[b"host"].decode()
    status, media_type, body = render(scope["path"], scope["query_string"].decode(), scope["scheme"], host)
    fields = [(b"content-type", media_type.encode()), (b"x-shop", b"asgi")]
    await send({"type": "http.response.start", "status": int(status[:3]), "headers": fields})
    for part in body:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
