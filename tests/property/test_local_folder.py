"""Whatever a URL says, no file is found for it but one of the folder that is served."""

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from webkeep.fetch import LocalFolder

PREFIX = "https://example.org/files/"
PIECES = st.sampled_from(
    ["..", ".", "", "a.txt", "deep", "b.txt", ".hidden", "out", "%2e%2e", "%2F", "%00", "\\", "pipe", "?x", "#y", "é"]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFolder]:
    root = tmp_path_factory.mktemp("site")
    (root / "secret.txt").write_text("secret")
    served = root / "served"
    (served / "deep").mkdir(parents=True)
    for name in ("a.txt", ".hidden", "deep/b.txt", "index.html"):
        (served / name).write_text(name)
    (served / "out").symlink_to(root)
    (served / "pipe").symlink_to("/dev/null")
    yield LocalFolder(PREFIX, served)


@given(pieces=st.lists(PIECES, max_size=6))
def test_nothing_leads_out_of_a_folder(folder: LocalFolder, pieces: list[str]) -> None:
    found = folder.find(PREFIX + "/".join(pieces))
    if found is not None:
        assert found.resolve().is_relative_to(folder.folder)
        assert found.is_file()
        assert not any(part.startswith(".") for part in found.relative_to(folder.folder).parts)


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.txt", "a.txt"), ("", "index.html"), ("deep/b.txt", "deep/b.txt"), ("a%2Etxt#top", "a.txt"), ("deep/", None),
     ("a.txt?v=2", None), ("nothing", None), ("out/secret.txt", None), ("pipe", None), (".hidden", None)],
)  # fmt: skip
def test_a_url_is_of_its_file(folder: LocalFolder, path: str, name: str | None) -> None:
    assert folder.find(PREFIX + path) == (None if name is None else folder.folder / name)
    assert folder.find(f"https://other.example/{path}") is None
