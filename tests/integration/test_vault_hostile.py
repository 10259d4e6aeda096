"""Blocks and segments made to do harm, properly signed by whoever made them: nothing but a finding comes of them."""

import hashlib
import io
import resource
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
import zstandard
from warc_material import SITE, response, sha1, webkeep

from webkeep.errors import FormatError, UsageError
from webkeep.formats.codings import ExpansionLimit
from webkeep.vault.blocks import AGE_CIPHER, NO_CIPHER, BlockSigner, SegmentIdentity, make_comment
from webkeep.vault.container import SealingKey, UnsealingKeys, decrypt, sealing
from webkeep.vault.recovery import BlockCollection, block_collection, recover_vault

SIGNER = BlockSigner(bytes(range(32)))
VERSION = "20260102T030405Z-0a0b0c0d"


def one_block(sealed: bytes, cipher: str = NO_CIPHER, name: str = "app", digest: str = "") -> bytes:
    """A page with a segment of one block."""
    identity = SegmentIdentity(
        SIGNER.vault,
        name,
        VERSION,
        "rs-gf256-cauchy",
        1,
        1,
        len(sealed),
        digest or hashlib.sha256(sealed).hexdigest(),
        cipher,
    )
    return b"<!doctype html>" + make_comment(identity, 0, sealed, SIGNER)


def recover_page(page: bytes, into: Path, keys: UnsealingKeys | None = None) -> object:
    with BlockCollection() as collection:
        collection.add_page("page", [page])
        return recover_vault(collection, keys or UnsealingKeys(), into)


def tar_with(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        tar.addfile(info)
    return packed.getvalue()


def test_where_no_block_can_be_used_it_is_said_that_there_are_some_and_what_is_wrong(tmp_path: Path) -> None:
    page = one_block(bytes(1000))
    with BlockCollection() as collection:
        for broken in (page.replace(b"AAAA", b"BBBB"), page.replace(b"AAAA", b"CCCC"), page[:-200]):
            collection.add_page("page", [broken])
        with pytest.raises(UsageError, match=r"^3 blocks found, but none can be used \(2 altered; 1 cut off\)"):
            recover_vault(collection, UnsealingKeys(), tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_bomb_is_left_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "PACKED_FILE_LIMIT", ExpansionLimit(1 << 20, 10, 8 << 20))
    bomb = zstandard.ZstdCompressor().compress(tar_with("app") + bytes(64 << 20))
    recovered = recover_page(one_block(bomb), tmp_path / "back")
    (segment,) = recovered.segments
    assert not segment.is_recovered
    assert "unpacks to more than" in segment.problem
    assert list((tmp_path / "back").iterdir()) == []


def test_a_window_of_gigabytes_is_not_opened(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters(window_log=30))
    stream = compressor.compressobj()
    recovered = recover_page(one_block(stream.compress(bytes(100_000)) + stream.flush()), tmp_path / "back")
    assert not recovered.segments[0].is_recovered


@pytest.mark.parametrize("name", ["../outside", "/tmp/webkeep-outside", "app/../../outside"])
def test_nothing_leaves_its_folder(tmp_path: Path, name: str) -> None:
    page = tmp_path / "pages" / "page.html"
    page.parent.mkdir()
    page.write_bytes(one_block(zstandard.compress(tar_with(name))))
    done = webkeep("vault", "recover", page.parent, "--into", tmp_path / "into" / "back")
    assert done.code == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["into", "pages"]
    assert list((tmp_path / "into").iterdir()) == [tmp_path / "into/back"]
    assert not Path("/tmp/webkeep-outside").exists()


def test_what_decodes_to_something_else_is_not_restored(tmp_path: Path) -> None:
    recovered = recover_page(one_block(zstandard.compress(tar_with("app")), digest="ab" * 32), tmp_path / "back")
    assert not recovered.segments[0].is_recovered
    assert "digest" in recovered.segments[0].problem


@pytest.mark.parametrize("factor", [b"30", b"0018000", b"00018", b"0", b"-1"])
def test_a_passphrase_is_not_stretched_beyond_measure(factor: bytes) -> None:
    sealed = b"".join(SealingKey.from_passphrase("x", 1).encrypt([b"text"]))
    with pytest.raises(FormatError, match="stretched"):
        list(decrypt([sealed.replace(b" 1\n", b" " + factor + b"\n", 1)], UnsealingKeys("x")))


def test_a_small_vault_that_is_whole_does_not_pass_for_a_larger_one(tmp_path: Path) -> None:
    owner = BlockSigner(bytes(32))
    lacking = SegmentIdentity(owner.vault, "app", VERSION, "rs-gf256-cauchy", 5, 4, 16, "ab" * 32, NO_CIPHER)
    page = b"".join(make_comment(lacking, index, bytes(4), owner) for index in range(3))
    with pytest.raises(UsageError, match="blocks of 2 vaults"):
        recover_page(page + one_block(zstandard.compress(tar_with("app"))), tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_manifest_that_is_a_directory_is_none(tmp_path: Path) -> None:
    manifest = one_block(zstandard.compress(tar_with("manifest.json", tarfile.DIRTYPE)), name="manifest")
    page = manifest + one_block(zstandard.compress(tar_with("app")))
    recovered = recover_page(page, tmp_path / "back")
    assert recovered.manifest is None
    assert (tmp_path / "back/app").is_file()


def test_segments_that_hold_the_same_name_do_not_mix(tmp_path: Path) -> None:
    first = one_block(zstandard.compress(tar_with("b", tarfile.SYMTYPE, "nothing")), name="one")
    second = one_block(zstandard.compress(tar_with("b", tarfile.DIRTYPE)), name="two")
    recovered = recover_page(first + second, tmp_path / "back")
    assert [each.is_recovered for each in recovered.segments] == [True, False]
    assert "two segments hold" in recovered.segments[1].problem
    assert (tmp_path / "back/b").is_symlink()


def test_damage_is_no_wrong_passphrase(tmp_path: Path) -> None:
    sealed = b"".join(SealingKey.from_passphrase("x", 1).encrypt([zstandard.compress(tar_with("app"))]))
    damaged = sealed[:-1] + bytes([sealed[-1] ^ 1])
    recovered = recover_page(one_block(damaged, AGE_CIPHER), tmp_path / "back", UnsealingKeys("x"))
    assert recovered.segments[0].problem == "what is encrypted is damaged"
    with pytest.raises(UsageError, match="passphrase is wrong"):
        recover_page(one_block(sealed, AGE_CIPHER), tmp_path / "other", UnsealingKeys("y"))


def test_claims_of_a_huge_segment_cost_nothing(tmp_path: Path) -> None:
    identity = SegmentIdentity(
        SIGNER.vault, "app", VERSION, "raptorq-rfc6330", 60_000, 50_000, 50_000 * 8, "ab" * 32, NO_CIPHER
    )
    page = b"".join(make_comment(identity, index, bytes(8), SIGNER) for index in range(50))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    recovered = recover_page(page, tmp_path / "back")
    assert recovered.segments[0].short_by == 50_000 - 50
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_versions_without_end_are_held_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_collection, "MAX_VERSIONS", 5)
    with BlockCollection() as collection:
        for number in range(9):
            collection.add_page(f"page {number}", [one_block(b"text", name=f"segment{number}")])
        assert len(collection.versions) == 5
        assert collection.unusable == {"too many versions": 4}


def version_block(day: int, signer: BlockSigner = SIGNER, name: str = "app") -> bytes:
    sealed = zstandard.compress(tar_with(f"{name}{day}"))
    digest = hashlib.sha256(sealed).hexdigest()
    version = f"202601{day:02d}T030405Z-0a0b0c0d"
    identity = SegmentIdentity(signer.vault, name, version, "rs-gf256-cauchy", 1, 1, len(sealed), digest, NO_CIPHER)
    return b"<!doctype html>" + make_comment(identity, 0, sealed, signer)


@pytest.mark.parametrize("bound", ["MAX_VERSIONS", "MAX_BLOCKS"])
@pytest.mark.parametrize("days", [range(1, 10), range(9, 0, -1), (5, 9, 1, 2, 8, 3, 7, 4, 6)])
def test_of_versions_without_end_the_newest_stay(
    monkeypatch: pytest.MonkeyPatch, bound: str, days: Iterable[int]
) -> None:
    monkeypatch.setattr(block_collection, bound, 3)
    with BlockCollection() as collection:
        for day in days:
            collection.add_page("page", [version_block(day)])
        assert sorted(each.version[6:8] for each in collection.versions) == ["07", "08", "09"]
        assert collection.unusable.total() == 6


def test_foreign_versions_do_not_crowd_out_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_collection, "MAX_VERSIONS", 5)
    (tmp_path / "pages").mkdir()
    for number in range(1, 29):
        foreign = version_block(number, BlockSigner(bytes([number]) * 32), "foreign")
        (tmp_path / f"pages/a{number:02d}.html").write_bytes(foreign)
    (tmp_path / "pages/z.html").write_bytes(version_block(1) + version_block(2))
    refused = webkeep("vault", "recover", tmp_path / "pages", "--into", tmp_path / "back")
    assert refused.code == 2
    assert f"blocks of 29 vaults; choose one by --vault: {SIGNER.vault} (2 blocks)" in refused.err
    done = webkeep("vault", "recover", tmp_path / "pages", "--into", tmp_path / "back", "--vault", SIGNER.vault)
    assert done.code == 0
    assert (tmp_path / "back/app2").exists()
    assert done.summary["foreign"] == 28
    assert done.summary["unusable"] == {}


def test_marks_without_end_take_no_more_than_their_length() -> None:
    def endless(size: int) -> Iterable[bytes]:
        return [b"<!--! BEGIN_FILE_RECOVERY v2\n" * 2000] * size

    with BlockCollection() as collection:
        assert collection.add_page("page", endless(10)) == 0
        assert collection.unusable == {"cut off": 20_000}


def test_a_source_that_is_a_link_out_is_not_followed(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as elsewhere:
        (Path(elsewhere) / "page.html").write_bytes(one_block(zstandard.compress(tar_with("app"))))
        (tmp_path / "pages").mkdir()
        (tmp_path / "pages/link.html").symlink_to(Path(elsewhere) / "page.html")
        assert webkeep("vault", "recover", tmp_path / "pages", "--into", tmp_path / "back").code == 2


def test_a_record_that_claims_the_digest_of_another_hides_it_from_nobody(tmp_path: Path) -> None:
    page = one_block(zstandard.compress(tar_with("app/file")))
    records = [response(1, f"{SITE}a", b"<p>other", WARC_Payload_Digest=sha1(page)), response(2, f"{SITE}b", page)]
    (tmp_path / "both.warc").write_bytes(b"".join(records))
    assert webkeep("vault", "recover", tmp_path / "both.warc", "--into", tmp_path / "back").code == 0
    assert (tmp_path / "back/app/file").is_file()
