"""webkeep keeps websites: captures them, judges, shows, copies and recovers them."""

from webkeep.version import __version__

__all__ = ["__version__"]
