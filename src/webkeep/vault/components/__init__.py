"""Components: what is protected, which files of it, and dumps of databases."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.components.component import (
        Component as Component,
        DumpComponent as DumpComponent,
        PathComponent as PathComponent,
        parse_component as parse_component,
        parse_dump as parse_dump,
    )
    from webkeep.vault.components.selection import (
        SelectionPolicy as SelectionPolicy,
        SelectionRules as SelectionRules,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "component": (
                "Component",
                "DumpComponent",
                "PathComponent",
                "parse_component",
                "parse_dump",
            ),
            "selection": (
                "SelectionPolicy",
                "SelectionRules",
            ),
        },
    )
