"""What is said where a port cannot be listened on: it is in use, or there is no such address; and by which option
another is chosen.
"""

from __future__ import annotations

import errno
import os
import socket

from webkeep.errors import UsageError


def listen_error(host: str, port: int, error: OSError, option: str = "--port") -> UsageError:
    """The error that says why, and by which option another port is chosen."""
    if isinstance(error, socket.gaierror):
        return UsageError(f"there is no address {host!r} to listen on ({error.strerror}); choose another")
    advice = f"choose another with {option}"
    if error.errno == errno.EADDRINUSE:
        return UsageError(f"port {port} of {host} is in use; {advice}")
    # What stands in the error may have been put together by a library; the system's own words are short.
    reason = os.strerror(error.errno) if error.errno else str(error)
    return UsageError(f"port {port} of {host} cannot be opened: {reason}; {advice}")
