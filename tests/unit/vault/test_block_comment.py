"""Blocks as comments that later versions of this program, or others, wrote."""

import pytest

from webkeep.vault.blocks import (
    BlockSigner,
    ScannedBlock,
    SegmentIdentity,
    UnusableBlock,
    make_comment,
    scan_blocks,
)

SIGNER = BlockSigner(bytes(32))
SEGMENT = SegmentIdentity(
    SIGNER.vault, "app", "20260102T030405Z-0a0b0c0d", "rs-gf256-cauchy", 3, 1, 5, "ab" * 32, "none"
)
COMMENT = make_comment(SEGMENT, 1, b"block", SIGNER)


@pytest.mark.parametrize(
    "field", ["colour: blue", "made: 2031-01-02T03:04:05Z", "see: https://a.example/x:y", "x-1: 1"]
)
@pytest.mark.parametrize("before", ["by: ", "n: ", "sha256-block: ", "data:"])
def test_fields_that_are_not_known_are_passed_over(field: str, before: str) -> None:
    changed = COMMENT.replace(f"\n{before}".encode(), f"\n{field}\n{before}".encode(), 1)
    assert changed != COMMENT
    (found,) = scan_blocks([changed])
    assert isinstance(found, ScannedBlock)
    assert (found.header.segment, found.data) == (SEGMENT, b"block")


@pytest.mark.parametrize("reference", [b"&#" + b"1" * 5000 + b";", b"&#x" + b"f" * 5000, b"&" + b"a" * 5000])
def test_a_character_that_cannot_be_is_damage(reference: bytes) -> None:
    (found,) = scan_blocks([COMMENT.replace(b"data:\n", b"data:\n" + reference)])
    assert found == UnusableBlock("cut off")


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-be", "utf-16-le", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("before", ["", "\n\n<p>\N{EM DASH}</p>"])
def test_a_block_is_read_in_wide_characters(charset: str, before: str) -> None:
    (found,) = scan_blocks([(before + COMMENT.decode()).encode(charset)])
    assert isinstance(found, ScannedBlock)
    assert found.data == b"block"


def test_a_field_without_a_value_takes_no_other_one() -> None:
    (found,) = scan_blocks([COMMENT.replace(b"\ndata:", b"\nempty:\ndata:", 1)])
    assert not isinstance(found, ScannedBlock)
