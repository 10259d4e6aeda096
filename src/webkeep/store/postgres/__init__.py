"""What all have in common that keep something in PostgreSQL: how its address may be given, and how its errors read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.postgres.postgres_address import (
        check_database_address as check_database_address,
        connect_to_database as connect_to_database,
        first_line as first_line,
        is_database_address as is_database_address,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {"postgres_address": ("check_database_address", "connect_to_database", "first_line", "is_database_address")},
    )
