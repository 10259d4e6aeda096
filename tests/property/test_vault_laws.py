"""Laws of the vault: whatever suffices brings back exactly what went in, and whatever was altered is found out."""

import io
import os
import random
import tarfile
import tempfile
from collections.abc import Iterable

from hypothesis import assume, given, settings, strategies as st

from webkeep.vault.blocks import (
    BlockSigner,
    ScannedBlock,
    SegmentIdentity,
    can_carry,
    comment_bytes,
    inject_blocks,
    make_comment,
    scan_blocks,
    strip_blocks,
)
from webkeep.vault.coding import BlockLayout, decode_segment, encode_segment
from webkeep.vault.container import (
    EntryKind,
    PackedEntry,
    SealingKey,
    UnsealingKeys,
    decrypt,
    read_tar,
    write_tar,
)

SIGNER = BlockSigner(bytes(range(32)))
KEY = SealingKey.from_passphrase("open sesame", 4)
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=120)
PATHS = st.lists(NAMES.filter(lambda name: name not in (".", "..")), min_size=1, max_size=4).map("/".join)


def spread_and_gather(data: bytes, needed: int, total: int, held: Iterable[int]) -> bytes | None:
    layout = BlockLayout(len(data), needed, total)
    size = layout.block_bytes
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as blocks, tempfile.TemporaryFile() as target:
        source.write(data)
        source.flush()
        encode_segment(source, layout, blocks)

        def read(index: int, start: int, width: int) -> bytes:
            return os.pread(blocks.fileno(), width, index * size + start)

        if not decode_segment(list(held), read, layout, target):
            return None
        target.seek(0)
        return target.read()


@given(st.binary(max_size=5000), st.integers(1, 255), st.integers(1, 255), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_any_r_of_at_most_255_blocks_suffice(data: bytes, one: int, other: int, chance: random.Random) -> None:
    needed, total = sorted((one, other))
    held = chance.sample(range(total), needed)
    assert spread_and_gather(data, needed, total, held) == data


@given(st.binary(max_size=20_000), st.integers(1, 600), st.integers(256, 900), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_above_255_two_blocks_beyond_r_suffice(data: bytes, needed: int, total: int, chance: random.Random) -> None:
    needed = min(needed, total - 2)
    held = chance.sample(range(total), needed + 2)
    assert spread_and_gather(data, needed, total, held) == data


def block_comment(data: bytes, index: int = 1) -> bytes:
    return make_comment(_identity(len(data)), index, data, SIGNER)


def _identity(block_bytes: int) -> SegmentIdentity:
    return SegmentIdentity(
        SIGNER.vault, "app", "20260102T030405Z-0a0b0c0d", "rs-gf256-cauchy", 9, 3, 3 * block_bytes, "ab" * 32, "age"
    )


@given(st.binary(min_size=1, max_size=400), st.integers(0, 8), st.integers(1, 60))
def test_a_block_is_found_however_its_page_is_cut_into_pieces(data: bytes, index: int, width: int) -> None:
    comment = block_comment(data, index)
    page = b"<html>\xff" + comment + b"</html>"
    pieces = (page[start : start + width] for start in range(0, len(page), width))
    (found,) = scan_blocks(pieces)
    assert isinstance(found, ScannedBlock)
    assert (found.header.segment, found.header.index, found.data) == (_identity(len(data)), index, data)
    assert len(comment) == comment_bytes(_identity(len(data)))


@given(st.binary(min_size=1, max_size=100), st.data())
@settings(max_examples=300)
def test_what_is_altered_is_never_taken_for_a_block(data: bytes, chance: st.DataObject) -> None:
    comment = bytearray(block_comment(data))
    place = chance.draw(st.integers(0, len(comment) - 1))
    comment[place] ^= chance.draw(st.integers(1, 255))
    for found in scan_blocks([bytes(comment)]):
        if isinstance(found, ScannedBlock):
            assert (found.header.segment, found.header.index, found.data) == (_identity(len(data)), 1, data)


@given(st.binary(max_size=3000))
@settings(max_examples=300)
def test_whatever_bytes_are_scanned_come_to_an_end(data: bytes) -> None:
    marked = data.replace(b"\0", b"BEGIN_FILE_RECOVERY v2 ").replace(b"\1", b"END_FILE_RECOVERY")
    assert [each for each in scan_blocks([marked]) if isinstance(each, ScannedBlock)] == []


@given(st.binary(max_size=300), st.sampled_from([b"", b"</body>", b"</body></html>", b"</html>\n"]))
def test_a_page_without_its_blocks_is_what_it_was(body: bytes, end: bytes) -> None:
    page = b"<!DOCTYPE html><title>x</title>" + body + end
    assume(can_carry(page) and strip_blocks(page) == page)
    comments = [block_comment(b"abc"), block_comment(b"defg", 2)]
    assert strip_blocks(inject_blocks(page, comments)) == page
    assert strip_blocks(inject_blocks(page, comments, "2026-01-02T03:04:05Z")) == page


ENTRIES = st.dictionaries(
    PATHS,
    st.tuples(st.binary(max_size=1200), st.integers(-(10**18), 8 * 10**18), st.integers(0, 0o777)),
    max_size=6,
)


@given(ENTRIES)
def test_a_container_holds_what_was_packed(packed: dict[str, tuple[bytes, int, int]]) -> None:
    entries = [
        PackedEntry(path, EntryKind.FILE, len(content), modified, mode)
        for path, (content, modified, mode) in packed.items()
    ]
    container = b"".join(write_tar(entries, lambda entry: [packed[entry.path][0]]))
    assert container == b"".join(write_tar(reversed(entries), lambda entry: [packed[entry.path][0]]))
    read = {entry.path: (b"".join(content), entry) for entry, content in read_tar([container])}
    assert read == {entry.path: (packed[entry.path][0], entry) for entry in entries}
    with tarfile.open(fileobj=io.BytesIO(container)) as peer:
        assert {member.name: member.size for member in peer} == {entry.path: entry.size for entry in entries}


@given(st.integers(0, 200_000), st.integers(1, 70_000))
@settings(max_examples=30)
def test_what_is_encrypted_is_decrypted_in_whatever_pieces(size: int, width: int) -> None:
    data = random.Random(size).randbytes(size)
    sealed = b"".join(KEY.encrypt([data[start : start + width] for start in range(0, size, width)]))
    pieces = [sealed[start : start + width] for start in range(0, len(sealed), width)]
    assert b"".join(decrypt(pieces, UnsealingKeys("open sesame"))) == data
