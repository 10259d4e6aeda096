"""Type checkers and editors know the package: scripts of the guide are clean, mistakes are seen, options completed."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from python_site import changing_site

import webkeep
from webkeep.api.arguments.capture_options import CaptureOptions

GUIDE = Path(__file__).parents[2] / "docs/guide/python.md"
DATA = Path(__file__).parents[1] / "data"
CALLS, MISTAKES = DATA / "python_calls.py", DATA / "python_mistakes.py"
MYPY_CACHE = GUIDE.parents[2] / ".mypy_cache/users"
CONFIGURATION = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "pythonPlatform": "Linux"}


def guide_scripts() -> list[str]:
    """The programs in the guide that are whole."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    return [block for block in blocks if not block.startswith(">>>")]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The guide's programs as files: one of plain calls, and one for asyncio."""
    folder = tmp_path_factory.mktemp("scripts")
    made = []
    for name, text in zip(("keep.py", "keep_all.py"), guide_scripts(), strict=True):
        (folder / name).write_text(text)
        made.append(folder / name)
    return made


def check_by_mypy(*files: Path) -> tuple[str, str, int]:
    words = ["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(MYPY_CACHE), *map(str, files)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, cwd=files[0].parent)
    return done.stdout, done.stderr, done.returncode


def check_by_pyright(folder: Path, *files: Path) -> list[dict[str, Any]]:
    """What pyright finds in strict mode."""
    settings = folder / "pyrightconfig.json"
    settings.write_text(json.dumps({**CONFIGURATION, "include": [str(each) for each in files]}))
    program = Path(sys.executable).with_name("basedpyright")
    words = [str(program), "--outputjson", "--pythonpath", sys.executable, "-p", str(settings)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == len(files)
    return list(found["generalDiagnostics"])


def test_the_script_runs_and_says_what_became_of_the_site(scripts: list[Path], tmp_path: Path) -> None:
    with changing_site() as (_, server):
        words = [sys.executable, "-W", "error", str(scripts[0]), server.url(), str(tmp_path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(guide_scripts()[0].splitlines()) <= 66
    assert " stored, 0 failed" in done.stdout
    # What was looked at last may need no second look, so one of four may be left out of what is judged.
    assert re.search(r"^([34]) of \1 fit together; 0 findings$", done.stdout, re.MULTILINE)
    assert "5 back" in done.stdout
    assert (tmp_path / "site" / "index.html").exists()
    assert not webkeep.verify(tmp_path / "kept").findings


def test_the_same_from_asyncio_for_several_sites_with_progress(scripts: list[Path], tmp_path: Path) -> None:
    with changing_site() as (_, one), changing_site() as (_, other):
        words = [sys.executable, "-W", "error", str(scripts[1]), str(tmp_path), one.url(), other.url()]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for server in (one, other):
        name = f"127.0.0.1-{server.port}"
        assert f"{name}: served with status 200" in done.stdout
        assert f"{name}: 0 findings, 5 back" in done.stdout
        assert f"{name}: exporting" in done.stderr


def test_mypy_has_nothing_to_say_of_users_of_all_of_it(scripts: list[Path]) -> None:
    assert check_by_mypy(CALLS, *scripts) == ("", "", 0)


def test_pyright_has_nothing_to_say_of_users_of_all_of_it(scripts: list[Path], tmp_path: Path) -> None:
    assert check_by_pyright(tmp_path, CALLS, *scripts) == []


def test_every_public_function_is_among_the_calls() -> None:
    text = CALLS.read_text()
    functions = [name for name in dir(webkeep) if name[0].islower() and name != "aio"]
    assert [name for name in functions if f"webkeep.{name}(" not in text] == []
    assert [name for name in dir(webkeep.aio) if f"aio.{name}(" not in text] == []


def test_both_see_every_mistake(tmp_path: Path) -> None:
    lines = MISTAKES.read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "# mistake" in line}
    told = check_by_mypy(MISTAKES)[0]
    assert {int(each) for each in re.findall(r"python_mistakes\.py:(\d+): error", told)} == wrong
    found = check_by_pyright(tmp_path, MISTAKES)
    assert {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"} == wrong


class EditorSession:
    """An editor's side of the language server."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self._server = server
        self._number = 0

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        """Ask, and answer whatever is asked meanwhile with nothing."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            heard = self._read()
            if heard.get("id") == self._number and "method" not in heard:
                return heard["result"]
            if "id" in heard:
                self._send({"id": heard["id"], "result": [{}] if "configuration" in heard["method"] else None})

    def tell(self, method: str, parameters: dict[str, Any]) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._server.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        size = 0
        while (line := self._server.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        assert size, "the language server ended"
        return dict(json.loads(self._server.stdout.read(size)))


@contextmanager
def editing(folder: Path) -> Iterator[EditorSession]:
    program = str(Path(sys.executable).with_name("basedpyright-langserver"))
    (folder / "pyrightconfig.json").write_text(json.dumps(CONFIGURATION))
    with subprocess.Popen([program, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as server:
        try:
            session = EditorSession(server)
            root = {"uri": folder.as_uri(), "name": "user"}
            session.ask("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": [root]})
            session.tell("initialized", {})
            yield session
        finally:
            server.kill()


def test_an_editor_completes_the_options_of_a_capture(tmp_path: Path) -> None:
    file = tmp_path / "user.py"
    lines = ["import webkeep", "webkeep.capture('http://example.org/', into='kept', ", "webkeep.aio.update('kept', "]
    file.write_text("\n".join(lines))
    with editing(tmp_path) as session:
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}
        session.tell("textDocument/didOpen", {"textDocument": document})
        for number in (1, 2):
            place = {"line": number, "character": len(lines[number])}
            where = {"textDocument": {"uri": file.as_uri()}, "position": place}
            shown = {each["label"] for each in session.ask("textDocument/completion", where)["items"]}
            assert {f"{name}=" for name in CaptureOptions.__annotations__} <= shown
