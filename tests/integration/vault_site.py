"""A small site of files and an application behind it, to be protected and lost."""

import random
from pathlib import Path

PAGE = "<!DOCTYPE html>\n<html><head><title>{n}</title></head><body><p>Page {n}</p></body></html>\n"


def write_site(folder: Path, pages: int = 30) -> Path:
    """A tree of pages, with what pages refer to beside them."""
    for number in range(pages):
        place = folder / ("index.html" if number == 0 else f"papers/{number % 3}/{number}.html")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(PAGE.format(n=number))
    (folder / "style.css").write_text("p { color: green }\n")
    return folder


def write_application(folder: Path, size: int = 20_000) -> Path:
    """Files as an application has them."""
    folder.mkdir(parents=True)
    (folder / "app.py").write_text("print('hello')\n")
    (folder / "app.py").chmod(0o755)
    (folder / "conf").mkdir()
    (folder / "conf" / "site.ini").write_text("[site]\ntitle = Monarch\n")
    (folder / "current").symlink_to("conf/site.ini")
    (folder / "data.bin").write_bytes(random.Random(7).randbytes(size))
    (folder / "empty").mkdir()
    return folder


def describe_tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that is to come back of a tree."""
    described: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        name = str(path.relative_to(folder))
        if path.is_symlink():
            described[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            described[name] = ("directory", facts.st_mode)
        else:
            described[name] = ("file", facts.st_mode, facts.st_mtime_ns, path.read_bytes())
    return described
