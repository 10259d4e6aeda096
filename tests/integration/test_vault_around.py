"""Components that lie around what carries them: a vault never holds itself, its pages or its key."""

import shutil
from pathlib import Path

import pytest
from vault_site import describe_tree, write_application, write_site
from warc_material import Done, webkeep


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """One directory with the application, its pages, and room for the vault, as on many servers."""
    write_application(tmp_path / "server/app", 4000)
    write_site(tmp_path / "server/www")
    (tmp_path / "server/www/cart.php").write_text("<?php echo 1;")
    (tmp_path / "server/www/sitemap.xml").write_text(
        "<urlset><url><loc>http://lost.example/</loc><lastmod>2001-01-01</lastmod></url></urlset>"
    )
    return tmp_path / "server"


def protect(server: Path, *words: object) -> Done:
    return webkeep("vault", "protect", server / "vault", "--component", server, "--tree", server / "www",
                   "--unencrypted", *words)  # fmt: skip


def test_a_component_that_holds_pages_and_vault_comes_to_rest(server: Path, tmp_path: Path) -> None:
    before = describe_tree(server / "app")
    first = protect(server)
    assert first.code == 0
    (server / "www/index.html.gz").write_bytes(b"a compressed copy of the page as it is now")
    again = protect(server)
    assert (again.summary["changed"], again.summary["moved"]) == ([], 0)
    done = webkeep("vault", "recover", server / "www", "--into", tmp_path / "back")
    assert done.summary["whole"]
    assert describe_tree(tmp_path / "back/server/app") == before
    assert [each.name for each in (tmp_path / "back/server/www").rglob("*") if each.is_file()] == ["cart.php"]
    assert not (tmp_path / "back/server/vault").exists()


def test_a_plan_counts_what_is_packed(server: Path) -> None:
    words = ("vault", "plan", "--component", server, "--tree", server / "www", "--coverage", "60%")
    before = webkeep(*words).summary["segments"][0]["sealed_bytes"]
    protect(server)
    assert webkeep(*words).summary["segments"][0]["sealed_bytes"] == pytest.approx(before, abs=50)


def test_a_copy_of_the_tree_is_not_packed_either(server: Path, tmp_path: Path) -> None:
    words = ("--into", server / "public", "--vault-pages", "kept", "--selection", "pessimistic")
    assert protect(server, *words).code == 0
    assert protect(server, *words).summary["moved"] == 0
    assert webkeep("vault", "recover", server / "public", "--into", tmp_path / "back").code == 0
    assert {each.name for each in (tmp_path / "back/server").iterdir()} == {"app", "www"}
    assert describe_tree(tmp_path / "back/server/www") == describe_tree(server / "www")


def test_whoever_wants_everything_is_told_what_cannot_be(server: Path) -> None:
    done = protect(server, "--selection", "pessimistic")
    assert done.code == 1
    assert b"31 files in it carry the vault" in done.out, "thirty pages and the sitemap"
    assert protect(server, "--selection", "pessimistic").summary["changed"] == []


@pytest.mark.parametrize("part", ["vault", "vault/comments", "www/index.html"])
def test_what_carries_a_vault_is_no_component(server: Path, part: str) -> None:
    protect(server)
    done = webkeep("vault", "protect", server / "vault", "--component", server / part, "--tree", server / "www",
                   "--unencrypted")  # fmt: skip
    assert done.code == 2
    assert "name what the site is made by" in done.err


def test_the_key_of_another_vault_is_not_published(server: Path, tmp_path: Path) -> None:
    protect(server)
    shutil.rmtree(server / "www")
    site = write_site(tmp_path / "site")
    words = ("vault", "protect", tmp_path / "other", "--component", server, "--tree", site, "--unencrypted")
    assert webkeep(*words).code == 0
    assert webkeep("vault", "recover", site, "--into", tmp_path / "back").code == 0
    assert {each.name for each in (tmp_path / "back/server").iterdir()} == {"app"}


def test_what_holds_nothing_does_not_pass_for_protected(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site")
    (tmp_path / "empty/folder").mkdir(parents=True)
    write_application(tmp_path / "app", 10)
    words = ("vault", "protect", tmp_path / "vault", "--tree", site, "--unencrypted", "--component", tmp_path / "app")
    done = webkeep(*words, "--component", tmp_path / "empty")
    assert (done.code, b"no file of it is packed" in done.out) == (1, True)
    none = webkeep(*words, "--dump", "shop=true")
    assert (none.code, "the dump shop is empty" in none.err) == (2, True)
