"""Bringing a site up to date: what it costs in bytes where little has changed, and whether the report is true.

    python -m bench.update [--quick]

Three sites: one whose server knows validators, one whose server knows none, and one with sessions in its links.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.capture_run import WEBKEEP, capture_command
from bench.measuring import result, say
from bench.peers_nginx import Nginx
from bench.reference_site import reference_site
from bench.session_site import SessionSite

_SHARE = 0.02
_NO_VALIDATORS = "etag off; if_modified_since off; add_header Last-Modified ''; "
_SECONDS_BACK = 3600
"""How old the files are at the first capture, so that dates can be told apart."""


@dataclass(frozen=True, slots=True)
class History:
    """What was done to a site, by path."""

    changed: frozenset[str]
    removed: frozenset[str]
    added: frozenset[str]

    def kinds(self) -> dict[str, str]:
        """What a report should say of each path."""
        named = {"changed": self.changed, "removed": self.removed, "added": self.added}
        return {path: kind for kind, paths in named.items() for path in paths}


def main() -> None:
    """Run all three, and print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a site of 500 pages in place of 5,000")
    pages = 500 if parser.parse_args().quick else 5000
    with tempfile.TemporaryDirectory() as folder:
        honest = _brought_up_to_date(Path(folder) / "honest", pages, "")
        silent = _brought_up_to_date(Path(folder) / "silent", pages, _NO_VALIDATORS)
        falsely_new = _sessions(Path(folder) / "sessions", pages // 5)
    result(
        {
            "changed_share": _SHARE,
            "bytes_share": honest["bytes_share"],
            "stored_share_no_validators": silent["stored_share"],
            "false_added_sessions": falsely_new,
            "report_errors": honest["errors"] + silent["errors"],
            "stored_share": honest["stored_share"],
            "seconds_share": honest["seconds_share"],
        }
    )


def _brought_up_to_date(folder: Path, pages: int, directives: str) -> dict[str, Any]:
    """Capture a site, change it, bring the archive up to date."""
    site = _copied(reference_site(pages).folder, folder / "site")
    archive = folder / "archive"
    configuration = f"{directives}root {site}; index index.html;"
    server = Nginx(folder / "server", configuration)
    with server:
        first = _run(capture_command(server.url, archive))
    sent, stored = _sent(server), _stored(archive)
    history = _change(site, random.Random(pages))
    again = Nginx(folder / "again", configuration)
    again.port = server.port
    with again:
        update = _run([*WEBKEEP, "update", str(archive), "--delay", "0", "--changes", "--json"])
    errors = _errors(history, update, again.url)
    for each in errors[:10]:
        say(each)
    figures = {
        "bytes_share": round(_sent(again) / sent, 4),
        "stored_share": round((_stored(archive) - stored) / stored, 4),
        "seconds_share": round(update[-1]["seconds"] / first[-1]["seconds"], 3),
        "errors": len(errors),
    }
    say(f"{folder.name}: {figures}, {update[-1]['changes']}")
    return figures


def _copied(source: Path, target: Path) -> Path:
    """The site once more, so that changing it changes nothing for other benches."""
    shutil.copytree(source, target, copy_function=os.link)
    for file in target.rglob("*.html"):
        _replace(file, file.read_bytes())
    for file in target.rglob("*"):
        if file.is_file() and file.stat().st_nlink == 1:
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - _SECONDS_BACK))
    return target


def _change(site: Path, chance: random.Random) -> History:
    """Change two in a hundred files: most are edited, some pages go, and a few come and are linked from the front."""
    pages = sorted(file for file in site.rglob("*.html") if file.name != "index.html")
    pictures = sorted(site.rglob("*.jpg"))
    count = round(_SHARE * (len(pages) + len(pictures)))
    edited = chance.sample(pages, count // 2)
    left = sorted(set(pages) - set(edited))
    gone = chance.sample(left, count // 20)
    repainted = chance.sample(pictures, count - len(edited) - 2 * len(gone) - 1)
    for file in edited:
        _replace(file, file.read_bytes().replace(b"</body>", b"<p>Edited.</p></body>"))
    for file in repainted:
        _replace(file, file.read_bytes()[:-10] + chance.randbytes(10))
    for file in gone:
        file.unlink()
    new = [site / "pages" / f"new-{number}.html" for number in range(len(gone))]
    for file in new:
        file.write_text(f"<!doctype html><html><body><h1>{file.stem}</h1></body></html>")
    front = site / "index.html"
    links = "".join(f'<a href="/pages/{file.name}">{file.stem}</a>' for file in new)
    _replace(front, front.read_bytes().replace(b"</body>", f"{links}</body>".encode()))

    def paths(files: list[Path]) -> frozenset[str]:
        return frozenset(f"/{file.relative_to(site)}" for file in files)

    return History(paths(edited) | paths(repainted) | {"/"}, paths(gone), paths(new))


def _replace(file: Path, content: bytes) -> None:
    """Write a file anew, as links to it elsewhere are to stay as they are."""
    file.unlink()
    file.write_bytes(content)


def _run(command: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _sent(server: Nginx) -> int:
    return sum(asked.size for asked in server.log())


def _stored(archive: Path) -> int:
    return sum(file.stat().st_size for file in (archive / "warcs").iterdir())


def _errors(history: History, told: list[dict[str, Any]], url: str) -> list[str]:
    """In what a report differs from what was done to the site."""
    true = history.kinds()
    said = {each["url"].removeprefix(url.rstrip("/")): each["kind"] for each in told if each.get("event") == "change"}
    return [
        f"{path} was {true.get(path, 'left alone')}, and is said to be {said.get(path, 'left alone')}"
        for path in sorted(true.keys() | said.keys())
        if true.get(path) != said.get(path)
    ]


def _sessions(archive: Path, pages: int) -> int:
    """How many pages are said to be new, or changed, because the session is another."""
    with SessionSite(pages) as site:
        _run(capture_command(site.url, archive))
        site.session = "1" * 32
        told = _run([*WEBKEEP, "update", str(archive), "--delay", "0", "--changes", "--json"])
    wrong = list(_told_wrong(told))
    say(f"sessions: {told[-1]['changes']}")
    return len(wrong)


def _told_wrong(told: list[dict[str, Any]]) -> Iterator[str]:
    return (each["url"] for each in told if each.get("event") == "change")


if __name__ == "__main__":
    main()
