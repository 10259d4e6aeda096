"""Packages sealed: signed, and dated by time-stamping authorities."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.evidence.sealing.package_signing import sign_package as sign_package
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(__name__, {"package_signing": ("sign_package",)})
