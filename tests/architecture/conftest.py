"""Tests that read the whole package read it once: one worker has them all."""

from collections.abc import Iterator

import package_syntax
import pytest


@pytest.fixture(scope="package", autouse=True)
def forgotten_syntax() -> Iterator[None]:
    yield
    package_syntax.forget()
