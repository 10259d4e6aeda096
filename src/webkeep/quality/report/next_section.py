"""The section of a report on what to do next: settings for the next capture with reason and gain, and what a person has
to decide.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.presentation.pages import element, render_table
from webkeep.quality.report.next_capture import NextCapture, ProposedSetting
from webkeep.quality.report.plan_file import describe_gain
from webkeep.quality.report.report_parts import shorten_url


def render_next_section(proposal: NextCapture) -> Iterator[object]:
    """The lines of the proposed plan."""
    if proposal.settings:
        yield element(
            "p", "The plan beside this page has these lines; ", element("code", "webkeep capture --plan"), " takes it."
        )
        rows = ((_setting_words(each), each.reason, _gain_words(each)) for each in proposal.settings)
        yield from render_table(("setting", "why", "gain"), rows, class_="list")
    else:
        yield element("p", "Nothing in the plan of this capture would make the next one better, by what is known here.")
    if proposal.notes:
        yield element("ul", [element("li", each) for each in proposal.notes])


def _setting_words(setting: ProposedSetting) -> object:
    value = setting.value
    told = ", ".join(value) if isinstance(value, tuple) else str(value)
    return element("code", f"{setting.name} = {shorten_url(told)}")


def _gain_words(setting: ProposedSetting) -> str:
    """With an arrow that no line ends in."""
    return describe_gain(setting).replace(" -> ", "\u00a0\u2192\u00a0")
