"""WARC and ARC records: read whatever is broken in their files, and written as gzip members."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.warc.arc_reader import ArcReader as ArcReader
    from webkeep.formats.warc.gzip_member import read_stored_from as read_stored_from
    from webkeep.formats.warc.record import (
        IDENTICAL_PAYLOAD_PROFILE as IDENTICAL_PAYLOAD_PROFILE,
        NOT_MODIFIED_PROFILE as NOT_MODIFIED_PROFILE,
        WarcRecord as WarcRecord,
    )
    from webkeep.formats.warc.record_hash import (
        combine_record_hash as combine_record_hash,
        hash_record as hash_record,
        tap_record_hash as tap_record_hash,
    )
    from webkeep.formats.warc.record_reader import RecordReader as RecordReader
    from webkeep.formats.warc.segments import GZIP_MAGIC as GZIP_MAGIC, IsalError as IsalError
    from webkeep.formats.warc.warc_reader import WarcReader as WarcReader, parse_named_fields as parse_named_fields
    from webkeep.formats.warc.warc_writer import (
        build_member as build_member,
        build_record_head as build_record_head,
        clean_field as clean_field,
        clean_target_uri as clean_target_uri,
        stream_member as stream_member,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "arc_reader": ("ArcReader",),
            "gzip_member": ("read_stored_from",),
            "record": ("IDENTICAL_PAYLOAD_PROFILE", "NOT_MODIFIED_PROFILE", "WarcRecord"),
            "record_hash": ("combine_record_hash", "hash_record", "tap_record_hash"),
            "record_reader": ("RecordReader",),
            "segments": ("GZIP_MAGIC", "IsalError"),
            "warc_reader": ("WarcReader", "parse_named_fields"),
            "warc_writer": ("build_member", "build_record_head", "clean_field", "clean_target_uri", "stream_member"),
        },
    )
