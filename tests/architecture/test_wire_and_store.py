"""One of each thing: what is decided in one place is not decided by hand in another."""

import ast
import re

import pytest
from package_syntax import files, strings_of


def names_status(node: ast.AST) -> bool:
    return any(
        "status" in (each.id if isinstance(each, ast.Name) else each.attr).lower()
        for each in ast.walk(node)
        if isinstance(each, ast.Name | ast.Attribute)
    )


def has_status_number(node: ast.AST) -> bool:
    numbers = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and type(each.value) is int)
    return any(100 <= number < 1000 for number in numbers)


def places_of(pattern: str, allowed: set[str]) -> list[str]:
    """Where a pattern stands in a string of the code, outside what is allowed to have it."""
    found = re.compile(pattern)
    return [
        f"{name}:{line}"
        for name, module in files().items()
        if not any(name.startswith(each) for each in allowed)
        for line, text in strings_of(module)
        if found.search(text.lower())
    ]


def test_statuses_are_told_apart_in_formats_status() -> None:
    """`is_redirection(status)`, `status in GONE_STATUSES`, `status == NOT_MODIFIED`: no number is compared."""
    by_hand = [
        f"{name}:{node.lineno}"
        for name, module in files().items()
        if not name.startswith("formats/status/")
        for node in module.nodes
        if isinstance(node, ast.Compare) and names_status(node) and has_status_number(node)
    ]
    assert by_hand == []


def test_status_lines_are_read_and_made_in_formats() -> None:
    """The place of the digits depends on the version; what is made says what RFC 9110 says."""
    imports = [
        name
        for name, module in files().items()
        if name != "formats/status/status_line.py"
        for node in module.nodes
        if isinstance(node, ast.ImportFrom) and any(each.name == "HTTPStatus" for each in node.names)
    ]
    assert imports == []
    divided = [
        f"{name}:{node.lineno}"
        for name, module in files().items()
        for node in module.nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and names_status(node.left)
    ]
    assert divided == []


@pytest.mark.parametrize(
    ("pattern", "home"),
    [
        (r"bytes\\s|bytes=\(|bytes \*/", {"formats/http/byte_ranges.py"}),
        # The proxy of replay only names it, among the fields that pass.
        (
            r"^retry-after$",
            {
                "dashboard/access/login_pages.py",
                "formats/http/field_values.py",
                "recover/repositories/repository_transport.py",
                "replay/endpoints/basic_auth.py",
                "replay/endpoints/proxy_handler.py",
            },
        ),
    ],
    ids=["ranges", "Retry-After"],
)
def test_fields_are_read_in_formats_http(pattern: str, home: set[str]) -> None:
    assert places_of(pattern, home) == []


def test_trust_is_decided_in_one_module() -> None:
    """TLS contexts: one for servers that are asked, one of the proxy's own authority, and two that check files."""
    made = {
        name
        for name, module in files().items()
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr in {"create_default_context", "PROTOCOL_TLS_CLIENT"}
    }
    assert made == {"fetch/client/tls_trust.py", "crawl/plan/plan_files.py"}


def test_record_types_are_told_apart_by_their_type() -> None:
    """`record.type == RecordType.REVISIT`: a type that is misspelt is then found by the type checker."""
    spelt = [
        f"{name}:{node.lineno}"
        for name, module in files().items()
        for node in module.nodes
        if isinstance(node, ast.Compare)
        and ast.unparse(node.left).endswith(("record_type", "record.type", '.get("warc-type")', ".get('warc-type')"))
        and any(isinstance(each, ast.Constant) and each.value for each in ast.walk(node.comparators[0]))
    ]
    assert spelt == []
    # What the command says in words is no type.
    assert places_of(r"^(revisit|warcinfo|conversion)$", {"model/", "redaction/", "cli/"}) == [], "use RecordType"


RAW_RECORD_READERS = {
    "cli/fact_sheet.py",  # tells what the record itself says, beside what it stands for
    "crawl/run/crash_resume.py",  # tells what came, and whether it came whole
    "crawl/run/prior_capture.py",  # has found the record with the body before
    "quality/certificates/capture_records.py",  # has found the record with the body before
    "recover/repositories/archive_repository.py",  # tells whether the body came whole
}


def test_what_a_revisit_stands_for_is_found_out_in_the_store() -> None:
    """Elsewhere it has status, type, head and body of what it refers to; few ask what its own record says."""
    # The fields by which a revisit names what it refers to; a fact sheet shows them.
    assert places_of(r"^warc-(profile|refers-to)", {"store/", "cli/fact_sheet.py"}) == []
    readers = {
        name
        for name, module in files().items()
        if not name.startswith("store/")
        for node in module.nodes
        if isinstance(node, ast.Name) and node.id == "read_stored_response"
    }
    assert readers == RAW_RECORD_READERS


FRESH_FOLDER_WRITERS = {
    "cluster/pool/ray_start.py",  # a temporary folder of its own
    "api/fidelity/page_comparisons.py",  # a temporary folder of its own
    "store/transfer/temporary_archive.py",  # a temporary folder of its own
    "store/transfer/wacz_export.py",  # a temporary folder of its own
    "evidence/package/package_folder.py",  # a temporary folder of its own, and so are the three that follow
    "evidence/package/evidence_package.py",
    "evidence/package/page_exhibit.py",
    "evidence/package/package_seal.py",
    "lab/demo/site_files.py",  # a folder that is new or empty
    "lab/demo/served_log.py",  # a file that a person names, and that is added to
}
"""Who writes files that are no archive's in another way than by `atomic_file`, and where."""


def test_files_under_way_have_names_that_nobody_can_foretell() -> None:
    """They are made by `process/atomic_files.py`; what else is opened to write is made exclusively, or alone."""
    writing = {
        name
        for name, module in files().items()
        if name != "process/atomic_files.py"
        for node in module.nodes
        if isinstance(node, ast.Call) and _writes_a_file(node)
    }
    assert writing == FRESH_FOLDER_WRITERS
    # Unfinished names end in the suffix that has a random part before it.
    assert places_of(r"\.(part|tmp|temp|partial)$", {"process/atomic_files.py"}) == []


def _writes_a_file(call: ast.Call) -> bool:
    """Whether it is `path.open("w…")`, `path.write_bytes(…)` or `path.write_text(…)`; not a member of a ZIP file."""
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in {"write_bytes", "write_text"}:
        return True
    mode = call.args[0] if function.attr == "open" and call.args else None
    text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else ""
    return text[:1] in {"w", "a"} and len(text) <= 3


SQL_HOMES = {
    "store/",
    "recover/politeness/request_ledger.py",
    "recover/state/",
    "service/store/",
    "cluster/store/",
    "crawl/run/host_lease_table.py",
    "replay/words/text_index.py",
}
"""The rooms and modules that are databases; each other asks them by name."""


def test_databases_are_asked_by_name() -> None:
    assert (
        places_of(r"\b(select\b.+\bfrom|insert( or \w+)? into|update \w+ set|delete from|create table)\b", SQL_HOMES)
        == []
    )
    reached = [
        f"{name}:{node.lineno}"
        for name, module in files().items()
        if not name.startswith("store/")
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr == "database"
    ]
    assert reached == [], "the databases of index and catalog are the store's own"


def test_the_words_of_pages_are_read_out_of_the_index_by_name() -> None:
    """The database of words is one of its own; it has no tables of the archive's index in its queries."""
    texts = [text.lower() for _, text in strings_of(files()["replay/words/text_index.py"])]
    assert not [text for text in texts if re.search(r"\bfrom (entry|file|observation)\b", text)]


def test_time_is_bounded_by_what_loses_no_cancellation() -> None:
    """`asyncio.wait_for` of Python 3.11 forgets that it was cancelled where its result comes in the same moment."""
    used = [
        f"{name}:{node.lineno}"
        for name, module in files().items()
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr == "wait_for" and ast.unparse(node) == "asyncio.wait_for"
    ]
    assert used == []
