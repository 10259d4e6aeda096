"""The log of an archive as it is served: a monitor that knows nothing but the published form rebuilds its tree."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from logged_archives import logged_entries, plain_root, store
from serve_calls import Client, archive_of, page, served

from webkeep.formats.transparency import (
    ENTRIES_LEVEL,
    Checkpoint,
    hash_leaf,
    list_tiles,
    parse_checkpoint,
    parse_entry_bundle,
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serve") / "archive"
    store(path, *map(str, range(280)))
    return path


@pytest.fixture(scope="module")
def client(archive: Path) -> Iterator[Client]:
    with served(archive) as client:
        yield client


def monitor(client: Client, prefix: str) -> tuple[Checkpoint, list[bytes]]:
    """Fetch the checkpoint and everything below it; leaves and entries must agree, and give the root."""
    reply = client.ask(f"{prefix}/checkpoint")
    assert (reply.status, reply.get("content-type")) == (200, "text/plain; charset=utf-8")
    checkpoint, _ = parse_checkpoint(reply.body)
    levels: dict[int, bytes] = {}
    entries: list[bytes] = []
    for tile in list_tiles(checkpoint.size):
        found = client.ask(f"{prefix}/{tile.path}")
        assert (found.status, found.get("content-type")) == (200, "application/octet-stream")
        assert "immutable" in found.get("cache-control")
        if tile.level == ENTRIES_LEVEL:
            entries += parse_entry_bundle(found.body)
        else:
            levels[tile.level] = levels.get(tile.level, b"") + found.body
    assert levels[0] == b"".join(map(hash_leaf, entries))
    full = [entries[at : at + 256] for at in range(0, len(entries) - len(entries) % 256, 256)]
    assert levels.get(1, b"") == b"".join(map(plain_root, full))
    assert checkpoint.root == plain_root(entries)
    return checkpoint, entries


def test_a_monitor_finds_the_tree_and_follows_it_while_the_archive_grows(archive: Path, client: Client) -> None:
    names = client.ask("/log/").body.decode().splitlines()
    assert len(names) == 1
    prefix = names[0].removesuffix("/checkpoint")
    checkpoint, entries = monitor(client, prefix)
    assert checkpoint.size > 512
    assert entries == logged_entries(archive)[: checkpoint.size]
    store(archive, *(f"more {number}" for number in range(130)))
    later, grown = monitor(client, prefix)
    assert later.size > 768
    assert grown[: checkpoint.size] == entries


def test_what_the_log_does_not_have_is_not_found(client: Client) -> None:
    prefix = client.ask("/log/").body.decode().splitlines()[0].removesuffix("/checkpoint")
    size = parse_checkpoint(client.ask(f"{prefix}/checkpoint").body)[0].size
    beyond = [tile.path for tile in list_tiles(size + 1) if tile.level < 1]
    for path in ("tile/0/999", "tile/7/000", "tile/0/nonsense", "..", "checkpoint/", *beyond[-1:]):
        assert client.ask(f"{prefix}/{path}").status == 404
    assert client.ask("/log/another/checkpoint").status == 404
    assert client.ask(f"{prefix}/checkpoint", method="POST").status == 405


def test_an_archive_without_a_log_offers_none(tmp_path: Path) -> None:
    with served(archive_of(tmp_path / "a", page("http://example.org/", "20240101", "x"))) as client:
        assert client.ask("/log/").status == 404
