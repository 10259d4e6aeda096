"""`webkeep vault` from end to end: a tree protected, pages lost, everything back; and what is said where it is not."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from vault_site import describe_tree, write_application, write_site
from warc_material import Done, webkeep

from webkeep.store.archive import Archive


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site")


@pytest.fixture
def application(tmp_path: Path) -> Path:
    return write_application(tmp_path / "app")


@pytest.fixture
def passphrase(tmp_path: Path) -> Path:
    file = tmp_path / "passphrase"
    file.write_text("correct horse battery staple\n")
    return file


def protect(tmp_path: Path, *words: object, into: str = "public") -> Done:
    return webkeep("vault", "protect", tmp_path / "vault", "--component", tmp_path / "app", "--tree", tmp_path / "site",
                   "--into", tmp_path / into, *words)  # fmt: skip


def lose_pages(tree: Path, keep: int, seed: int = 1) -> None:
    pages = sorted(tree.rglob("*.html"))
    for page in random.Random(seed).sample(pages, len(pages) - keep):
        page.unlink()


def pack_zip(data: bytes) -> bytes:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("shop.sql", data)
        return file.getvalue()


def pack_tar(data: bytes) -> bytes:
    with io.BytesIO() as file:
        with tarfile.open(fileobj=file, mode="w") as package:
            entry = tarfile.TarInfo("shop.sql")
            entry.size = len(data)
            package.addfile(entry, io.BytesIO(data))
        return file.getvalue()


@pytest.mark.usefixtures("site")
def test_any_sufficient_pages_bring_everything_back(tmp_path: Path, application: Path, passphrase: Path) -> None:
    protected = protect(tmp_path, "--passphrase-file", passphrase)
    assert protected.code == 0
    (segment,) = protected.summary["segments"]
    lose_pages(tmp_path / "public", segment["needed"])
    done = webkeep(
        "vault", "recover", tmp_path / "public", "--into", tmp_path / "back", "--passphrase-file", passphrase
    )
    assert done.code == 0
    assert done.summary["whole"]
    assert describe_tree(tmp_path / "back" / "app") == describe_tree(application)


@pytest.mark.usefixtures("site", "application")
def test_one_page_too_few_is_told_to_the_block(tmp_path: Path, passphrase: Path) -> None:
    (segment,) = protect(tmp_path, "--passphrase-file", passphrase).summary["segments"]
    lose_pages(tmp_path / "public", segment["needed"] - 1)
    done = webkeep(
        "vault", "recover", tmp_path / "public", "--into", tmp_path / "back", "--passphrase-file", passphrase
    )
    assert done.code == 1
    (outcome,) = done.summary["segments"]
    assert (outcome["recovered"], outcome["short_by"], outcome["held"]) == (False, 1, segment["needed"] - 1)
    lost = {each["path"]: (each["size"], each["modified"]) for each in outcome["lost_files"]}
    program = (tmp_path / "app/app.py").stat()
    assert lost["app/app.py"] == (program.st_size, int(program.st_mtime))
    assert set(lost) == {"app/app.py", "app/conf/site.ini", "app/current", "app/data.bin"}
    assert list((tmp_path / "back").iterdir()) == []
    said = webkeep("vault", "recover", tmp_path / "public", "--into", tmp_path / "again", "--passphrase-file",
                   passphrase, as_json=False)  # fmt: skip
    assert "; in it are 4 files, 20 kB (app/app.py, app/conf/site.ini, app/current, …)" in said.out.decode()


@pytest.mark.usefixtures("application")
def test_pages_are_the_same_but_for_what_is_at_their_end(tmp_path: Path, site: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    for page in site.rglob("*.html"):
        written = (tmp_path / "public" / page.relative_to(site)).read_bytes()
        assert written.startswith(page.read_bytes())
        assert b"BEGIN_FILE_RECOVERY" in written
    assert (tmp_path / "public/style.css").read_bytes() == (site / "style.css").read_bytes()


@pytest.mark.usefixtures("site")
def test_only_what_changed_moves(tmp_path: Path, application: Path, passphrase: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(application, other)
    more = ("--component", other, "--passphrase-file", passphrase)
    protect(tmp_path, *more)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "public").rglob("*.html")}
    again = protect(tmp_path, *more)
    assert (again.summary["changed"], again.summary["moved"]) == ([], 0)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    (other / "app.py").write_text("print('changed')\n")
    changed = protect(tmp_path, *more)
    assert changed.summary["changed"] == ["other"]
    versions = {each["name"]: each["version"] for each in changed.summary["segments"]}
    assert versions["app"] < versions["other"]


@pytest.mark.usefixtures("site")
def test_an_older_version_comes_back_out_of_older_pages(tmp_path: Path, application: Path, passphrase: Path) -> None:
    key = ("--passphrase-file", passphrase)
    first = protect(tmp_path, *key)
    old = describe_tree(application)
    shutil.copytree(tmp_path / "public", tmp_path / "deep")
    (application / "app.py").write_text("print('newer')\n")
    newer = protect(tmp_path, *key)
    lose_pages(tmp_path / "public", 3)
    done = webkeep("vault", "recover", tmp_path / "public", tmp_path / "deep", "--into", tmp_path / "back", *key)
    (outcome,) = done.summary["segments"]
    assert (done.code, outcome["version"], outcome["newest"]) == (1, first.summary["version"], newer.summary["version"])
    assert describe_tree(tmp_path / "back" / "app") == old


@pytest.mark.usefixtures("site")
def test_older_versions_are_named_and_come_back_by_name(tmp_path: Path, application: Path, passphrase: Path) -> None:
    key = ("--passphrase-file", passphrase)
    first = protect(tmp_path, *key).summary["version"]
    old = describe_tree(application)
    shutil.copytree(tmp_path / "public", tmp_path / "deep")
    (application / "app.py").write_text("print('newer')\n")
    protect(tmp_path, *key)
    words = ("vault", "recover", tmp_path / "public", tmp_path / "deep", *key, "--into")
    (newest,) = webkeep(*words, tmp_path / "newest").summary["segments"]
    assert newest["older"] == [first]
    done = webkeep(*words, tmp_path / "back", "--version", newest["older"][0])
    assert (done.code, describe_tree(tmp_path / "back" / "app")) == (0, old)
    for version, said in (("20200101T000000Z-00000000", first), ("2020", "is no version")):
        refused = webkeep(*words, tmp_path / "none", "--version", version)
        assert (refused.code, said in refused.err) == (2, True)
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("site", "application")
def test_a_wrong_passphrase_is_told_apart_from_damage(tmp_path: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    wrong = tmp_path / "wrong"
    wrong.write_text("something else\n")
    done = webkeep("vault", "recover", tmp_path / "public", "--into", tmp_path / "back", "--passphrase-file", wrong,
                   as_json=False)  # fmt: skip
    assert done.code == 2
    assert "passphrase is wrong" in done.err
    assert not (tmp_path / "back").exists()


@pytest.mark.usefixtures("site")
def test_a_pair_of_keys_opens_what_it_sealed(tmp_path: Path, application: Path) -> None:
    assert protect(tmp_path, "--new-identity", tmp_path / "identity").code == 0
    assert (tmp_path / "identity").stat().st_mode & 0o777 == 0o600
    secret = (tmp_path / "identity").read_bytes().split(b"\n")[1]
    assert all(secret not in page.read_bytes() for page in (tmp_path / "public").rglob("*.html"))
    done = webkeep("vault", "recover", tmp_path / "public", "--into", tmp_path / "back",
                   "--identity", tmp_path / "identity")  # fmt: skip
    assert done.code == 0
    assert describe_tree(tmp_path / "back" / "app") == describe_tree(application)


@pytest.mark.usefixtures("site")
def test_an_archive_of_the_pages_brings_everything_back(tmp_path: Path, application: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    archive = tmp_path / "archive"
    assert webkeep("import", tmp_path / "public", "--base-url", "http://lost.example/", "--into", archive).code == 0
    with Archive(archive) as opened:
        (warc,) = [opened.layout.warcs / name for name in opened.layout.warc_names()]
    for number, source in enumerate((archive, warc)):
        into = tmp_path / f"back-{number}"
        done = webkeep("vault", "recover", source, "--into", into, "--passphrase-file", passphrase)
        assert done.code == 0
        assert describe_tree(into / "app") == describe_tree(application)


@pytest.mark.usefixtures("application", "site")
def test_a_vault_folder_in_what_is_served_is_refused(tmp_path: Path, passphrase: Path) -> None:
    done = webkeep("vault", "protect", tmp_path / "site/vault", "--component", tmp_path / "app", "--tree",
                   tmp_path / "site", "--passphrase-file", passphrase, as_json=False)  # fmt: skip
    assert done.code == 2
    assert "published" in done.err


@pytest.mark.usefixtures("site", "application")
def test_without_a_key_nothing_is_protected(tmp_path: Path) -> None:
    done = protect(tmp_path)
    assert done.code == 2
    assert not (tmp_path / "public").exists()


@pytest.mark.usefixtures("site", "application")
def test_what_is_in_the_way_stays(tmp_path: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    (tmp_path / "back").mkdir()
    (tmp_path / "back" / "mine").write_text("mine")
    done = webkeep(
        "vault", "recover", tmp_path / "public", "--into", tmp_path / "back", "--passphrase-file", passphrase
    )
    assert done.code == 2
    assert os.listdir(tmp_path / "back") == ["mine"]


@pytest.mark.usefixtures("site")
def test_another_passphrase_seals_everything_anew(tmp_path: Path, application: Path, passphrase: Path) -> None:
    first = protect(tmp_path, "--passphrase-file", passphrase)
    assert protect(tmp_path, "--passphrase-file", passphrase).summary["changed"] == []
    shutil.copytree(tmp_path / "public", tmp_path / "older")
    other = tmp_path / "other"
    other.write_text("another one\n")
    assert protect(tmp_path, "--passphrase-file", other).summary["changed"] == ["app"]
    done = webkeep("vault", "recover", tmp_path / "public", tmp_path / "older", "--into", tmp_path / "back",
                   "--passphrase-file", passphrase)  # fmt: skip
    (outcome,) = done.summary["segments"]
    assert (done.code, outcome["version"]) == (1, first.summary["version"])
    assert describe_tree(tmp_path / "back/app") == describe_tree(application)
    state = (tmp_path / "vault/vault.json").read_bytes()
    assert b"another one" not in state
    assert hashlib.sha256(b"another one").hexdigest().encode() not in state


@pytest.mark.usefixtures("site", "application")
def test_trees_within_each_other_are_refused(tmp_path: Path, passphrase: Path) -> None:
    assert protect(tmp_path, "--passphrase-file", passphrase, into="site/public").code == 2


@pytest.mark.usefixtures("site")
def test_pages_beside_a_file_of_records_are_read_too(tmp_path: Path, application: Path) -> None:
    protect(tmp_path, "--new-identity", tmp_path / "identity")
    (tmp_path / "public/other.warc").write_bytes(
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    done = webkeep("vault", "recover", tmp_path / "public", "--into", tmp_path / "back", "--identity",
                   tmp_path / "identity")  # fmt: skip
    assert done.code == 0
    assert describe_tree(tmp_path / "back/app") == describe_tree(application)


def test_a_tree_is_protected_in_place(tmp_path: Path, site: Path, application: Path, passphrase: Path) -> None:
    before = {page: page.read_bytes() for page in site.rglob("*.html")}
    style = (site / "style.css").stat().st_mtime_ns
    words = ("vault", "protect", tmp_path / "vault", "--component", application, "--tree", site)
    assert webkeep(*words, "--passphrase-file", passphrase).code == 0
    once = {page: page.read_bytes() for page in before}
    assert all(once[page].startswith(old) and len(once[page]) > len(old) for page, old in before.items())
    assert (site / "style.css").stat().st_mtime_ns == style
    times = {page: page.stat().st_mtime_ns for page in before}
    assert webkeep(*words, "--passphrase-file", passphrase).code == 0
    assert {page: page.read_bytes() for page in before} == once, "blocks that did not move are not put in twice"
    assert {page: page.stat().st_mtime_ns for page in before} == times
    lose_pages(site, 15)
    done = webkeep("vault", "recover", site, "--into", tmp_path / "back", "--passphrase-file", passphrase)
    assert done.code == 0
    assert describe_tree(tmp_path / "back" / "app") == describe_tree(application)


@pytest.mark.usefixtures("site")
def test_secrets_are_not_published_unless_someone_says_so(tmp_path: Path, application: Path) -> None:
    (application / "conf" / "site.ini").write_text("[database]\npassword = Tr0ub4dor&3-harbour\n")
    done = protect(tmp_path, "--unencrypted")
    assert done.code == 2
    assert "site.ini" in done.err
    assert "--publish-secrets" in done.err
    assert "Tr0ub4dor" not in done.err
    assert not list(tmp_path.glob("public/**/*.html")), "nothing was written"
    assert protect(tmp_path, "--unencrypted", "--publish-secrets").code == 0
    back = webkeep("vault", "recover", tmp_path / "public", "--into", tmp_path / "back")
    assert back.code == 0
    assert "Tr0ub4dor" in (tmp_path / "back/app/conf/site.ini").read_text()


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("shop.sql.gz", gzip.compress),
        ("shop.sql.bz2", bz2.compress),
        ("shop.sql.xz", lzma.compress),
        ("shop.sql.zst", zstandard.compress),
        ("backup.zip", pack_zip),
        ("backup.tar.bz2", lambda data: bz2.compress(pack_tar(data))),
    ],
)
def test_secrets_in_what_is_packed_are_found_too(
    tmp_path: Path, application: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    dump = (
        b"-- a dump\n"
        + b"-- of some length\n" * 100_000
        + b"INSERT INTO `users` VALUES (1,'$P$B"
        + b"a" * 30
        + b"');\n"
    )
    (application / name).write_bytes(pack(dump))
    done = protect(tmp_path, "--unencrypted")
    assert done.code == 2
    assert f"app/{name}" in done.err and "line 100002 (the hash of a password)" in done.err


@pytest.mark.usefixtures("site")
def test_a_package_of_the_pages_brings_everything_back(tmp_path: Path, application: Path, passphrase: Path) -> None:
    assert protect(tmp_path, "--passphrase-file", passphrase).code == 0
    words = ("--base-url", "http://example.org/", "--into", tmp_path / "archive")
    assert webkeep("import", tmp_path / "public", *words).code == 0
    assert webkeep("export", tmp_path / "archive", "--wacz", tmp_path / "site.wacz").code == 0
    done = webkeep(
        "vault", "recover", tmp_path / "site.wacz", "--into", tmp_path / "back", "--passphrase-file", passphrase
    )
    assert done.code == 0
    assert describe_tree(tmp_path / "back" / "app") == describe_tree(application)


@pytest.mark.usefixtures("site", "application")
def test_it_is_said_how_likely_everything_comes_back(tmp_path: Path, passphrase: Path) -> None:
    outlook = protect(tmp_path, "--passphrase-file", passphrase).summary["outlook"]
    assert [each["share"] for each in outlook] == [0.4, 0.6, 0.8]
    assert [each["chance"] > 0.99 for each in outlook] == [False, True, True], "9 of 30 pages are needed"
    said = webkeep("vault", "protect", tmp_path / "vault", "--component", tmp_path / "app", "--tree", tmp_path / "site",
                   "--into", tmp_path / "public", "--passphrase-file", passphrase, as_json=False)  # fmt: skip
    assert "If each page is archived with a chance of 40% / 60% / 80%" in said.out.decode()
    assert "is little for these blocks" not in said.err


@pytest.mark.usefixtures("site", "application")
def test_where_it_is_not_likely_that_is_said_too(tmp_path: Path, passphrase: Path) -> None:
    done = protect(tmp_path, "--passphrase-file", passphrase, "--max-page-size", "5KB")
    (segment,) = done.summary["segments"]
    assert segment["needed"] >= 15
    assert "60% of the pages of a usual site, which is little for these blocks" in done.err


def changed_pages(tree: Path, before: dict[Path, bytes]) -> set[str]:
    return {page.name for page in tree.rglob("*.html") if before.get(page) != page.read_bytes()}


@pytest.mark.usefixtures("application")
def test_pages_that_come_go_or_grow_move_no_blocks(tmp_path: Path, site: Path, passphrase: Path) -> None:
    first = protect(tmp_path, "--passphrase-file", passphrase).summary
    before = {page: page.read_bytes() for page in (tmp_path / "public").rglob("*.html")}
    (site / "papers/1/1.html").unlink()
    (site / "news.html").write_text("<!DOCTYPE html><title>News</title><p>News</p>")
    (site / "papers/2/2.html").write_text("<!DOCTYPE html><title>Two</title>" + "<p>longer</p>" * 50)
    second = protect(tmp_path, "--passphrase-file", passphrase)
    assert (second.summary["changed"], second.summary["version"]) == ([], first["version"])
    assert (second.summary["gone_pages"], second.summary["new_pages"]) == (1, 1)
    assert changed_pages(tmp_path / "public", before) == {"news.html", "2.html"}
    assert "1 page with blocks is gone" in second.err
    replanned = protect(tmp_path, "--passphrase-file", passphrase, "--replan").summary
    assert (replanned["changed"], replanned["gone_pages"], replanned["new_pages"]) == (["app"], 0, 0)


@pytest.mark.usefixtures("application")
def test_where_many_pages_are_gone_blocks_are_assigned_anew(tmp_path: Path, site: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    lose_pages(site, 24)
    again = protect(tmp_path, "--passphrase-file", passphrase).summary
    assert (again["changed"], again["gone_pages"], again["segments"][0]["blocks"]) == (["app"], 0, 24)


@pytest.mark.usefixtures("site", "application")
def test_another_address_of_the_site_moves_the_manifest_alone(tmp_path: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    moved = protect(tmp_path, "--passphrase-file", passphrase, "--site", "http://a.example/").summary
    assert (moved["changed"], moved["moved"]) == ([], 8)
    assert protect(tmp_path, "--passphrase-file", passphrase, "--site", "http://a.example/").summary["moved"] == 0
    done = webkeep(
        "vault", "recover", tmp_path / "public", "--into", tmp_path / "back", "--passphrase-file", passphrase
    )
    assert done.summary["site"] == "http://a.example/"


@pytest.mark.usefixtures("application")
def test_pages_keep_their_owner_and_outdated_copies_are_told(tmp_path: Path, site: Path) -> None:
    page = site / "papers/1/1.html"
    owner = 12_345 if os.geteuid() == 0 else os.geteuid()
    os.chown(page, owner, -1)
    page.chmod(0o640)
    for number in (1, 4):
        copy = site / f"papers/1/{number}.html.gz"
        copy.write_bytes(b"compressed before")
        os.utime(copy, (1_000_000_000, 1_000_000_000))
    words = ("vault", "protect", tmp_path / "vault", "--component", tmp_path / "app", "--tree", site, "--unencrypted")
    done = webkeep(*words)
    assert (page.stat().st_uid, page.stat().st_mode & 0o777) == (owner, 0o640)
    assert done.summary["outdated_copies"] == 2
    assert "2 compressed copies are older than the pages beside them (/papers/1/1.html.gz, /papers" in done.err
    later = page.stat().st_mtime + 5
    os.utime(site / "papers/1/1.html.gz", (later, later))
    assert webkeep(*words).summary["outdated_copies"] == 1


@pytest.mark.usefixtures("application")
def test_a_page_that_is_left_open_later_carries_nothing_any_more(tmp_path: Path, site: Path, passphrase: Path) -> None:
    protect(tmp_path, "--passphrase-file", passphrase)
    (site / "papers/1/1.html").write_text("<!DOCTYPE html><title>x</title><textarea>left open</html>")
    again = protect(tmp_path, "--passphrase-file", passphrase).summary
    assert (tmp_path / "public/papers/1/1.html").read_bytes() == (site / "papers/1/1.html").read_bytes()
    assert (again["changed"], again["gone_pages"], again["pages"]) == ([], 1, 29)
