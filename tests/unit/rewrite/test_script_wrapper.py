"""Scripts that see the archived address: names change where they are variables, nothing where that is unsure."""

import json
import re
from pathlib import Path

import pytest

from webkeep.extract import DocumentKind
from webkeep.rewrite import HtmlEdits, LinkRenaming, ScriptRenaming, rewrite_document
from webkeep.rewrite.script_wrapper import SHIM_FRAME, SHIM_LOCATION, SHIM_MESSAGE, SHIM_MODULE, wrap_script
from webkeep.rewrite.text_edits import apply_edits

TABLE: dict[str, str | None] = json.loads((Path(__file__).parents[2] / "data/rewrite/wrapping.json").read_text())


def spelled(text: str) -> str:
    names = {"LOCATION": SHIM_LOCATION, "FRAME": SHIM_FRAME, "MODULE": SHIM_MODULE, "MESSAGE": SHIM_MESSAGE}
    return re.sub("|".join(names), lambda name: names[name[0]], text)


@pytest.mark.parametrize("source", TABLE)
def test_a_script_is_wrapped_where_that_is_safe(source: str) -> None:
    expected = TABLE[source]
    assert apply_edits(source, wrap_script(source)) == (source if expected is None else spelled(expected))


def test_scripts_and_handlers_of_pages_are_wrapped() -> None:
    source = '<body onload="location.hash=1"><script>location</script><script type=text/x-template>location</script>'
    renaming = LinkRenaming(lambda link: None, named_hosts_only=True, scripts=ScriptRenaming.CERTAIN)
    edits = HtmlEdits(wrap_location=True)
    found = rewrite_document(
        source.encode(), "https://a.example/", renaming, kind=DocumentKind.HTML, edits=edits
    ).decode()
    expected = '<body onload="LOCATION.hash=1"><script>LOCATION</script><script type=text/x-template>location</script>'
    assert found == spelled(expected)


def test_an_import_is_renamed_and_wrapped_at_once() -> None:
    renaming = LinkRenaming(
        lambda link: "https://new.example/x.js", named_hosts_only=True, scripts=ScriptRenaming.CERTAIN
    )
    content, edits = b"import('https://a.example/x.js')", HtmlEdits(wrap_location=True)
    found = rewrite_document(content, "https://b.example/", renaming, kind=DocumentKind.SCRIPT, edits=edits).decode()
    assert found == spelled("import(MODULE('https://new.example/x.js'))")


@pytest.mark.parametrize(
    "hostile",
    ["(" * 10**6 + "location", "`${" * 200_000 + "location", "/" * 10**6 + " location", "location " * 50_000,
     "{location:" * 100_000, "/*" * 10**6 + "location", "import(" * 100_000, "'" * 10**6 + "location",
     "export " * 50_000 + "location", "location //\n" * 50_000, ("location" + " " * 1000) * 1000],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_scripts_are_wrapped_in_their_time(hostile: str) -> None:
    wrap_script(hostile)
