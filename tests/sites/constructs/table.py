"""Writes the table of constructs in docs/guide/links.md anew: python tests/sites/constructs/table.py"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
GUIDE = HERE.parents[2] / "docs/guide/links.md"
BEGIN, END = "<!-- constructs -->\n", "<!-- end of constructs -->\n"


def rows() -> list[dict[str, Any]]:
    constructs: list[dict[str, Any]] = json.loads((HERE / "constructs.json").read_text())
    return constructs


def table() -> str:
    lines = ["| construct | role | certain or guess | example |\n", "| --- | --- | --- | --- |\n"]
    for row in rows():
        roles = " and ".join(sorted({role for _, role, _, _ in row["links"]})) or "no link"
        surety = " and ".join(sorted({"guess" if guess else "certain" for *_, guess in row["links"]}))
        about = row["about"].replace("|", "\\|")
        lines.append(f"| {about} | {roles} | {surety} | `{row['file']}` |\n")
    return "".join(lines)


def with_table(guide: str) -> str:
    before, _, rest = guide.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + table() + "\n" + END + after


if __name__ == "__main__":
    GUIDE.write_text(with_table(GUIDE.read_text()))
