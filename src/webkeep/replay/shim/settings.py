"""How documents are rewritten for replay."""

from __future__ import annotations

from webkeep.extract import Link
from webkeep.replay.shim.replay_host import Naming
from webkeep.rewrite import HtmlEdits, Renaming, Scripts


def replay_renaming(naming: Naming) -> Renaming:
    """Whatever names a host is renamed to its replay host; what only scripts read is left to the shim."""

    def renamed(link: Link) -> str | None:
        return naming.address(link.url)

    return Renaming(renamed, named_hosts_only=True, scripts=Scripts.CERTAIN, data=False)


def replay_edits(tag: str) -> HtmlEdits:
    """What is changed on a page so that it works on its replay host; `tag` starts the shim."""
    return HtmlEdits(head=tag, lift_integrity=True, lift_policies=True, lift_connecting=True, wrap_location=bool(tag))
