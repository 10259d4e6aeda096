"""ZIP files that were interrupted stay as they are."""

import gc
import io
import zipfile

from webkeep.formats import ZipWriter


def test_what_was_interrupted_is_not_ended_by_cleaning_up() -> None:
    """Not even where its stream is closed by then, which would be complained of."""
    stream = io.BytesIO()
    pack = ZipWriter(stream, "w")
    pack.writestr("a", b"a")
    written = stream.getvalue()
    copy = io.BytesIO(written)
    pack.fp = copy
    del pack
    gc.collect()
    assert copy.getvalue() == written
    closed = ZipWriter(stream, "w")
    closed.writestr("b", b"b")
    stream.close()
    del closed
    gc.collect()


def test_what_was_written_to_its_end_can_be_read() -> None:
    stream = io.BytesIO()
    with ZipWriter(stream, "w") as pack:
        pack.writestr("a", b"content")
    assert zipfile.ZipFile(stream).read("a") == b"content"
