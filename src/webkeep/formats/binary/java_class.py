"""Java class files (applets): the texts of their constant pool, the classes they use, and their own name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

CLASS_MAGIC = b"\xca\xfe\xba\xbe"
_HEADER_BYTES = 10
"""Magic, versions, and the number of constants."""
_UTF8, _LONG, _DOUBLE, _CLASS, _STRING = 1, 5, 6, 7, 8
"""Tags of constants, as the Java Virtual Machine Specification numbers them (4.4)."""
# How many bytes the constants of each kind take behind their tag, but for text, which says so itself.
_SIZES = {
    3: 4, 4: 4, _LONG: 8, _DOUBLE: 8, _CLASS: 2, _STRING: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4,
    19: 2, 20: 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JavaConstantPool:
    """What a class file names: its texts, the classes it uses, and which of these it is itself."""

    texts: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    """With slashes, as in `com/example/Clock`; arrays by the class of their elements."""
    own_name: str = ""


def read_class_file(content: bytes) -> JavaConstantPool:
    """Read the constant pool, as far as it goes where the file is cut or broken."""
    if not content.startswith(CLASS_MAGIC) or len(content) < _HEADER_BYTES:
        return JavaConstantPool()
    texts: dict[int, str] = {}
    names: dict[int, int] = {}
    at = _HEADER_BYTES
    for index, tag, start, end in _read_constants(content):
        at = end
        if tag == _UTF8:
            texts[index] = content[start:end].decode("utf-8", "replace")
        elif tag == _CLASS:
            names[index] = int.from_bytes(content[start:end], "big")
    own = names.get(int.from_bytes(content[at + 2 : at + 4], "big"), -1)
    classes = (_element_class(texts.get(text, "")) for text in names.values())
    used = set(names.values())
    return JavaConstantPool(
        tuple(text for index, text in texts.items() if index not in used),
        tuple(dict.fromkeys(name for name in classes if name)),
        texts.get(own, ""),
    )


def _read_constants(content: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Each constant's index and kind, and where its bytes begin and end."""
    count = int.from_bytes(content[8:10], "big")
    index, at = 1, _HEADER_BYTES
    while index < count and at < len(content):
        tag = content[at]
        at += 1
        if tag == _UTF8:
            size = int.from_bytes(content[at : at + 2], "big")
            at += 2
        elif tag in _SIZES:
            size = _SIZES[tag]
        else:
            return
        if at + size > len(content):
            return
        yield index, tag, at, at + size
        at += size
        # The two kinds of eight bytes count twice.
        index += 2 if tag in (_LONG, _DOUBLE) else 1


def _element_class(text: str) -> str:
    name = text.lstrip("[")
    if name == text:
        return text
    return name[1:-1] if name.startswith("L") and name.endswith(";") else ""
