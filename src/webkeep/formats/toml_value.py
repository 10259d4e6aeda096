"""Plain values as TOML has them, for plans that webkeep writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def render_toml_value(value: object) -> str:
    """A value as it stands behind the equals sign; lists, tuples and mappings on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return render_toml_text(value)
        case int() | float():
            return repr(value)
        case Mapping():
            pairs = (f"{render_toml_text(str(key))} = {render_toml_value(each)}" for key, each in value.items())
            return f"{{{', '.join(pairs)}}}"
        case Sequence():
            return f"[{', '.join(map(render_toml_value, value))}]"
        case _:
            raise TypeError(f"TOML has no {type(value).__name__}")


def render_toml_text(text: str) -> str:
    """A string; what no UTF-8 can say of it stands as U+FFFD."""
    said = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return json.dumps(said, ensure_ascii=False).replace("\x7f", "\\u007f")
