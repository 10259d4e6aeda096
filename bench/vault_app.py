"""The site of bench.middleware_app with the blocks of a vault in its pages, in a process of its own.

    python -m bench.vault_app PORT VAULT [--as-tails | --as-bytes]

The middleware puts them in while it serves. With `--as-tails` the application makes its pages with the same text at
their end itself; with `--as-bytes` it puts the same bytes behind its encoded pages, which takes the least.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import uvicorn

from bench.middleware_app import application
from webkeep.vault.middleware import VaultMiddleware
from webkeep.vault.protection import VaultFolder


def main() -> None:
    port, folder, *rest = sys.argv[1:]
    app: Any = VaultMiddleware(application(), folder)
    if rest:
        tails = read_tails(folder)
        is_text = rest == ["--as-tails"]
        app = application({path: tail.decode("ascii") if is_text else tail for path, tail in tails.items()})
    uvicorn.run(app, port=int(port), access_log=False, log_level="error")


def read_tails(path: str) -> dict[str, bytes]:
    """What each page carries, by its path."""
    folder = VaultFolder(Path(path))
    state = folder.read_state()
    assert state is not None
    return {
        page: b"".join(folder.read_comment(segment, index) for segment, index in blocks)
        for page, blocks in state.blocks_by_page().items()
    }


if __name__ == "__main__":
    main()
