"""Findings: flaws that a check met, each with a stable code, its place (file and byte) and what it means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One flaw: what kind, in which file, at which byte, and what it means."""

    code: str
    source: str
    offset: int
    message: str

    def __str__(self) -> str:
        return f"{self.source}, byte {self.offset}: {self.message} [{self.code}]"
