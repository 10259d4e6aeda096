"""Who may do what: permissions, and the people and programs that have them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.accounts.permission import Permission as Permission
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(__name__, {"permission": ("Permission",)})
