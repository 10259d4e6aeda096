"""Collections that decay by plan: bins of pages, from bin b of which a page disappears every b days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Collection:
    """A site made to be lost, resource by resource."""

    bins: int = 30
    days: int = 90
    own_images_bin: int = 2
    """The bin in which every page has three pictures of its own; others share three."""

    def pages(self, bin_number: int, day: int) -> int:
        """HTML pages of a bin on some day, with its index."""
        return self.documents(bin_number, day) + 1

    def documents(self, bin_number: int, day: int) -> int:
        """PDF documents of a bin on some day, as many as it has pages of content."""
        return self.days // bin_number - day // bin_number

    def images(self, bin_number: int, day: int) -> int:
        """Pictures of a bin on some day; the last page takes the shared ones with it."""
        left = self.documents(bin_number, day)
        return 3 * left if bin_number == self.own_images_bin else 3 * (left > 0)

    def total(self, day: int) -> int:
        """All resources on some day, with the root and its picture."""
        kinds = (self.pages, self.documents, self.images)
        return 2 + sum(kind(number, day) for number in range(1, self.bins + 1) for kind in kinds)

    def life(self, bin_number: int, page: int) -> int:
        """How many days a page stays; pages of a bin are numbered from the one that goes last."""
        return bin_number * (self.days // bin_number - page + 1)

    def lives(self) -> Iterator[int]:
        """The lives of all pages of content."""
        for number in range(1, self.bins + 1):
            yield from (self.life(number, page) for page in range(1, self.days // number + 1))
