"""What versions are worth before they are asked for."""

import pytest

from webkeep.model import Moment
from webkeep.recover.repository import Held, Period
from webkeep.recover.repository_traits import DateKind, Keeping, Traits
from webkeep.recover.worth import Tier, Version, Wish, ranked, version_of

URL = "http://lost.example/a.pdf"


def held(day: str | None, **more: object) -> Held:
    moment = None if day is None else Moment.parse(day)
    values = {"status": 200, "media_type": "application/pdf"} | more
    return Held("x", URL, moment, **values)  # type: ignore[arg-type]


def best(*versions: Version, wish: Wish | None = None) -> int:
    return ranked(versions, wish or Wish())[0].number


def version(number: int, day: str | None, tier: Tier = Tier.WHOLE, **more: object) -> Version:
    micros = None if day is None else Moment.parse(day).micros
    return Version(number, tier, micros, **more)  # type: ignore[arg-type]


def test_an_old_original_goes_before_a_newer_converted_copy_unless_any_form_will_do() -> None:
    old, new = version(1, "2005-01-01"), version(2, "2009-01-01", Tier.CONVERTED)
    assert best(old, new) == 1
    assert best(old, new, wish=Wish(any_form=True)) == 2


def test_the_newest_goes_first_and_the_nearest_where_a_moment_is_wanted() -> None:
    versions = [version(1, "2005-01-01"), version(2, "2009-01-01"), version(3, "2007-01-01")]
    assert best(*versions) == 2
    assert best(*versions, wish=Wish(Moment.parse("2006-11-01"))) == 3


def test_versions_outside_the_period_are_left_out_and_undated_ones_come_last() -> None:
    versions = [version(1, "2005-01-01"), version(2, "2009-01-01"), version(3, None)]
    period = Period(Moment.parse("2004-01-01"), Moment.parse("2006-01-01"))
    assert [each.number for each in ranked(versions, Wish(period=period))] == [1, 3]


@pytest.mark.parametrize("tier", [Tier.CUT_OFF, Tier.REDIRECT, Tier.DOUBTFUL, Tier.CONVERTED])
def test_a_whole_copy_goes_before_any_other(tier: Tier) -> None:
    assert best(version(1, "2001-01-01"), version(2, "2009-01-01", tier)) == 1


def test_of_one_day_bytes_as_they_were_go_first() -> None:
    shown = version(1, "2009-01-01T12:00:00Z", is_raw=False)
    raw = version(2, "2009-01-01T08:00:00Z")
    assert best(shown, raw) == 2
    assert best(version(1, "2009-02-01", is_raw=False), raw) == 1


def test_tiers_are_told_by_what_a_repository_is_like() -> None:
    plain = Traits("x")
    assert version_of(1, held("2009"), plain).tier is Tier.WHOLE  # type: ignore[union-attr]
    assert version_of(1, held("2009", status=404), plain) is None
    assert version_of(1, held("2009", status=301), plain).tier is Tier.REDIRECT  # type: ignore[union-attr]
    capped = Traits("x", size_cap=1000)
    assert version_of(1, held("2009", length=1000), capped).tier is Tier.CUT_OFF  # type: ignore[union-attr]
    converting = Traits("x", keepings={"application/pdf": Keeping.CONVERTED})
    assert version_of(1, held("2009"), converting).tier is Tier.CONVERTED  # type: ignore[union-attr]
    assert version_of(1, held("2009"), Traits("x", keepings={"application": Keeping.ABSENT})) is None


def test_a_date_of_change_is_no_sighting() -> None:
    changed = version_of(1, held("2009", dates=DateKind.MODIFIED), Traits("x"))
    assert changed is not None
    assert changed.sighting() is None
