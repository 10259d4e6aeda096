"""Pages made of frames are told by what a browser makes of them."""

import pytest

from webkeep.document import is_frameset


@pytest.mark.parametrize(
    "page",
    [
        "<frameset cols=50%><frame src=a></frameset>",
        "<!doctype html><html><head><title>x</title></head>\n<FRAMESET rows=1></FRAMESET></html>",
        "<!-- before --><script>1</script><frameset></frameset><noframes>none</noframes>",
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
def test_a_set_of_frames_is_one(page: str, charset: str) -> None:
    assert is_frameset(page.encode(charset), charset)


@pytest.mark.parametrize(
    "page",
    [
        "<!-- <frameset -->",
        "<!-- <frameset> --><p>x",
        "<p>first<frameset></frameset>",
        "<body><frameset></frameset>",
        "<script>'<frameset>'</script>",
        "<title><frameset></title>",
        "<textarea><frameset>",
        "<p title='<frameset>'>",
        "<template><frameset></template>",
        "<svg><frameset>",
        "",
    ],
)
def test_what_only_speaks_of_frames_is_none(page: str) -> None:
    assert not is_frameset(page.encode(), "utf-8")
