"""Our lookup keys beside those of the surt package, which runs as a program of its own."""

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from hypothesis import assume, given, settings

from url_texts import tidy_urls, wild_urls
from webkeep.url import surt
from webkeep.url.surt_key_rules import complete_surt

PYTHON = Path(__file__).parents[2] / ".peers/tools/bin/python"
PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
from surt import surt
for line in sys.stdin:
    try:
        answer = {"key": surt(json.loads(line))}
    except (ValueError, AttributeError) as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
"""


class Reference:
    """The other tool: a line with a URL in, a line with its key out."""

    def __init__(self, asked: IO[str], answers: IO[str]) -> None:
        self._asked = asked
        self._answers = answers

    def key(self, url: str) -> str | None:
        """Its key; None where it fails."""
        self._asked.write(json.dumps(url) + "\n")
        self._asked.flush()
        answer = json.loads(self._answers.readline())
        return answer.get("key")


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    with subprocess.Popen(
        [PYTHON, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Reference(process.stdin, process.stdout)
        process.stdin.close()


def asks_the_name_service(url: str) -> bool:
    """Whether the reference would look for a host made of numbers that is no address."""
    match = re.search(r"[0-9][0-9.]*\.[0-9.]*", complete_surt(url)[0].replace(",", "."))
    if match is None:
        return False
    try:
        socket.inet_aton(".".join(reversed(match[0].strip(".").split("."))))
    except OSError:
        return True
    return False


def test_the_reference_answers(reference: Reference) -> None:
    assert reference.key("http://www.Example.org/b?z=1&a=2") == "org,example)/b?a=2&z=1"
    assert reference.key("http://example.org:x/") is None


@given(url=wild_urls)
@settings(max_examples=1500)
def test_keys_are_those_of_established_tools(reference: Reference, url: str) -> None:
    assume(not url.startswith("filedesc") and not asks_the_name_service(url))
    expected = reference.key(url)
    assert expected is None or surt(url) == expected


@given(url=tidy_urls)
def test_keys_of_plain_urls_are_those_of_established_tools(reference: Reference, url: str) -> None:
    assert surt(url) == reference.key(url)
