"""A verdict in words, for people who have never seen a signature."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.evidence.verification.verdict import (
    SIGNATURE_PLACE,
    CoherenceJudgement,
    LogJudgement,
    PackageVerdict,
    SignatureJudgement,
    StampJudgement,
)
from webkeep.presentation import format_count, format_duration, format_instant, format_size

_MAX_URL_CHARS = 300
"""Longer addresses are cut where they stand in a sentence."""


def describe_verdict(verdict: PackageVerdict) -> Iterator[str]:
    """What is known of a package, a sentence to a line."""
    yield _describe_wholeness(verdict)
    if not verdict.is_readable:
        yield "Who signed it, and since when it is there, is not known: it cannot be read."
        return
    if verdict.has_unread_signature:
        yield "A signature is in it that cannot be checked, so that nobody is known to have signed it."
    else:
        yield _describe_signature(verdict.signature)
    yield _describe_time(verdict)
    yield from map(_describe_stamp, verdict.stamps)
    yield from map(_describe_coherence, verdict.coherence)
    if verdict.clock is not None:
        yield f"Clock: {verdict.clock.describe('the maker')}."
    if verdict.log is not None:
        yield _describe_log(verdict.log)
    yield from (f"Not proven: {sentence}" for sentence in verdict.missing)


def _describe_wholeness(verdict: PackageVerdict) -> str:
    files, records = format_count(verdict.files, "file"), format_count(verdict.records, "record")
    size = f"{files}, {records}, {format_size(verdict.bytes)}"
    if verdict.is_sound:
        signed = "every byte is as it was signed" if verdict.signature else "as far as digests tell that nobody signed"
        return f"Whole: {signed} ({size})."
    return f"NOT SOUND: {format_count(len(verdict.findings), 'check')} failed ({size})."


def _describe_signature(signature: SignatureJudgement | None) -> str:
    if signature is None:
        return "Signed by nobody."
    if not signature.is_valid:
        return f"The signature is WRONG; it is said to be by the key {signature.fingerprint}."
    if not signature.name:
        whose = "the key that was asked for" if signature.is_expected else "a key of one's own, which names nobody"
        return f"Signed by {whose}: {signature.fingerprint}."
    if not signature.is_trusted:
        return f"Signed by the key {signature.fingerprint}; that it is that of {signature.name!r} is not proven here."
    return f"Signed by {signature.name!r}, as {signature.issuer} certifies; key {signature.fingerprint}."


def _describe_time(verdict: PackageVerdict) -> str:
    if verdict.since is not None:
        return f"There since {format_instant(verdict.since)} UTC at the latest."
    created = verdict.signature.created if verdict.signature else None
    if created is None:
        return "Since when it is there is not known."
    return f"Since when it is there is not proven; whoever made it says {format_instant(created)} UTC."


def _describe_stamp(each: StampJudgement) -> str:
    what = "Its signature was stamped" if each.place == SIGNATURE_PLACE else "Stamped"
    said = f"{what} by {each.stamp.authority!r} at {format_instant(each.stamp.moment)} UTC"
    if each.gap_seconds is None:
        return f"{said}."
    if each.gap_seconds < 0:
        ahead = format_duration(-each.gap_seconds)
        return f"{said}, {ahead} before the time of signing that it states: the clock it was made by was ahead."
    return f"{said}, {format_duration(each.gap_seconds)} after the time of signing that it states."


def _describe_log(log: LogJudgement) -> str:
    signed = "signed by the key that the package names" if log.is_signed else "signed by nobody who is known"
    signed = "signed by the key that was asked for" if log.is_expected else signed
    kept = "; it is the log of the checkpoint that was kept elsewhere" if log.is_kept else ""
    return f"{format_count(log.included, 'record')} in the log {log.origin} of {log.size:,} entries, {signed}{kept}."


def _describe_coherence(each: CoherenceJudgement) -> str:
    told = f"Coherence, recomputed from the records: {each.headline}"
    if each.single:
        parts = format_count(each.single, "part")
        told += f" Besides, {parts} came in answer to what a page sent, or over WebSockets: nothing is proven of them."
    lost = (*each.lost, *each.lost_pieces)
    if lost:
        more = f", and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        told += f" Not to be had: {lost[0].url[:_MAX_URL_CHARS]} ({lost[0].reason}){more}."
    return told
