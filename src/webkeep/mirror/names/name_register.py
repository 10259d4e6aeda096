"""The register of names: every URL of a copy has one, and keeps it in the next version; which URL gets a name that
several ask for (collisions, case), and what the others are called.

Theory of operation. What had a name in the version before has it still. Each other URL asks for its plain name. Where
several ask for the same one, the URL gets it that comes first: what holds something before what only leads elsewhere,
without a query before with one, shorter before longer. The others ask with their query, and then with a number. Folders
are asked for by all that is in them, and go before new files of the same name. What the file system takes for the same
name counts as the same. Names are known by their hashes, so that a register of very many takes little room.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple, Protocol

from webkeep.mirror.names.file_extensions import missing_extension
from webkeep.mirror.names.file_names import FileName, plain_name
from webkeep.mirror.names.file_system_profile import FileSystemProfile

_FIRST_NUMBER = 2
"""Behind a name that is taken: the one that has it counts as the first."""


class Nameable(Protocol):
    """What a file is named after."""

    @property
    def url(self) -> str:
        """Its URL."""

    @property
    def media_type(self) -> str:
        """The media type of what is in the file."""

    @property
    def is_redirect(self) -> bool:
        """Whether it only leads elsewhere."""


class PriorNames(NamedTuple):
    """The names in the version before."""

    known: frozenset[int] | set[int] = frozenset()
    """A number for each URL with its name; see `pair_number`."""
    renamed: Mapping[str, str] = {}
    """The names, by URL, that are not the plain ones."""


def pair_number(url: str, name: str) -> int:
    """A number that stands for a URL and its name, within this process."""
    return hash((url, name))


class NameRegister:
    """Gives names to URLs."""

    def __init__(self, profile: FileSystemProfile, prior: PriorNames | None = None) -> None:
        self._profile = profile
        self._prior = prior or PriorNames()
        self._files: set[int] = set()
        self._folders: set[int] = set()
        self.renamed: set[str] = set()
        """The URLs whose names are not the plain ones."""

    def name_all(self, items: Collection[Nameable]) -> Iterator[tuple[str, str]]:
        """The URL of each item with the name of its file."""
        if not self._prior.known:
            yield from self._name_new(items)
            return
        new: list[Nameable] = []
        for item in items:
            kept = self._prior_name(item)
            if kept is None:
                new.append(item)
            else:
                yield item.url, kept
        yield from self._name_new(new)

    def _name_new(self, items: Collection[Nameable]) -> Iterator[tuple[str, str]]:
        claimed, twice = self._claim_names(items)
        taken, self._files = self._files, self._files | claimed if self._files else claimed
        # Folders are all known now; a file that has the name of one is called otherwise.
        contested: dict[int, list[Nameable]] = {}
        for item in items:
            wanted = plain_name(item.url, item.media_type, self._profile)
            number = self._hash_folded(wanted.path)
            if number in twice or number in taken or number in self._folders or self._is_below_file(wanted.folder):
                contested.setdefault(number, []).append(item)
            else:
                yield item.url, wanted.path
        for number, who in contested.items():
            first, *others = sorted(who, key=_rank)
            wanted = plain_name(first.url, first.media_type, self._profile)
            if number in taken or number in self._folders or self._is_below_file(wanted.folder):
                others.insert(0, first)
                self._files -= {number} - taken  # nobody has it
            else:
                yield first.url, wanted.path
            contested[number] = others
        for item in (each for who in contested.values() for each in who):
            self.renamed.add(item.url)
            yield item.url, self._other_name(item)

    def _claim_names(self, items: Iterable[Nameable]) -> tuple[set[int], set[int]]:
        """The names that items ask for, and those of them that several do; their folders are entered."""
        # Each name is worked out once more later on, as to hold all of them would take more than that.
        claimed: set[int] = set()
        twice: set[int] = set()
        for item in items:
            wanted = plain_name(item.url, item.media_type, self._profile)
            self._enter_folders(wanted.folder)
            number = self._hash_folded(wanted.path)
            (twice if number in claimed else claimed).add(number)
        return claimed, twice

    def _prior_name(self, item: Nameable) -> str | None:
        """The name an item had in the version before, where it still fits."""
        name = self._prior.renamed.get(item.url)
        if name is None:
            name = plain_name(item.url, item.media_type, self._profile).path
            if pair_number(item.url, name) not in self._prior.known:
                return None
        elif missing_extension(name.rpartition("/")[2], item.media_type):
            return None
        else:
            self.renamed.add(item.url)
        number = self._hash_folded(name)
        if number in self._files or number in self._folders:
            return None
        self._enter_folders(name.rpartition("/")[0])
        self._files.add(number)
        return name

    def _other_name(self, item: Nameable) -> str:
        """A name that nobody has, as near to the plain one as there is."""
        wanted = plain_name(item.url, item.media_type, self._profile, with_query=True)
        folder = self._free_folder(wanted.folder)
        for number in count(_FIRST_NUMBER - 1):
            name = FileName(folder, _number_stem(wanted, number, self._profile), wanted.extension).path
            taken = self._hash_folded(name)
            if taken not in self._files and taken not in self._folders:
                self._files.add(taken)
                return name
        raise AssertionError

    def _free_folder(self, folder: str) -> str:
        """A folder, with another name for every one of its steps that is a file's."""
        path = ""
        for step in folder.split("/"):
            plain = path = f"{path}/{step}" if path else step
            numbers = count(_FIRST_NUMBER)
            while self._hash_folded(path) in self._files:
                path = f"{plain}{self._profile.dash}{next(numbers)}"
        self._enter_folders(path)
        return path

    def _is_below_file(self, folder: str) -> bool:
        """Whether one of the steps of a folder is a file, which had its name before."""
        if not self._prior.known:
            return False
        steps = folder.split("/")
        return any(self._hash_folded("/".join(steps[:end])) in self._files for end in range(1, len(steps) + 1))

    def _enter_folders(self, folder: str) -> None:
        while folder and (number := self._hash_folded(folder)) not in self._folders:
            if number in self._files:
                return
            self._folders.add(number)
            folder = folder.rpartition("/")[0]

    def _hash_folded(self, path: str) -> int:
        return hash(self._profile.fold(path))


def _rank(item: Nameable) -> tuple[bool, int, bool, int, str]:
    """Who goes first of those that ask for one name."""
    url = item.url
    return item.is_redirect, len(url.partition("?")[2]), not url.startswith("https:"), len(url), url


def _number_stem(name: FileName, number: int, profile: FileSystemProfile) -> str:
    if number < _FIRST_NUMBER:
        return name.stem
    ending = f"{profile.dash}{number}"
    room = profile.max_name_size - profile.size(name.extension) - len(ending)
    stem = name.stem
    while profile.size(stem) > room:
        stem = stem[:-1]
    return stem + ending
