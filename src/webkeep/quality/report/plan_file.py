"""The plan that a report proposes, as a file: every line with its reason and what it is expected to gain."""

from __future__ import annotations

from webkeep.formats import render_toml_value
from webkeep.presentation import escape_controls
from webkeep.quality.report.next_capture import NextCapture, ProposedSetting

_FIGURE_WORDS = {
    "failed": "URLs that failed",
    "placeholders": "pages that are walls or errors",
    "hungry": "pages whose scripts did not run",
    "revisited": "URLs looked at twice",
    "neighbours": "URLs left out on other hosts of the domain",
}
"""What figures of proposed settings are called where people read them."""


def render_plan_file(proposal: NextCapture, made: str) -> str:
    """The proposal as a plan in TOML, every line with its reason and its gain."""
    replaced = {each.name for each in proposal.settings if each.name != "exclude"}
    lines = [f"# Proposed by webkeep report on {made}.", "# webkeep capture --plan THIS --into ARCHIVE", ""]
    lines += [_comment(each) for each in proposal.notes]
    for name, value in proposal.carried.items():
        spelled = name.replace("_", "-")
        if spelled not in replaced and spelled != "rules":
            lines.append(f"{spelled} = {render_toml_value(value)}")
    for each in proposal.settings:
        if each.name != "exclude":
            lines += ["", _reason_lines(each), f"{each.name} = {render_toml_value(each.value)}"]
    lines += _render_rules(proposal)
    return "\n".join(lines) + "\n"


def _render_rules(proposal: NextCapture) -> list[str]:
    """The rules as they were, and the new ones behind them: the last that holds decides."""
    old = proposal.carried.get("rules", ())
    rules = [f"    {render_toml_value(each)}," for each in old] if isinstance(old, tuple) else []
    for each in proposal.settings:
        if each.name == "exclude" and isinstance(each.value, tuple):
            rules += [f"    {line}" for line in _reason_lines(each).split("\n")]
            rules += [f"    {render_toml_value('-' + text)}," for text in each.value]
    return ["", "rules = [", *rules, "]"] if rules else []


def _reason_lines(setting: ProposedSetting) -> str:
    return "\n".join((_comment(setting.reason), _comment(describe_gain(setting))))


def describe_gain(setting: ProposedSetting) -> str:
    """What a setting is expected to gain."""
    return f"expected: {_FIGURE_WORDS.get(setting.figure, setting.figure)} {setting.now:,} -> {setting.expected:,}"


def _comment(text: str) -> str:
    return f"# {escape_controls(text)}"
