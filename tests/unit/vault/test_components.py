import pytest

from webkeep.errors import UsageError
from webkeep.process import DumpKind
from webkeep.vault.components import parse_component, parse_dump


@pytest.mark.parametrize("text", ["", "x=", "echo no name"])
def test_what_names_nothing_to_dump_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="name"):
        parse_dump(DumpKind.COMMAND, text)


def test_a_database_is_called_by_its_address() -> None:
    assert parse_dump(DumpKind.POSTGRESQL, "postgresql://localhost/db?a=b").name == "db"
    assert parse_dump(DumpKind.POSTGRESQL, "shop=postgresql://localhost/db").what == "postgresql://localhost/db"
    assert parse_dump(DumpKind.MYSQL, "mysql://root@/shop?socket=/run/mysqld/mysqld.sock").name == "shop"
    assert parse_dump(DumpKind.SQLITE, "/srv/shop.db").name == "shop"


@pytest.mark.parametrize(
    ("text", "name"), [("/srv/my app--1", "my_app-1"), ("code=/srv/x", "code"), ("/srv/a=b/c", "c")]
)
def test_components_are_called_by_their_last_name(text: str, name: str) -> None:
    assert parse_component(text).name == name
