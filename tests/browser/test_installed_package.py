"""The package as people get it: built, installed into an empty environment, and used away from the checkout."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from devtools import Page, chromium, visit_all

from webkeep.api.recording.recording_browser import browser_command
from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.subcommand import WRONG_CALL

ROOT = Path(__file__).parents[2]
LISTING = """
from importlib.metadata import files
for each in files("webkeep"):
    print(each, each.hash and each.hash.value)
"""
HELPS = """
import io
from contextlib import redirect_stdout
from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.main import main
for name, words in SUBCOMMANDS.items():
    told = io.StringIO()
    with redirect_stdout(told):
        try:
            code = main([name, "--help"])
        except SystemExit as end:
            code = end.code
    if not code and words.split()[0] in told.getvalue():
        print(name)
"""


@dataclass
class Installed:
    """An environment with nothing in it but webkeep and what it needs."""

    folder: Path

    @property
    def webkeep(self) -> str:
        return str(self.folder / "bin/webkeep")

    def run(self, *words: str, program: str = "webkeep", code: int = 0) -> str:
        done = self._run(*words, program=program)
        assert done.returncode == code, done.stderr
        return done.stdout

    def refusal(self, *words: str) -> str:
        """What it says of a call that it refuses."""
        done = self._run(*words, program="webkeep")
        assert done.returncode == WRONG_CALL, done.stderr
        return done.stderr

    def _run(self, *words: str, program: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / "bin" / program), *words], cwd=self.folder, env=_environment(),
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def files(self) -> dict[str, str]:
        """All that belongs to webkeep itself with its digests, and nothing that Python or pip made of it."""
        own = dict(line.split() for line in self.run("-c", LISTING, program="python").splitlines())
        made = ("__pycache__", ".dist-info", "bin/webkeep")
        return {name: digest for name, digest in own.items() if not any(each in name for each in made)}

    def commands_with_help(self) -> list[str]:
        """The commands whose help is shown, asked for in one process."""
        return self.run("-c", HELPS, program="python").split()


def _environment() -> dict[str, str]:
    """What a shell has, but nothing that leads Python to the checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    words = ["-m", "build", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return _install(built, "whl", tmp_path_factory.mktemp("empty"))


def _install(built: Path, kind: str, folder: Path) -> Installed:
    venv.create(folder, with_pip=True)
    (package,) = built.glob(f"*.{kind}")
    environment = Installed(folder)
    environment.run("install", "-q", str(package), program="pip")
    return environment


def test_the_source_makes_the_same_package(installed: Installed, built: Path, tmp_path: Path) -> None:
    from_source = _install(built, "tar.gz", tmp_path / "empty")
    assert from_source.files() == installed.files(), "file by file, to the byte"
    from_source.run("check", program="pip")
    assert from_source.run("--version") == installed.run("--version")
    assert from_source.commands_with_help() == list(SUBCOMMANDS)


def test_the_package_is_whole(installed: Installed) -> None:
    installed.run("check", program="pip")
    assert installed.run("--version").startswith("webkeep ")
    assert SUBCOMMANDS["capture"].split()[0] in installed.run("capture", "--help")
    assert "webkeep capture" in installed.run("help", "capture")
    assert "--user-agent" in installed.run("completion", "bash")
    assert installed.commands_with_help() == list(SUBCOMMANDS)
    manual = ["man", "-M", str(installed.folder / "share/man"), "webkeep-capture"]
    shown = subprocess.run(manual, capture_output=True, text=True, check=True, env=_environment())
    assert "--user-agent" in shown.stdout
    typed = "import webkeep, pathlib; print((pathlib.Path(webkeep.__file__).parent / 'py.typed').exists())"
    assert installed.run("-c", typed, program="python") == "True\n"


def test_what_needs_an_extra_says_so_in_one_line(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("a long enough password\n")
    account = ["account", "add", "people", "someone", "--password-file", str(tmp_path / "password")]
    for words in (account, ["people"]):
        (line,) = installed.refusal("service", *words).splitlines()
        assert line.endswith("; run: pip install 'webkeep[service]'"), line


@contextmanager
def listening(installed: Installed, *words: str) -> Iterator[str]:
    """A server of the installed command; gives its address."""
    with subprocess.Popen(
        [installed.webkeep, *words, "--json"],
        cwd=installed.folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if (event := json.loads(line)).get("event") == "listening":
                    yield str(event["url"])
                    break
        finally:
            process.terminate()
            process.wait(60)


def test_the_demo_is_captured_verified_and_shown_again(installed: Installed, built: Path) -> None:
    installed.run("demo", code=2)
    (package,) = built.glob("*.whl")
    installed.run("install", "-q", f"{package}[lab]", program="pip")
    with listening(installed, "demo", "--port", "0") as site:
        captured = json.loads(installed.run("capture", site, "--into", "kept", "--json").splitlines()[-1])
    assert captured["stored"] > 50
    assert json.loads(installed.run("verify", "kept", "--json").splitlines()[-1])["findings"] == 0
    with listening(installed, "serve", "kept", "--port", "0") as shown:
        page = Page(f"{shown}web/{site}", is_plain=True)
        words = browser_command("", "about:blank", 1, [], str(installed.folder / "profile"), headless=True)
        with chromium([word for word in words if not word.startswith("--proxy-")]) as browser:
            visit_all(browser, [page])
            browser.close()
    assert "Tidewick" in page.text
    installed.run("mirror", "kept", "copy")
    assert (installed.folder / "copy/index.html").exists()
