"""What makes code hard to read stays out: long files, long argument lists, objects completed from outside."""

import pytest
import structure
from package_syntax import modules

import webkeep

BUILT_STEP_BY_STEP = (
    "formats.warc.",
    "store.writing.write_tasks:",
    "fetch.proxy.certificate_authority:",
    "vault.container.tar_writer:",
    "dashboard.recoveries.result_packing:",
    "mirror.output.zip_target:",
)
"""Records while they are read, drafts while they are made; a context and heads of tar, which are Python's own."""
KEYWORD_OPTIONS = {"extract.link_extraction.extract_links", "rewrite.document_rewrite.rewrite_document"}
"""Everything but what they are about is given by keyword."""
MANY_BY_NATURE = {"formats.warc.record.__init__", "store.archive.writable_archive.submit_resource"}
"""Made for each of millions of records; and what programs store files by."""


def public_functions() -> set[str]:
    """What programs call, with every option as a keyword, as editors complete them."""
    offered = {name: getattr(webkeep, name) for name in dir(webkeep) if name[0].islower() and name != "aio"}
    return {f"{each.__module__.removeprefix('webkeep.')}.{name}" for name, each in offered.items()}


@pytest.fixture(scope="module")
def listings() -> dict[str, list[str]]:
    return structure.listings(modules())


def test_a_file_holds_one_idea(listings: dict[str, list[str]]) -> None:
    assert listings["long_files"] == []


def test_long_argument_lists_are_one_value(listings: dict[str, list[str]]) -> None:
    found = {each.partition(":")[0] for each in listings["functions_with_many_parameters"]}
    assert found - KEYWORD_OPTIONS - MANY_BY_NATURE - public_functions() == set()


def test_nothing_is_completed_from_outside(listings: dict[str, list[str]]) -> None:
    found = listings["attributes_set_from_outside"]
    assert [each for each in found if not each.startswith(BUILT_STEP_BY_STEP)] == []


def test_a_class_name_stands_once(listings: dict[str, list[str]]) -> None:
    assert listings["class_names_defined_twice"] == []


def test_no_function_is_called_by_what_was_done(listings: dict[str, list[str]]) -> None:
    """Functions are a verb and its object, or the name of what comes back."""
    assert listings["participle_functions"] == []


def test_numbers_say_why_they_are_and_of_what(listings: dict[str, list[str]]) -> None:
    assert listings["numbers_without_a_reason"] == listings["numbers_without_a_unit"] == []
