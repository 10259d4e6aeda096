"""Limits of a walk as a capture has them where nobody says otherwise, two interactions deep."""

from dataclasses import replace
from typing import Any

from webkeep.browser import WalkLimits
from webkeep.crawl.browsing.explorer_setup import walk_limits_from_plan
from webkeep.crawl.plan import CapturePlan

USUAL = walk_limits_from_plan(CapturePlan(("http://site.example/",), states=2))


def walk_limits(**values: Any) -> WalkLimits:
    return replace(USUAL, **values)
