"""A vault plan as a JSON file: `webkeep vault plan` writes it, people may edit it, `webkeep vault protect` reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from webkeep.errors import UsageError
from webkeep.process import write_atomically
from webkeep.vault.vault_plan import CarrierPage, SegmentPlan, VaultPlan

_FORMAT = "webkeep-vault-plan-1"


def write_plan(plan: VaultPlan, path: Path) -> None:
    """Keep a plan in a file."""
    write_atomically(path, json.dumps(plan_to_json(plan), indent=1, ensure_ascii=False).encode())


def plan_to_json(plan: VaultPlan) -> dict[str, Any]:
    """What the file of a plan says."""
    return {"format": _FORMAT, **asdict(plan)}


def read_plan(path: Path) -> VaultPlan:
    """The plan in a file; raises UsageError where it holds none."""
    try:
        return plan_from_json(json.loads(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"the plan {path} cannot be read ({error.strerror}); check its name") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} holds no vault plan ({error}); write one with webkeep vault plan") from error


def plan_from_json(said: Mapping[str, Any]) -> VaultPlan:
    """A plan out of what its file says."""
    if said["format"] != _FORMAT:
        raise ValueError(f"its format is {said['format']!r}")
    return VaultPlan(
        pages=tuple(
            CarrierPage(str(each["path"]), int(each["size_bytes"]), each.get("archived_share"))
            for each in said["pages"]
        ),
        segments=tuple(_segment_from_json(each) for each in said["segments"]),
        max_page_bytes=int(said["max_page_bytes"]),
        manifest_pages=int(said["manifest_pages"]),
    )


def _segment_from_json(said: Mapping[str, Any]) -> SegmentPlan:
    return SegmentPlan(
        name=str(said["name"]),
        components=tuple(map(str, said["components"])),
        sealed_bytes=int(said["sealed_bytes"]),
        needed=int(said["needed"]),
        total=int(said["total"]),
        pages=tuple(map(int, said["pages"])),
    )
