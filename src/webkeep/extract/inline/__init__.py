"""Links of formats that also stand within pages: style sheets, scripts, JSON, import maps, plain text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.extract.inline.css_links import style_references as style_references
    from webkeep.extract.inline.import_map import (
        find_bare_imports as find_bare_imports,
        resolve_bare_import as resolve_bare_import,
    )
    from webkeep.extract.inline.json_links import (
        JSON_FEED_MEMBERS as JSON_FEED_MEMBERS,
        LINKED_DATA_MEMBERS as LINKED_DATA_MEMBERS,
        MANIFEST_MEMBERS as MANIFEST_MEMBERS,
        import_map_references as import_map_references,
        json_references as json_references,
        member_references as member_references,
        speculation_references as speculation_references,
    )
    from webkeep.extract.inline.page_scripting import PageScripting as PageScripting, find_scripting as find_scripting
    from webkeep.extract.inline.script_links import script_references as script_references
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "css_links": ("style_references",),
            "import_map": ("find_bare_imports", "resolve_bare_import"),
            "json_links": (
                "JSON_FEED_MEMBERS",
                "LINKED_DATA_MEMBERS",
                "MANIFEST_MEMBERS",
                "import_map_references",
                "json_references",
                "member_references",
                "speculation_references",
            ),
            "page_scripting": ("PageScripting", "find_scripting"),
            "script_links": ("script_references",),
        },
    )
