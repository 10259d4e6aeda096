"""The version of webkeep, read by the package, the command and the records it writes."""

__version__ = "0.1.0"
