"""Keys, certificates and time stamps: whoever signs and whoever has signed; on disk, never on the network."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.signing.certificate_chain import (
        certificate_key as certificate_key,
        find_chain_flaw as find_chain_flaw,
        follow_chain as follow_chain,
        parse_certificates as parse_certificates,
        public_authorities as public_authorities,
        read_authorities as read_authorities,
        render_certificates as render_certificates,
    )
    from webkeep.signing.certificate_identity import open_certificate as open_certificate
    from webkeep.signing.identity_opening import SigningRequest as SigningRequest, open_identity as open_identity
    from webkeep.signing.own_key import (
        KeyPurpose as KeyPurpose,
        default_key_folder as default_key_folder,
        open_own_key as open_own_key,
        own_key_path as own_key_path,
    )
    from webkeep.signing.passphrase import (
        PASSPHRASE_VARIABLE as PASSPHRASE_VARIABLE,
        read_passphrase as read_passphrase,
        read_passphrase_file as read_passphrase_file,
    )
    from webkeep.signing.pkcs11_identity import open_token as open_token
    from webkeep.signing.signing_key import (
        Signer as Signer,
        SigningIdentity as SigningIdentity,
        SigningKey as SigningKey,
        certificate_name as certificate_name,
    )
    from webkeep.signing.time_stamp import (
        MAX_CLOCK_LEAD_SECONDS as MAX_CLOCK_LEAD_SECONDS,
        MAX_STAMP_BYTES as MAX_STAMP_BYTES,
        StampFlaw as StampFlaw,
        StampVerifier as StampVerifier,
        TimeStamp as TimeStamp,
        build_stamp_request as build_stamp_request,
    )
    from webkeep.signing.verifying_key import VerifyingKey as VerifyingKey
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "certificate_chain": (
                "certificate_key",
                "find_chain_flaw",
                "follow_chain",
                "parse_certificates",
                "public_authorities",
                "read_authorities",
                "render_certificates",
            ),
            "certificate_identity": ("open_certificate",),
            "identity_opening": ("SigningRequest", "open_identity"),
            "own_key": (
                "KeyPurpose",
                "default_key_folder",
                "open_own_key",
                "own_key_path",
            ),
            "passphrase": ("PASSPHRASE_VARIABLE", "read_passphrase", "read_passphrase_file"),
            "pkcs11_identity": ("open_token",),
            "signing_key": ("Signer", "SigningIdentity", "SigningKey", "certificate_name"),
            "time_stamp": (
                "MAX_CLOCK_LEAD_SECONDS",
                "MAX_STAMP_BYTES",
                "StampFlaw",
                "StampVerifier",
                "TimeStamp",
                "build_stamp_request",
            ),
            "verifying_key": ("VerifyingKey",),
        },
    )
