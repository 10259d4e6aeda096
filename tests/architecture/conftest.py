"""Tests that read the whole package read it once: one worker has them all."""

from collections.abc import Iterator
from pathlib import Path

import package_syntax
import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("architecture"))


@pytest.fixture(scope="package", autouse=True)
def forgotten_syntax() -> Iterator[None]:
    yield
    package_syntax.forget()
