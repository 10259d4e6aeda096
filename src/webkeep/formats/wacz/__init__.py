"""WACZ packages: ZIP files of WARC files, a compressed index, pages and a manifest."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.wacz.page_list import WaczPage as WaczPage
    from webkeep.formats.wacz.wacz_auth import (
        AUTH_VERSION as AUTH_VERSION,
        DIGEST_NAME as DIGEST_NAME,
        MANIFEST_NAME as MANIFEST_NAME,
        STAMP_FOLDER as STAMP_FOLDER,
        SignedData as SignedData,
        decode_base64 as decode_base64,
        read_signed_data as read_signed_data,
        render_digest_file as render_digest_file,
    )
    from webkeep.formats.wacz.wacz_reader import Wacz as Wacz, read_wacz as read_wacz
    from webkeep.formats.wacz.wacz_rewrite import read_wacz_file as read_wacz_file, rewrite_wacz as rewrite_wacz
    from webkeep.formats.wacz.wacz_writer import WaczDescription as WaczDescription, WaczWriter as WaczWriter
    from webkeep.formats.wacz.zip_layout import check_zip_layout as check_zip_layout
    from webkeep.formats.wacz.zip_members import StreamSlice as StreamSlice, ZipMember as ZipMember
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "page_list": ("WaczPage",),
            "wacz_auth": (
                "AUTH_VERSION",
                "DIGEST_NAME",
                "MANIFEST_NAME",
                "STAMP_FOLDER",
                "SignedData",
                "decode_base64",
                "read_signed_data",
                "render_digest_file",
            ),
            "wacz_reader": ("Wacz", "read_wacz"),
            "wacz_rewrite": ("read_wacz_file", "rewrite_wacz"),
            "wacz_writer": ("WaczDescription", "WaczWriter"),
            "zip_layout": ("check_zip_layout",),
            "zip_members": ("StreamSlice", "ZipMember"),
        },
    )
