"""How documents are rewritten for replay."""

from __future__ import annotations

from webkeep.extract.links import Link
from webkeep.replay.shim.replay_host import ReplayNaming
from webkeep.rewrite import HtmlEdits, LinkRenaming, ScriptRenaming


def replay_renaming(naming: ReplayNaming) -> LinkRenaming:
    """Whatever names a host is renamed to its replay host; what only scripts read is left to the shim."""

    def rename_link(link: Link) -> str | None:
        return naming.replay_url(link.url)

    return LinkRenaming(rename_link, named_hosts_only=True, scripts=ScriptRenaming.CERTAIN, data=False)


def replay_edits(tag: str) -> HtmlEdits:
    """What is changed on a page so that it works on its replay host; `tag` starts the shim."""
    return HtmlEdits(head=tag, lift_integrity=True, lift_policies=True, lift_connecting=True, wrap_location=bool(tag))
