"""Archives known by name, a person's own declarations, and the ways to name a repository."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webkeep.errors import UsageError
from webkeep.recover.choices import with_known_name
from webkeep.recover.known import INDEX, PLAYBACK, Declaration, Kind, at_host, known, named, own_file
from webkeep.recover.limits import Limit, Manners
from webkeep.recover.repositories.cdx_server import Paging
from webkeep.recover.repository_naming import LiveWeb, Local, LocalPlace, read_repository
from webkeep.recover.repository_traits import Access, Keeping

GUIDE = Path(__file__).parents[3] / "docs/guide/recover.md"
NOWHERE = Path(os.devnull)
"""Where nobody has declarations of their own."""


def test_ours_are_all_sound_and_polite() -> None:
    every = known(NOWHERE)
    assert {"internet-archive", "common-crawl", "memgator"} <= set(every)
    for name, each in every.items():
        assert each.traits.title, name
        for pool in (INDEX, PLAYBACK):
            manners = each.pool(pool)
            assert manners.pool == f"{name}/{pool}"
            assert manners.limits, f"{name} has no limit for {pool}"
            assert all(limit.per_second <= 10 for limit in manners.limits)


def test_names_and_other_names_belong_to_one_archive_each() -> None:
    every = known(NOWHERE)
    names = [name for each in every.values() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert named(" IA ", every) is every["internet-archive"]
    assert named("nobody", every) is None


def test_an_archive_is_found_by_the_host_of_its_mementos() -> None:
    every = known(NOWHERE)
    assert at_host("web.archive.org", every) is every["internet-archive"]
    assert at_host("elsewhere.example", every) is None


def test_what_an_archive_keeps_otherwise_is_told_by_media_type() -> None:
    traits = known(NOWHERE)["common-crawl"].traits
    assert traits.keeping("image/png") is Keeping.ABSENT
    assert traits.keeping("text/html") is Keeping.ORIGINAL
    assert known(NOWHERE)["archive-today"].traits.keeping("text/html") is Keeping.CONVERTED


def test_a_declaration_of_ones_own_overrules_ours(tmp_path: Path) -> None:
    path = tmp_path / "repositories.toml"
    path.write_text(
        '[mine]\ntitle = "My archive"\nindex = "http://archive.example/cdx"\npaging = "key"\naccess = "dark"\n'
        'raw = "http://archive.example/web/{timestamp}id_/{url}"\nkeeps = { image = "converted" }\n'
        'limits.index = { requests = ["5/s", "1000/day"], at-once = 3, rest = 9 }\n'
        '[internet-archive]\nindex = "http://proxy.example/cdx"\n'
    )
    every = known(path)
    mine = every["mine"]
    assert mine.kind is Kind.CDX
    assert mine.paging is Paging.KEY
    assert mine.hosts == ("archive.example",)
    assert mine.traits.access is Access.DARK
    assert mine.traits.keeping("image/gif") is Keeping.CONVERTED
    assert mine.pool(INDEX) == Manners("mine/index", (Limit(5, 1), Limit(1000, 86400)), 3, 9)
    assert every["internet-archive"].index == "http://proxy.example/cdx"
    assert "common-crawl" in every


def test_a_file_of_declarations_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        known(tmp_path / "nothing.toml")


def test_ones_own_declarations_lie_where_settings_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert own_file() == tmp_path / "webkeep" / "repositories.toml"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a", "is no TOML"),
        ("a = 1", "is no table"),
        ("[a]\nfoo = 1", "nothing is called 'foo'"),
        ("[a]", "needs the address of its index"),
        ('[a]\nkind = "memento"', "needs timemap or timegate"),
        ('[a]\nkind = "magic"', "kind cannot be 'magic'; choose of cdx, memento, common-crawl"),
        ('[a]\nindex = "ftp://a"', "index is no web address"),
        ('[a]\nindex = "http://a/"\nraw = "http://a/{url}"', "raw lacks {timestamp}"),
        ('[a]\nindex = "http://a/"\nlimits.index = { requests = "many" }', "not a limit: 'many'"),
        ('[a]\nindex = "http://a/"\nlimits.other = {}', "limits are for index and playback"),
        ('[a]\nindex = "http://a/"\nlimits.index = { requests = 7 }', "requests is a text or a list of texts"),
        ('[a]\nindex = "http://a/"\nlimits = "none"', "limits are for index and playback"),
        ('[a]\nindex = "http://a/"\naliases = 7', "aliases is a text or a list of texts"),
        ('[a]\nindex = "http://a/"\nsize-cap = "big"', "size-cap is a number"),
        ('[a]\nindex = "http://a/"\nkeeps = { image = "lost" }', "image cannot be 'lost'"),
    ],
)
def test_a_wrong_declaration_is_told_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "repositories.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as told:
        known(path)
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def declared(text: str) -> Declaration:
    found = read_repository(text, known(NOWHERE))
    assert isinstance(found, Declaration)
    return found


@pytest.mark.parametrize(
    ("index", "raw"),
    [
        ("http://h/cdx", "http://h/web/{timestamp}id_/{url}"),
        ("http://h/cdx/search/cdx", "http://h/web/{timestamp}id_/{url}"),
        ("http://h/coll/cdx", "http://h/coll/{timestamp}id_/{url}"),
        ("http://h/coll-index", "http://h/coll/{timestamp}id_/{url}"),
        ("http://h/something", ""),
    ],
)
def test_where_versions_are_is_told_by_where_the_index_is(index: str, raw: str) -> None:
    assert declared(f"cdx={index}").raw == raw


def test_options_stand_behind_an_address() -> None:
    found = declared("cdx=http://h.example/x raw=http://r/{timestamp}/{url} limit=30/minute paging=none name=mine")
    assert (found.name, found.raw, found.paging) == ("mine", "http://r/{timestamp}/{url}", Paging.NONE)
    assert found.pool(INDEX).limits == (Limit(30, 60),)


def test_a_person_may_set_a_limit_for_an_archive_that_is_known() -> None:
    found = declared("ia limit=1000/day")
    assert found.name == "internet-archive"
    assert found.pool(INDEX).limits == found.pool(PLAYBACK).limits == (Limit(1000, 86400),)
    assert found.pool(INDEX).pool == known(NOWHERE)["internet-archive"].pool(INDEX).pool
    with pytest.raises(UsageError, match="only limit= can be said of it"):
        declared("ia raw=http://r/{timestamp}/{url}")


@pytest.mark.parametrize(
    ("base", "timegate", "timemap"),
    [
        ("http://h", "http://h/web/{url}", "http://h/timemap/link/{url}"),
        ("http://h/web/", "http://h/web/{url}", "http://h/timemap/link/{url}"),
        ("http://h/coll", "http://h/coll/{url}", "http://h/coll/timemap/link/{url}"),
        ("http://h/timemap/link/", "", "http://h/timemap/link/{url}"),
        ("http://h/gate/{url}?x", "http://h/gate/{url}?x", ""),
    ],
)
def test_the_addresses_of_memento_are_told_by_one_of_them(base: str, timegate: str, timemap: str) -> None:
    found = declared(f"memento={base}")
    assert (found.timegate, found.timemap) == (timegate, timemap)
    assert not found.traits.lists


def test_who_is_not_known_is_asked_gently_unless_it_is_this_machine() -> None:
    assert declared("cdx=http://archive.example/cdx").pool(PLAYBACK).limits
    assert not declared("cdx=http://127.0.0.1:8080/cdx").pool(PLAYBACK).is_limited


def test_places_on_this_machine_are_told_apart_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "pages.warc").write_bytes(b"WARC/1.0\r\n")
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "x.warc.gz").write_bytes(b"")
    every = known(NOWHERE)
    assert read_repository(f"{tmp_path}/pages.warc", every) == LocalPlace(
        Local.WARC, tmp_path / "pages.warc", "pages.warc"
    )
    assert read_repository(f"warc={tmp_path}/a folder", every) == LocalPlace(
        Local.WARC, tmp_path / "a folder", "a folder"
    )
    assert read_repository("live", every) == LiveWeb()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nobody", "'nobody' names no repository; give a known name, a path, cdx=URL"),
        ("cdx=archive.example", "is no web address"),
        ("warc=/nonexistent/x.warc", "does not exist"),
        ("cdx=http://h/cdx colour=red", "'colour' is no option"),
        ("cdx=http://h/cdx paging=sometimes", "paging cannot be 'sometimes'"),
        ("cdx=http://h/cdx limit=lots", "not a limit"),
        ("cdx=http://h/cdx name='a", "has no partner"),
        ("x" * 5000, "names no repository"),
        (" ", "names no repository"),
    ],
)
def test_what_names_no_repository_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(UsageError) as told:
        read_repository(text, known(NOWHERE))
    assert says in str(told.value)


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from(["?", "cdx=", "memento=http://", "cdx=http://[", "warc=?", "ia "]))
def test_whatever_the_text_it_names_a_repository_or_is_refused(text: str, start: str) -> None:
    try:
        assert read_repository(start + text, known(NOWHERE))
    except UsageError as error:
        assert str(error)


def test_the_guide_names_archives_as_the_program_does() -> None:
    every = known(NOWHERE)
    guide = GUIDE.read_text("utf-8")
    used = re.findall(r"--from ([a-z][a-z-]*)(?![=\w])", guide)
    assert used and all(named(name, every) for name in used)
    assert all(re.search(rf"`{name}`", guide) for name in every), "every archive that is known is in the guide"
    listed = guide.partition("Known by name are")[2].partition("\n\n")[0]
    assert all(named(name, every) for name in re.findall(r"`([^`]+)`", listed))


def test_whoever_names_no_archive_is_told_all_their_names() -> None:
    every = known(NOWHERE)
    with pytest.raises(UsageError) as told:
        read_repository("nobody-knows-this", every)
    assert all(name in str(told.value) for each in every.values() for name in (each.name, *each.aliases))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("http://a.example/=2009@wayback", "http://a.example/=2009@internet-archive"),
        ("http://a.example/=2009@mine", "http://a.example/=2009@mine"),
        ("http://a.example/@ia=2009", "http://a.example/@ia=2009"),
        ("http://a.example/=2009", "http://a.example/=2009"),
    ],
)
def test_choices_may_name_archives_as_people_know_them(text: str, meant: str) -> None:
    assert with_known_name(text, known(NOWHERE)) == meant
