"""Bytes to values and back: the standard formats."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.dump_names import (
        DUMP_PREFIX as DUMP_PREFIX,
        DumpPhase as DumpPhase,
        dump_urn as dump_urn,
        is_dump_urn as is_dump_urn,
    )
    from webkeep.formats.flaws import Flaws as Flaws, Strictness as Strictness
    from webkeep.formats.graphml import GraphEdge as GraphEdge, NodeShape as NodeShape, write_graphml as write_graphml
    from webkeep.formats.httrack_mirror import (
        HttrackResponse as HttrackResponse,
        parse_fetch_times as parse_fetch_times,
        parse_run_start as parse_run_start,
        read_httrack_cache as read_httrack_cache,
    )
    from webkeep.formats.json_value import has_twin_keys as has_twin_keys, read_json as read_json
    from webkeep.formats.png_tiles import (
        is_blank as is_blank,
        join_tiles as join_tiles,
        read_size as read_size,
    )
    from webkeep.formats.toml_value import render_toml_text as render_toml_text, render_toml_value as render_toml_value
    from webkeep.formats.zip_writer import ZipWriter as ZipWriter
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "dump_names": ("DUMP_PREFIX", "DumpPhase", "dump_urn", "is_dump_urn"),
            "flaws": ("Flaws", "Strictness"),
            "graphml": ("GraphEdge", "NodeShape", "write_graphml"),
            "httrack_mirror": ("HttrackResponse", "parse_fetch_times", "parse_run_start", "read_httrack_cache"),
            "json_value": ("has_twin_keys", "read_json"),
            "png_tiles": ("is_blank", "join_tiles", "read_size"),
            "toml_value": ("render_toml_text", "render_toml_value"),
            "zip_writer": ("ZipWriter",),
        },
    )
