"""Whether a comment that follows a page would be one."""

import pytest

from webkeep.document import MAX_TREE_CHARS, takes_comment_at_end


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", True),
        (b"<p>text", True),
        (b"<script>'<!--'</script>", True),
        (b"<p title='<textarea>'>caf\xe9</p></body></html>", True),
        (b"<p title='a>", False),
        (b"<textarea></body></html>", False),
        (b"<svg><![CDATA[<p>", False),
        (b"<p>" + b" " * MAX_TREE_CHARS, False),
    ],
)
def test_a_comment_at_the_end_is_one_where_nothing_is_open(content: bytes, expected: bool) -> None:
    assert takes_comment_at_end(content) is expected
