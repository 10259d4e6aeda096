"""Plans in files: TOML with the names of options, and seeds beside it; what a call says overrules the file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from webkeep.crawl.plan import CapturePlan, parse_plan
from webkeep.errors import UsageError


def read_plan_file(path: Path) -> dict[str, Any]:
    """What a plan file says, by the names of options."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the plan {path} ({error.strerror}); give a file that is there") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the plan {path} is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except RecursionError as error:
        raise UsageError(f"the plan {path} has lists within lists beyond all need; mend it there") from error
    except ValueError as error:  # no TOML, or a number of thousands of digits
        raise UsageError(f"the plan {path} is not TOML: {error}; mend it there") from error
    return {name.replace("-", "_"): value for name, value in values.items()}


def merge_plan_values(file: Path | None, values: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan file and a call say together, but for seeds."""
    merged = read_plan_file(file) if file is not None else {}
    # The last rule that holds decides, so those of the call go behind those of the file.
    rules = [each["rules"] for each in (merged, values) if "rules" in each]
    merged.update(values)
    if rules:
        no_list = [each for each in rules if not isinstance(each, list)]  # which the parser of plans will tell
        merged["rules"] = no_list[0] if no_list else [text for each in rules for text in each]
    return merged


def build_capture_plan(
    values: Mapping[str, Any], seeds: Iterable[str], seeds_from: Iterable[str], tell: Callable[[str], None]
) -> CapturePlan:
    """The plan that values make with seeds of a call and of files, in place of those of the plan file."""
    named = [*seeds, *_read_seed_files(seeds_from, tell)]
    return parse_plan({**values, **({"seeds": named} if named else {})})


def _read_seed_files(sources: Iterable[str], tell: Callable[[str], None]) -> Iterator[str]:
    for source in sources:
        from webkeep.api.arguments.seed_files import read_seeds  # few captures need what is behind it

        yield from read_seeds(source, tell)
