"""The demo site as files: what a web server's document root would hold; what the files are called, when they were
changed, and what becomes of redirects.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.lab.demo.addresses import DemoAddresses, host_of
from webkeep.lab.demo.demo_site import DemoSite, DemoState
from webkeep.lab.demo.site_resource import DemoKind, DemoResource
from webkeep.model import Moment

_REDIRECT_PAGE = (
    '<!doctype html>\n<title>Moved</title>\n<meta http-equiv="refresh" content="0; url={0}">\n<a href="{0}">Moved</a>\n'
)


def write_site(site: DemoSite, root: Path, at: Moment, addresses: DemoAddresses) -> int:
    """Write every resource as it is at that moment, its file time that of its version; how many files were written.

    A site spread over hosts gets a directory to each. A redirect becomes a page that forwards.
    """
    count = 0
    try:
        for resource in site.resources.values():
            state = site.state_at(resource.path, at)
            target = _file_path(root, resource.path, addresses)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_file_content(site, resource, state, addresses))
            os.utime(target, ns=(state.began.micros * 1000, state.began.micros * 1000))
            count += 1
    except OSError as error:
        raise StorageError(f"cannot write the site to {error.filename or root}: {error.strerror}") from error
    return count


def _file_path(root: Path, path: str, addresses: DemoAddresses) -> Path:
    base = root / host_of(path) if addresses.spread else root
    return base / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))


def _file_content(site: DemoSite, resource: DemoResource, state: DemoState, addresses: DemoAddresses) -> bytes:
    if resource.kind is DemoKind.REDIRECT:
        return _REDIRECT_PAGE.format(escape(addresses.link(resource.path, resource.location))).encode()
    return site.render_state(resource.path, state, addresses)
