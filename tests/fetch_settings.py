"""Settings of the door as a capture has them where nobody says otherwise."""

from dataclasses import replace
from typing import Any

from webkeep.crawl.plan import CapturePlan, fetch_settings_from_plan
from webkeep.fetch import FetchSettings

USUAL = fetch_settings_from_plan(CapturePlan(("http://site.example/",)))


def settings(**values: Any) -> FetchSettings:
    return replace(USUAL, **values)
