"""What the files of an exhibit are called, and which part of a portrait each of them is."""

from __future__ import annotations

from webkeep.formats.states import FULL_PAGE_PREFIX, PDF_PREFIX, TEXT_PREFIX, WINDOW_PREFIX

EXHIBIT_ENDINGS = {
    FULL_PAGE_PREFIX: "-full.png",
    WINDOW_PREFIX: "-window.png",
    PDF_PREFIX: ".pdf",
    TEXT_PREFIX: ".txt",
}
"""How the file of a part is called, behind the name of its exhibit."""
HTML_ENDING = ".html"
"""The same of the page as one file, which is made of several records."""
EXHIBIT_START = "page-"
"""How names of exhibits begin."""
