"""What was published of recovery, by experiment, and the check runs that the parameters were calibrated with; read from
published.json.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_published() -> dict[str, Any]:
    """All figures, as the data file beside this module has them."""
    text = (files("webkeep.lab.recovery") / "published.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures
