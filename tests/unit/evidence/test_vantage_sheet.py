"""What was shown from several vantage points: each page beside itself, and nothing said of pages that were not seen."""

from pathlib import Path

from evidence_facts import SITE, make_facts
from webkeep.evidence.package import EvidenceFacts
from webkeep.evidence.package.vantage_sheet import render_vantage_sheet


def rows_of(facts: EvidenceFacts, folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"page-{name[1:]}.txt").write_text(text)
    return render_vantage_sheet(facts, folder).decode().split('class="sides"')[1:]


def test_each_page_stands_beside_itself_in_whatever_order_pages_came(tmp_path: Path) -> None:
    facts = make_facts(("main", "a"), ("main", "b"), ("stranger", "b"), ("stranger", "a"))
    first, second = rows_of(facts, tmp_path, p001="A", p002="B", p003="B", p004="A")
    assert (first.count(f"{SITE}a,"), second.count(f"{SITE}b,")) == (2, 2)
    assert "Not shown to all" not in first + second


def test_of_a_page_seen_from_one_side_it_is_not_said_that_all_were_shown_it(tmp_path: Path) -> None:
    row, _ = rows_of(make_facts(("main", "a"), ("stranger", "b"), ("main", "b")), tmp_path, p001="For members")
    assert f"There is no picture of {SITE}a from: stranger." in row
    assert "<li>For members</li>" in row
    assert "The text is what all were shown" not in row
