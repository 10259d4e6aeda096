"""Sites of the tests that a copier can copy without a browser, each served alone on a loopback address."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.measuring import ROOT

TEST_SITES = {"addresses": True, "document-write": True, "windows": True, "css": False, "media": False, "svg": False}
"""Their names, and whether their texts are compared: not where they tell of loading times, which no file has."""
_HOST = "127.0.0.1"


@contextmanager
def served(name: str) -> Iterator[str]:
    """Serve one of them; gives the URL to begin at."""
    sys.path.insert(0, str(ROOT / "tests"))
    try:
        plan, serving = importlib.import_module("sites.plan"), importlib.import_module("sites.serving")
    finally:
        sys.path.pop(0)
    site = next(each for each in plan.sites() if each.name == name)
    here = type("Here", (plan.Site,), {"host": _HOST, "all_hosts": [_HOST]})
    facts = {field.name: getattr(site, field.name) for field in dataclasses.fields(site)}
    with serving.SiteServer(served=[here(**facts)]) as server:
        yield f"http://{_HOST}:{server.ports['http']}/{site.start}"
