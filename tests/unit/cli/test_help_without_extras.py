"""Help, manuals and completion of every command need no library that only an extra brings."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOR_DEVELOPMENT = {"dev", "docs"}
PROGRAM = """
import argparse, importlib.abc, json, sys

class Refusal(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LIBRARIES:
            raise ModuleNotFoundError(f"{name} is of an extra, and this is to do without", name=name)

LIBRARIES = set(json.loads(sys.argv[1]))
sys.meta_path.insert(0, Refusal())
from webkeep.cli.main import build_whole_parser, main

def list_helps(parser):
    yield parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from list_helps(each)

print(sum(1 for _ in list_helps(build_whole_parser())))
for shell in ("bash", "zsh"):
    assert main(["completion", shell]) == 0
"""


def _distribution(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_.-]", requirement)[0].lower().replace("_", "-")


def _libraries_of_extras() -> list[str]:
    """The modules that an installation without extras has not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = {_distribution(each) for extra in extras.keys() - FOR_DEVELOPMENT for each in extras[extra]}
    named -= {_distribution(each) for each in project["dependencies"]}
    modules = packages_distributions().items()
    return sorted(name for name, brought in modules if named & {_distribution(each) for each in brought})


def test_no_help_and_no_completion_imports_what_an_extra_brings() -> None:
    libraries = _libraries_of_extras()
    assert {"argon2", "cronsim", "jinja2", "psycopg", "ray", "starlette", "uvicorn"} <= set(libraries)
    command = [sys.executable, "-P", "-c", PROGRAM, json.dumps(libraries)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.partition("\n")[0]) > 60, "every command, and every verb of one"
