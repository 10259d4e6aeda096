"""Packages sealed: signed, and dated by time-stamping authorities."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.evidence.sealing.authority_client import (
        AuthorityClient as AuthorityClient,
        StampAnswer as StampAnswer,
        StampFailure as StampFailure,
        name_authority as name_authority,
    )
    from webkeep.evidence.sealing.folder_copies import (
        PACKAGE_NAME as PACKAGE_NAME,
        SUMS_NAME as SUMS_NAME,
        digest_file as digest_file,
        lay_seals_beside as lay_seals_beside,
        write_sums as write_sums,
    )
    from webkeep.evidence.sealing.package_signing import (
        SignatureStamper as SignatureStamper,
        sign_package as sign_package,
    )
    from webkeep.evidence.sealing.package_stamping import (
        StampingResult as StampingResult,
        put_in_package as put_in_package,
        read_stamp_files as read_stamp_files,
        signature_stamper as signature_stamper,
        stamp_package as stamp_package,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "authority_client": ("AuthorityClient", "StampAnswer", "StampFailure", "name_authority"),
            "folder_copies": ("PACKAGE_NAME", "SUMS_NAME", "digest_file", "lay_seals_beside", "write_sums"),
            "package_signing": ("SignatureStamper", "sign_package"),
            "package_stamping": (
                "StampingResult",
                "put_in_package",
                "read_stamp_files",
                "signature_stamper",
                "stamp_package",
            ),
        },
    )
