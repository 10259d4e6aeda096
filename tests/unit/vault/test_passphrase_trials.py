"""A passphrase is stretched once for each header that it is tried on, and not on headers without end."""

import pytest

from webkeep.errors import FormatError, UsageError
from webkeep.vault.container import SealingKey, UnsealingKeys, age_encryption, decrypt


@pytest.fixture
def stretched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Passphrases that were stretched."""
    tried: list[str] = []
    real = age_encryption._stretch

    def stretch(passphrase: str, salt: bytes, factor: int) -> bytes:
        tried.append(passphrase)
        return real(passphrase, salt, factor)

    monkeypatch.setattr(age_encryption, "_stretch", stretch)
    return tried


def seal(key: SealingKey) -> bytes:
    return b"".join(key.encrypt([b"text"]))


def test_a_wrong_passphrase_is_tried_once_for_all_versions(stretched: list[str]) -> None:
    key = SealingKey.from_passphrase("right", 4)
    keys = UnsealingKeys("wrong")
    for _ in range(20):
        with pytest.raises(UsageError, match="the passphrase is wrong"):
            list(decrypt([seal(key)], keys))
    assert stretched == ["right", "wrong"]


def test_headers_without_end_are_tried_up_to_a_bound(stretched: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(age_encryption, "_MAX_STRETCHES", 5)
    sealed = [seal(SealingKey.from_passphrase("right", 4)) for _ in range(9)]
    stretched.clear()
    keys = UnsealingKeys("wrong")
    for each in sealed[:5]:
        with pytest.raises(UsageError):
            list(decrypt([each], keys))
    for each in sealed[5:]:
        with pytest.raises(FormatError, match="tried on 5 others"):
            list(decrypt([each], keys))
    assert len(stretched) == 5
