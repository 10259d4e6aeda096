"""What is in a directory, out of the lists that servers send."""

from webkeep.fetch.client import child_urls

BASE = "ftp://h/d/"


def names(*lines: str) -> list[str]:
    return [url.removeprefix(BASE) for url in child_urls(BASE, "\r\n".join(lines))]


def test_lists_as_unix_writes_them() -> None:
    assert names(
        "total 12",
        "drwxr-xr-x    2 0        0            4096 Mar 01  2024 .",
        "drwxr-xr-x    2 0        0            4096 Mar 01  2024 dir",
        "-rw-r--r--    1 ftp      ftp            12 Mar  1 12:00 a file, 50%.txt",
        "-rw-r--r--+   1 ftp      ftp            12 Mar  1 12:00  led by a space",
        "lrwxrwxrwx    1 0        0               3 Mar 01  2024 link -> dir",
        "crw-rw-rw-    1 0        0          1,   3 Mar 01  2024 null",
    ) == ["dir/", "a%20file%2C%2050%25.txt", "%20led%20by%20a%20space", "link"]


def test_lists_as_dos_writes_them_and_bare_names() -> None:
    assert names("03-01-24  12:00PM       <DIR>          dir", "03-01-2024  12:00  1,234 file.txt") == [
        "dir/",
        "file.txt",
    ]
    assert names("one", "", "two words", "..", "a/b", "one") == ["one", "two%20words"]


def test_names_that_are_no_utf8_come_out_as_they_were() -> None:
    assert names(b"caf\xe9".decode("utf-8", "surrogateescape")) == ["caf%E9"]
