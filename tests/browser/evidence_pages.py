"""Evidence packages made by the command, and what stands in them."""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdf
from warc_material import Done, webkeep


@dataclass(frozen=True)
class Packed:
    """A package that the command made."""

    done: Done
    folder: Path

    @property
    def summary(self) -> dict[str, Any]:
        return dict(self.done.summary)

    def read(self, name: str) -> bytes:
        """A file of the package, from within its WACZ."""
        with zipfile.ZipFile(self.folder / "evidence.wacz") as packed:
            return packed.read(f"evidence/{name}")

    @property
    def facts(self) -> dict[str, Any]:
        return dict(json.loads(self.read("evidence.json")))

    @property
    def connections(self) -> dict[str, Any]:
        return dict(json.loads(self.read("connections.json")))

    @property
    def pages(self) -> dict[str, dict[str, Any]]:
        """The exhibits by the last part of the page's address."""
        return {each["page"].rpartition("/")[2]: each for each in self.facts["pages"]}

    def cover(self) -> str:
        """The words on the cover sheet, as it is printed."""
        return words_of(self.folder / "cover.pdf")


def make_evidence(folder: Path, *words: object) -> Packed:
    """Have the command make a package."""
    return Packed(webkeep("evidence", *words, "--into", folder), folder)


def words_of(pdf: Path) -> str:
    """All words of a PDF, with one space between them."""
    return " ".join(" ".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages).split())
