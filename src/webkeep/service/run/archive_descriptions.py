"""What is said of a collection, said in its archives as well, so that whoever is given one of them knows what it is."""

from __future__ import annotations

from webkeep.service.collections import CollectionFacts, archive_name
from webkeep.service.run.service_folder import ServiceFolder
from webkeep.store.folder import ArchiveDescription, describe_archive, is_archive


def describe_archives(folder: ServiceFolder, facts: CollectionFacts) -> int:
    """Write what is said of a collection into each of its archives that is there; gives how many were changed."""
    title = facts.title if facts.title != facts.name else ""
    said = ArchiveDescription(title, facts.description, facts.subjects, facts.creator, facts.rights)
    paths = (folder.archive(facts.name, archive_name(number)) for number in range(1, facts.archives + 1))
    return sum(describe_archive(path, said) for path in paths if is_archive(path))
