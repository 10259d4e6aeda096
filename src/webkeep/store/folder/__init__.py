"""The archive as a folder: where things lie in it, who may write, what takes whose place, what is derived."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.folder.file_body import FileBody as FileBody
    from webkeep.store.folder.layout import (
        ArchiveDescription as ArchiveDescription,
        ArchiveLayout as ArchiveLayout,
        describe_archive as describe_archive,
        is_archive as is_archive,
        replace_file_durably as replace_file_durably,
        sync_directory as sync_directory,
        write_error as write_error,
    )
    from webkeep.store.folder.replacement_journal import UNFINISHED_SUFFIX as UNFINISHED_SUFFIX
    from webkeep.store.folder.sqlite_errors import sqlite_error as sqlite_error
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "file_body": ("FileBody",),
            "layout": (
                "ArchiveDescription",
                "ArchiveLayout",
                "describe_archive",
                "is_archive",
                "replace_file_durably",
                "sync_directory",
                "write_error",
            ),
            "replacement_journal": ("UNFINISHED_SUFFIX",),
            "sqlite_errors": ("sqlite_error",),
        },
    )
