"""What kind of change each changed resource of a certificate underwent, named beside its verdict.

A certificate is decided by bytes alone, and so is what it says of a resource. A category is for its reader: it makes no
resource coherent, and is no part of what is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from webkeep.change.detection import ChangeVerdict
from webkeep.coherence.certificates import CoherenceCertificate, CoherenceVerdict
from webkeep.quality.changes import ChangeJudge
from webkeep.store.archive import Archive

ChangeVerdicts = Mapping[str, ChangeVerdict]
"""By URL."""
_MAX_JUDGED_RESOURCES = 1000
"""Changed resources whose content is compared; a page lists no more of them."""


def judge_changed_resources(archive: Archive, certificate: CoherenceCertificate) -> dict[str, ChangeVerdict]:
    """How the resources changed that a certificate says changed, from the first look at each to the last."""
    capture = certificate.summary.capture
    judge = ChangeJudge(archive)
    changed = (each.url for each in certificate.resources if each.verdict is CoherenceVerdict.CHANGED)
    found: dict[str, ChangeVerdict] = {}
    for url in islice(changed, _MAX_JUDGED_RESOURCES):
        looks = [each for each in archive.history(url) if each.capture == capture and each.url == url]
        if len(looks) > 1:
            found[url] = judge.judge(looks[0], looks[-1])
    return found
