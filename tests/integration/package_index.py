"""A package index on loopback, as Python's package manager wants it: many small files, asked for in a burst."""

import hashlib
import io
import zipfile

Pages = dict[str, tuple[bytes, bytes]]


def wheel(name: str) -> bytes:
    """A package with one module in it."""
    folder = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": f"NAME = {name!r}\n",
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{folder}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    listed = "".join(f"{path},,\n" for path in [*files, f"{folder}/RECORD"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in {**files, f"{folder}/RECORD": listed}.items():
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), text)
    return packed.getvalue()


def index(names: list[str]) -> Pages:
    """The pages and files of an index with these packages, by path."""
    pages: Pages = {}
    for name in names:
        content = wheel(name)
        file = f"{name}-1.0-py3-none-any.whl"
        pages[f"files/{file}"] = (b"application/zip", content)
        mark = hashlib.sha256(content).hexdigest()
        link = f'<!doctype html><title>{name}</title><a href="/files/{file}#sha256={mark}">{file}</a>'
        pages[f"simple/{name}/"] = (b"text/html", link.encode())
    return pages
