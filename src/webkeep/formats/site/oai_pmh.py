"""OAI-PMH (2.0): the answers of a repository that lists its records: what each is called, when it was changed, which
addresses it names, and how the list goes on.

Addresses are taken out of Dublin Core (`dc:identifier`), which every repository has to give. Every value has a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from webkeep.formats.site.xml_events import XmlEnd, XmlStart, XmlText, local_name, read_xml_events

_HEADER_ELEMENTS = {"identifier", "datestamp"}
_MAX_VALUE_CHARS = 8000
"""Of one element's text; what follows is passed over."""
_MAX_RECORD_ADDRESSES = 20
"""Of one record: it is one thing, at few addresses."""
_MAX_PAGE_RECORDS = 10_000
"""Of one answer, of which repositories give some hundred at a time."""


@dataclass(frozen=True, slots=True)
class OaiRecord:
    """A record of a repository."""

    identifier: str
    datestamp: str
    urls: tuple[str, ...] = ()
    is_deleted: bool = False

    @property
    def version(self) -> str:
        """What is another when the record was changed."""
        return f"{self.identifier}\n{self.datestamp}"


@dataclass(frozen=True, slots=True)
class OaiPage:
    """One answer of a list."""

    records: tuple[OaiRecord, ...]
    token: str = ""
    """By what the list goes on; empty where it is over."""
    error: str = ""
    """What the repository refuses it by, such as `badArgument`; `noRecordsMatch` says that nothing is new."""


@dataclass(slots=True)
class _PageDraft:
    """An answer as its elements come in."""

    records: list[OaiRecord] = field(default_factory=list)
    token: str = ""
    error: str = ""
    in_header: bool = False
    facts: dict[str, str] = field(default_factory=dict)
    urls: list[str] = field(default_factory=list)
    is_deleted: bool = False
    words: list[str] = field(default_factory=list)
    size: int = 0

    def open_element(self, local: str, attributes: dict[str, str]) -> None:
        self.words, self.size = [], 0
        if local == "header":
            self._finish_record()
            self.in_header, self.is_deleted = True, attributes.get("status") == "deleted"
        elif local == "error":
            self.error = attributes.get("code", "unknown")[:_MAX_VALUE_CHARS]

    def add_text(self, words: str) -> None:
        if self.size < _MAX_VALUE_CHARS:
            self.words.append(words[: _MAX_VALUE_CHARS - self.size])
            self.size += len(words)

    def close_element(self, local: str) -> None:
        text = "".join(self.words).strip()
        self.words, self.size = [], 0
        if local == "header":
            self.in_header = False
        elif self.in_header and local in _HEADER_ELEMENTS:
            self.facts.setdefault(local, text)
        elif local == "identifier" and text.startswith(("http://", "https://")):
            self.urls = [*self.urls, text][:_MAX_RECORD_ADDRESSES]
        elif local == "resumptiontoken":
            self.token = text

    def _finish_record(self) -> None:
        facts, urls, is_deleted = self.facts, tuple(self.urls), self.is_deleted
        self.facts, self.urls, self.is_deleted = {}, [], False
        if facts.get("identifier") and len(self.records) < _MAX_PAGE_RECORDS:
            self.records.append(OaiRecord(facts["identifier"], facts.get("datestamp", ""), urls, is_deleted))

    def build_page(self) -> OaiPage:
        self._finish_record()
        return OaiPage(tuple(self.records), self.token, self.error)


def read_oai_page(text: str) -> OaiPage:
    """What an answer to `ListRecords` or `ListIdentifiers` says."""
    draft = _PageDraft()
    for event in read_xml_events(text):
        match event:
            case XmlStart(name, attributes):
                draft.open_element(local_name(name).lower(), attributes)
            case XmlText(words):
                draft.add_text(words)
            case XmlEnd(name):
                draft.close_element(local_name(name).lower())
            case _:
                pass
    return draft.build_page()
