"""The guide lists every code of a finding, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import webkeep

PACKAGE = Path(webkeep.__file__).parent
GUIDE = PACKAGE.parents[1] / "docs/guide/findings.md"
ROOMS = ("formats", "store", "mirror", "redaction", "vault", "signing", "evidence")
TELLING = {
    "report_flaw",
    "report",
    "_report",
    "Finding",
    "RecordFlaw",
    "tell",
    "on_flaw",
    "CodingError",
    "_check_place",
    "StampFlaw",
    "StampFailure",
}
FAMILIES, KIN = ("zip-", "wacz-", "stamp-"), ("-bomb", "-left-out")
"""How codes begin, or end, that are told by whoever has their names."""
CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")


def documented() -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", GUIDE.read_text(), re.MULTILINE)


def trees() -> Iterator[ast.AST]:
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            yield from ast.walk(ast.parse(path.read_text()))


def is_code(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value) is not None


def told() -> tuple[set[str], set[str]]:
    """The codes that calls name, and the endings of those they put together."""
    codes, endings = set(), set()
    for node in trees():
        if isinstance(node, ast.Call) and _name(node.func) in TELLING:
            codes |= {each.value for each in node.args[:2] if is_code(each) and isinstance(each, ast.Constant)}
            if node.args and isinstance(node.args[0], ast.JoinedStr):
                endings.add(ast.literal_eval(node.args[0].values[-1]))
        elif isinstance(node, ast.Assign):
            codes |= set(_named_codes(node))
        elif is_code(node) and isinstance(node, ast.Constant) and _is_of_a_family(node.value):
            codes.add(node.value)
    return codes, endings


def _named_codes(node: ast.Assign) -> Iterator[str]:
    """Codes that have a name by which they are told, as in `STRAY_CODE = "folder-stray"`."""
    (target,), value = node.targets[:1], node.value
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    values = value.elts if isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple) else [value]
    for name, each in zip(names, values, strict=False):
        if _name(name).endswith("_CODE") and is_code(each) and isinstance(each, ast.Constant):
            yield each.value


def _is_of_a_family(code: str) -> bool:
    return code.startswith(FAMILIES) or code.endswith(KIN)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_the_guide_lists_every_code_and_no_other() -> None:
    codes, endings = told()
    assert len(codes) > 40
    listed = documented()
    assert len(listed) == len(set(listed))
    assert codes <= set(listed), codes - set(listed)
    unknown = {code for code in listed if code not in codes and not code.endswith(tuple(endings))}
    assert unknown == set()


def test_every_line_of_the_guide_says_what_to_do() -> None:
    rows = [line.split("|") for line in GUIDE.read_text().splitlines() if line.startswith("| `")]
    assert rows
    assert all(len(row) == 5 and row[2].strip() and row[3].strip() for row in rows)
