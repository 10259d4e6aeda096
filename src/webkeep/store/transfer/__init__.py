"""Records in and out: WARC, ARC, WACZ, HTTrack mirrors, plain directories."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.transfer.directory_import import (
        FindingListener as FindingListener,
        SiteFile as SiteFile,
        find_site_files as find_site_files,
        import_directory as import_directory,
        parse_base_url as parse_base_url,
    )
    from webkeep.store.transfer.httrack_import import (
        import_httrack as import_httrack,
        is_httrack_mirror as is_httrack_mirror,
        read_httrack_exchanges as read_httrack_exchanges,
    )
    from webkeep.store.transfer.record_import import (
        ImportResult as ImportResult,
        RecordImport as RecordImport,
        find_record_files as find_record_files,
    )
    from webkeep.store.transfer.temporary_archive import (
        build_temporary_archive as build_temporary_archive,
        has_record_files as has_record_files,
        is_record_path as is_record_path,
        list_record_files as list_record_files,
        name_of_records as name_of_records,
        sniff_record_ending as sniff_record_ending,
    )
    from webkeep.store.transfer.wacz_export import (
        add_archive as add_archive,
        count_dumps as count_dumps,
        write_wacz as write_wacz,
    )
    from webkeep.store.transfer.warc_export import WarcExport as WarcExport, write_warc as write_warc
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "directory_import": (
                "FindingListener",
                "SiteFile",
                "find_site_files",
                "import_directory",
                "parse_base_url",
            ),
            "httrack_import": ("import_httrack", "is_httrack_mirror", "read_httrack_exchanges"),
            "record_import": ("ImportResult", "RecordImport", "find_record_files"),
            "temporary_archive": (
                "build_temporary_archive",
                "has_record_files",
                "is_record_path",
                "list_record_files",
                "name_of_records",
                "sniff_record_ending",
            ),
            "wacz_export": ("add_archive", "count_dumps", "write_wacz"),
            "warc_export": ("WarcExport", "write_warc"),
        },
    )
