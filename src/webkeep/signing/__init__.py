"""Keys, certificates and time stamps: whoever signs and whoever has signed; on disk, never on the network."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.signing.own_key import (
        KeyPurpose as KeyPurpose,
        default_key_folder as default_key_folder,
        open_own_key as open_own_key,
        own_key_path as own_key_path,
    )
    from webkeep.signing.passphrase import (
        PASSPHRASE_VARIABLE as PASSPHRASE_VARIABLE,
        read_passphrase as read_passphrase,
    )
    from webkeep.signing.signing_key import (
        Signer as Signer,
        SigningIdentity as SigningIdentity,
        SigningKey as SigningKey,
        sign_as_browsers as sign_as_browsers,
    )
    from webkeep.signing.verifying_key import VerifyingKey as VerifyingKey
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "own_key": ("KeyPurpose", "default_key_folder", "open_own_key", "own_key_path"),
            "passphrase": ("PASSPHRASE_VARIABLE", "read_passphrase"),
            "signing_key": ("Signer", "SigningIdentity", "SigningKey", "sign_as_browsers"),
            "verifying_key": ("VerifyingKey",),
        },
    )
