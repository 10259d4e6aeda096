"""What versions are worth before they are asked for."""

import pytest

from webkeep.model import Moment
from webkeep.recover.judging import AvailableVersion, VersionPreference, VersionTier
from webkeep.recover.judging.version_ranking import rank_versions, rate_version
from webkeep.recover.repositories import DateKind, KeptForm, ListedVersion, RepositoryTraits, TimePeriod

URL = "http://lost.example/a.pdf"


def held(day: str | None, **more: object) -> ListedVersion:
    moment = None if day is None else Moment.parse(day)
    values = {"status": 200, "media_type": "application/pdf"} | more
    return ListedVersion("x", URL, moment, **values)  # type: ignore[arg-type]


def best(*versions: AvailableVersion, wish: VersionPreference | None = None) -> int:
    return rank_versions(versions, wish or VersionPreference())[0].number


def version(number: int, day: str | None, tier: VersionTier = VersionTier.WHOLE, **more: object) -> AvailableVersion:
    micros = None if day is None else Moment.parse(day).micros
    return AvailableVersion(number, tier, micros, **more)  # type: ignore[arg-type]


def test_an_old_original_goes_before_a_newer_converted_copy_unless_any_form_will_do() -> None:
    old, new = version(1, "2005-01-01"), version(2, "2009-01-01", VersionTier.CONVERTED)
    assert best(old, new) == 1
    assert best(old, new, wish=VersionPreference(any_form=True)) == 2


def test_the_newest_goes_first_and_the_nearest_where_a_moment_is_wanted() -> None:
    versions = [version(1, "2005-01-01"), version(2, "2009-01-01"), version(3, "2007-01-01")]
    assert best(*versions) == 2
    assert best(*versions, wish=VersionPreference(Moment.parse("2006-11-01"))) == 3


def test_versions_outside_the_period_are_left_out_and_undated_ones_come_last() -> None:
    versions = [version(1, "2005-01-01"), version(2, "2009-01-01"), version(3, None)]
    period = TimePeriod(Moment.parse("2004-01-01"), Moment.parse("2006-01-01"))
    assert [each.number for each in rank_versions(versions, VersionPreference(period=period))] == [1, 3]


@pytest.mark.parametrize(
    "tier", [VersionTier.CUT_OFF, VersionTier.REDIRECT, VersionTier.DOUBTFUL, VersionTier.CONVERTED]
)
def test_a_whole_copy_goes_before_any_other(tier: VersionTier) -> None:
    assert best(version(1, "2001-01-01"), version(2, "2009-01-01", tier)) == 1


def test_of_one_day_bytes_as_they_were_go_first() -> None:
    shown = version(1, "2009-01-01T12:00:00Z", is_raw=False)
    raw = version(2, "2009-01-01T08:00:00Z")
    assert best(shown, raw) == 2
    assert best(version(1, "2009-02-01", is_raw=False), raw) == 1


def test_tiers_are_told_by_what_a_repository_is_like() -> None:
    plain = RepositoryTraits("x")
    assert rate_version(1, held("2009"), plain).tier is VersionTier.WHOLE  # type: ignore[union-attr]
    assert rate_version(1, held("2009", status=404), plain) is None
    assert rate_version(1, held("2009", status=301), plain).tier is VersionTier.REDIRECT  # type: ignore[union-attr]
    capped = RepositoryTraits("x", size_cap=1000)
    assert rate_version(1, held("2009", length=1000), capped).tier is VersionTier.CUT_OFF  # type: ignore[union-attr]
    converting = RepositoryTraits("x", kept_forms={"application/pdf": KeptForm.CONVERTED})
    assert rate_version(1, held("2009"), converting).tier is VersionTier.CONVERTED  # type: ignore[union-attr]
    assert rate_version(1, held("2009"), RepositoryTraits("x", kept_forms={"application": KeptForm.ABSENT})) is None


def test_a_date_of_change_is_no_sighting() -> None:
    changed = rate_version(1, held("2009", dates=DateKind.MODIFIED), RepositoryTraits("x"))
    assert changed is not None
    assert changed.sighting() is None
