"""A site's MariaDB database in the pages and back: a real server, dumped by its own program and loaded again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_calls import capture
from mariadb_server import MariadbServer, running_mariadb
from small_site import Page, SmallSite
from vault_site import write_site
from warc_material import Done, webkeep

PASSWORD = "t1dal@5ecret/?"
SHOP = """
CREATE DATABASE shop;
CREATE USER shop@'127.0.0.1' IDENTIFIED BY 't1dal@5ecret/?';
GRANT ALL ON shop.* TO shop@'127.0.0.1';
USE shop;
CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(80), picture LONGBLOB, sold TIMESTAMP NULL);
INSERT INTO item (name, picture, sold) VALUES
  ('kettle — blue 🫖', x'00ff27225c0a0d1a80', '2026-01-02 03:04:05'), ('it''s "quoted" \\\\ back', NULL, NULL);
CREATE TABLE log (line TEXT);
CREATE DEFINER = shop@'127.0.0.1' VIEW cheap AS SELECT name FROM item;
DELIMITER //
CREATE DEFINER = shop@'127.0.0.1' TRIGGER noted AFTER INSERT ON item FOR EACH ROW INSERT INTO log VALUES (NEW.name)//
CREATE DEFINER = shop@'127.0.0.1' PROCEDURE sell(IN which INT)
  BEGIN UPDATE item SET sold = NOW() WHERE id = which; END//
CREATE DEFINER = shop@'127.0.0.1' EVENT tidy ON SCHEDULE EVERY 1 DAY DO DELETE FROM log//
DELIMITER ;
"""
LOOK = """
SELECT id, name, HEX(picture), sold FROM item ORDER BY id; SELECT * FROM log; SELECT * FROM cheap;
SELECT TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE();
SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE();
SELECT EVENT_NAME, EVENT_DEFINITION FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE();
"""


@pytest.fixture(scope="module")
def server() -> Iterator[MariadbServer]:
    with running_mariadb() as server:
        server.run_sql(SHOP)
        yield server


def by_port(server: MariadbServer, database: str = "shop", password: str = "t1dal%405ecret%2F%3F") -> str:
    return f"mysql://shop:{password}@127.0.0.1:{server.port}/{database}"


def protect(tmp_path: Path, address: str) -> Done:
    return webkeep("vault", "protect", tmp_path / "vault", "--tree", tmp_path / "site", "--into", tmp_path / "public",
                   "--unencrypted", "--mysql", address)  # fmt: skip


@pytest.mark.parametrize("way", ["port", "socket"])
def test_a_database_comes_back_with_all_that_belongs_to_it(server: MariadbServer, tmp_path: Path, way: str) -> None:
    write_site(tmp_path / "site", 6)
    address = by_port(server) if way == "port" else f"mysql://root@localhost/shop?socket={server.socket}"
    first = protect(tmp_path, address)
    assert first.code == 0, first.err
    assert [each["name"] for each in first.summary["segments"]] == ["shop"]
    assert protect(tmp_path, address).summary["changed"] == [], "data that stood still is the same dump"
    done = webkeep("vault", "recover", tmp_path / "public", "--into", tmp_path / "back")
    assert (done.code, done.summary["loading"]) == (0, ["mysql DATABASE < shop/shop.sql"])
    server.run_sql(f"CREATE DATABASE back_by_{way}; GRANT ALL ON back_by_{way}.* TO shop@'127.0.0.1'")
    server.run_sql((tmp_path / "back/shop/shop.sql").read_text(), f"back_by_{way}")
    before, after = server.run_sql(LOOK, "shop"), server.run_sql(LOOK, f"back_by_{way}")
    assert after == before
    assert "🫖" in before and "00FF27225C0A0D1A80" in before


@pytest.mark.parametrize(
    ("database", "password", "reason"), [("shop", "wrong-w0rd", "Access denied"), ("nothing", "", "nothing")]
)
def test_a_database_that_cannot_be_had_is_told_without_its_password(
    server: MariadbServer, tmp_path: Path, database: str, password: str, reason: str
) -> None:
    write_site(tmp_path / "site", 2)
    address = by_port(server, database, password) if password else by_port(server, database)
    done = protect(tmp_path, address)
    assert done.code == 2
    assert reason in done.err
    assert PASSWORD not in done.err
    assert "wrong-w0rd" not in done.err


def test_a_capture_dumps_it_too(server: MariadbServer, tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<p>kettle", "text/html")}) as site:
        done = capture(tmp_path / "archive", site.url(), "--dump", by_port(server))
    assert done.code == 0, done.err
    (told,) = done.summary["data"]
    assert (told["name"], told["unchanged"]) == ("shop", True)
