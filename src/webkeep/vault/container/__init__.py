"""Containers: files packed into one stream that comes out the same each time, compressed and encrypted."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.container.age_encryption import (
        SealingKey as SealingKey,
        UnsealingKeys as UnsealingKeys,
        decrypt as decrypt,
    )
    from webkeep.vault.container.age_keys import (
        new_identity as new_identity,
        parse_recipient as parse_recipient,
        read_identities as read_identities,
    )
    from webkeep.vault.container.packed_entry import (
        EntryKind as EntryKind,
        PackedEntry as PackedEntry,
    )
    from webkeep.vault.container.sealing import (
        seal as seal,
        unseal as unseal,
    )
    from webkeep.vault.container.tar_reader import (
        read_tar as read_tar,
    )
    from webkeep.vault.container.tar_writer import (
        write_tar as write_tar,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "age_encryption": (
                "SealingKey",
                "UnsealingKeys",
                "decrypt",
            ),
            "age_keys": (
                "new_identity",
                "parse_recipient",
                "read_identities",
            ),
            "packed_entry": (
                "EntryKind",
                "PackedEntry",
            ),
            "sealing": (
                "seal",
                "unseal",
            ),
            "tar_reader": ("read_tar",),
            "tar_writer": ("write_tar",),
        },
    )
