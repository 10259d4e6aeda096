"""How much a page grows by a block, and how large a block fits into the room a page has; the same bytes as injected."""

from __future__ import annotations

from webkeep.vault.blocks.block_header import AGE_CIPHER, NO_CIPHER
from webkeep.vault.coding.segment_coding import block_bytes_of
from webkeep.vault.protection.plan_rule import planned_comment_bytes
from webkeep.vault.vault_plan import MAX_SEGMENT_BLOCKS, SegmentPlan

_LONGEST_NAME = "a" * 64
"""As long as the name of a segment can be."""


def added_bytes(segment: SegmentPlan, is_encrypted: bool = True) -> int:
    """By how many bytes a page grows that carries a block of a segment."""
    cipher = AGE_CIPHER if is_encrypted else NO_CIPHER
    return planned_comment_bytes(segment.name, segment.sealed_bytes, segment.needed, segment.total, cipher)


def written_block_bytes(segment: SegmentPlan) -> int:
    """How large each block of a segment really becomes: codes fill up what they cut."""
    return block_bytes_of(segment.sealed_bytes, segment.needed, segment.total)


def block_room(text_bytes: int) -> int:
    """How large a block is that fits into so many bytes of a page, whatever its segment is called."""
    # Base64 and its ends of lines take 4/3 of 77/76 of a block, so that the guess is a few bytes off.
    guess = max(text_bytes - _longest_comment(0), 0) * 3 * 76 // (4 * 77)
    while guess and _longest_comment(guess) > text_bytes:
        guess -= 1
    while _longest_comment(guess + 1) <= text_bytes:
        guess += 1
    return guess


def _longest_comment(block_bytes: int) -> int:
    most = MAX_SEGMENT_BLOCKS
    return planned_comment_bytes(_LONGEST_NAME, block_bytes * most, most, most, AGE_CIPHER)
