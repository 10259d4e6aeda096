"""Archives known by name, a person's own declarations, and the ways to name a repository."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from webkeep.errors import UsageError
from webkeep.recover.politeness import RateLimit
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories import KeptForm
from webkeep.recover.repositories.cdx_server import CdxPaging
from webkeep.recover.repositories.repository_traits import RepositoryAccess
from webkeep.recover.run import resolve_choice_repository
from webkeep.recover.sources import PLAYBACK_POOL, RepositoryDeclaration, load_declarations, parse_repository
from webkeep.recover.sources.declarations import INDEX_POOL, RepositoryKind, find_by_host, find_by_name, user_file
from webkeep.recover.sources.repository_spec import LiveWebSource, LocalSource, LocalSourceKind

GUIDE = Path(__file__).parents[3] / "docs/guide/recover.md"
NOWHERE = Path(os.devnull)
"""Where nobody has declarations of their own."""


def test_ours_are_all_sound_and_polite() -> None:
    every = load_declarations(NOWHERE)
    assert {"internet-archive", "common-crawl", "memgator"} <= set(every)
    for name, each in every.items():
        assert each.traits.title, name
        for pool in (INDEX_POOL, PLAYBACK_POOL):
            manners = each.politeness_of(pool)
            assert manners.pool == f"{name}/{pool}"
            assert manners.limits, f"{name} has no limit for {pool}"
            assert all(limit.per_second <= 10 for limit in manners.limits)


def test_names_and_other_names_belong_to_one_archive_each() -> None:
    every = load_declarations(NOWHERE)
    names = [name for each in every.values() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert find_by_name(" IA ", every) is every["internet-archive"]
    assert find_by_name("nobody", every) is None


def test_an_archive_is_found_by_the_host_of_its_mementos() -> None:
    every = load_declarations(NOWHERE)
    assert find_by_host("web.archive.org", every) is every["internet-archive"]
    assert find_by_host("elsewhere.example", every) is None


def test_what_an_archive_keeps_otherwise_is_told_by_media_type() -> None:
    traits = load_declarations(NOWHERE)["common-crawl"].traits
    assert traits.kept_form("image/png") is KeptForm.ABSENT
    assert traits.kept_form("text/html") is KeptForm.ORIGINAL
    assert load_declarations(NOWHERE)["archive-today"].traits.kept_form("text/html") is KeptForm.CONVERTED


def test_a_declaration_of_ones_own_overrules_ours(tmp_path: Path) -> None:
    path = tmp_path / "repositories.toml"
    path.write_text(
        '[mine]\ntitle = "My archive"\nindex = "http://archive.example/cdx"\npaging = "key"\naccess = "dark"\n'
        'raw = "http://archive.example/web/{timestamp}id_/{url}"\nkeeps = { image = "converted" }\n'
        'limits.index = { requests = ["5/s", "1000/day"], at-once = 3, rest = 9 }\n'
        '[internet-archive]\nindex = "http://proxy.example/cdx"\n'
    )
    every = load_declarations(path)
    mine = every["mine"]
    assert mine.kind is RepositoryKind.CDX
    assert mine.paging is CdxPaging.KEY
    assert mine.hosts == ("archive.example",)
    assert mine.traits.access is RepositoryAccess.DARK
    assert mine.traits.kept_form("image/gif") is KeptForm.CONVERTED
    assert mine.politeness_of(INDEX_POOL) == RepositoryPoliteness(
        "mine/index", (RateLimit(5, 1), RateLimit(1000, 86400)), 3, 9
    )
    assert every["internet-archive"].index == "http://proxy.example/cdx"
    assert "common-crawl" in every


def test_a_file_of_declarations_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load_declarations(tmp_path / "nothing.toml")


def test_ones_own_declarations_lie_where_settings_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert user_file() == tmp_path / "webkeep" / "repositories.toml"


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
        ('[a]\nindex = "http://a/"\nlimits.other = {}', "limits are for index, playback and save"),
        ('[a]\nindex = "http://a/"\nlimits.index = { requests = 7 }', "requests is a text or a list of texts"),
        ('[a]\nindex = "http://a/"\nlimits = "none"', "limits are for index, playback and save"),
        ('[a]\nindex = "http://a/"\naliases = 7', "aliases is a text or a list of texts"),
        ('[a]\nindex = "http://a/"\nsize-cap = "big"', "size-cap is a number"),
        ('[a]\nindex = "http://a/"\nkeeps = { image = "lost" }', "image cannot be 'lost'"),
    ],
)
def test_a_wrong_declaration_is_told_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "repositories.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as told:
        load_declarations(path)
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def declared(text: str) -> RepositoryDeclaration:
    found = parse_repository(text, load_declarations(NOWHERE))
    assert isinstance(found, RepositoryDeclaration)
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
    assert (found.name, found.raw, found.paging) == ("mine", "http://r/{timestamp}/{url}", CdxPaging.NONE)
    assert found.politeness_of(INDEX_POOL).limits == (RateLimit(30, 60),)


def test_a_person_may_set_a_limit_for_an_archive_that_is_known() -> None:
    found = declared("ia limit=1000/day")
    assert found.name == "internet-archive"
    assert (
        found.politeness_of(INDEX_POOL).limits == found.politeness_of(PLAYBACK_POOL).limits == (RateLimit(1000, 86400),)
    )
    assert (
        found.politeness_of(INDEX_POOL).pool
        == load_declarations(NOWHERE)["internet-archive"].politeness_of(INDEX_POOL).pool
    )
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
    assert declared("cdx=http://archive.example/cdx").politeness_of(PLAYBACK_POOL).limits
    assert not declared("cdx=http://127.0.0.1:8080/cdx").politeness_of(PLAYBACK_POOL).is_limited


def test_places_on_this_machine_are_told_apart_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "pages.warc").write_bytes(b"WARC/1.0\r\n")
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "x.warc.gz").write_bytes(b"")
    every = load_declarations(NOWHERE)
    assert parse_repository(f"{tmp_path}/pages.warc", every) == LocalSource(
        LocalSourceKind.WARC, tmp_path / "pages.warc", "pages.warc"
    )
    assert parse_repository(f"warc={tmp_path}/a folder", every) == LocalSource(
        LocalSourceKind.WARC, tmp_path / "a folder", "a folder"
    )
    assert parse_repository("live", every) == LiveWebSource()


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
        parse_repository(text, load_declarations(NOWHERE))
    assert says in str(told.value)


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from(["?", "cdx=", "memento=http://", "cdx=http://[", "warc=?", "ia "]))
def test_whatever_the_text_it_names_a_repository_or_is_refused(text: str, start: str) -> None:
    try:
        assert parse_repository(start + text, load_declarations(NOWHERE))
    except UsageError as error:
        assert str(error)


def test_the_guide_names_archives_as_the_program_does() -> None:
    every = load_declarations(NOWHERE)
    guide = GUIDE.read_text("utf-8")
    used = re.findall(r"--from ([a-z][a-z-]*)(?![=\w])", guide)
    assert used and all(find_by_name(name, every) for name in used)
    assert all(re.search(rf"`{name}`", guide) for name in every), "every archive that is known is in the guide"
    listed = guide.partition("Known by name are")[2].partition("\n\n")[0]
    assert all(find_by_name(name, every) for name in re.findall(r"`([^`]+)`", listed))


def test_whoever_names_no_archive_is_told_all_their_names() -> None:
    every = load_declarations(NOWHERE)
    with pytest.raises(UsageError) as told:
        parse_repository("nobody-knows-this", every)
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
    assert resolve_choice_repository(text, load_declarations(NOWHERE)) == meant
