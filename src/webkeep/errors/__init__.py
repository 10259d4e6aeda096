"""Every error raised on purpose, sorted by who must act."""


class WebkeepError(Exception):
    """A failure with one line for the person who meets it: what, where, what to do."""


class UsageError(WebkeepError):
    """The call is wrong: fix the call."""


class RemoteError(WebkeepError):
    """A server or network failed: record it and go on."""


class FormatError(WebkeepError):
    """Bytes are not what their format promises: set them aside."""

    def __init__(self, message: str, source: str = "", offset: int = 0) -> None:
        super().__init__(message)
        self.source = source
        self.offset = offset

    def __str__(self) -> str:
        where = f"{self.source}, byte {self.offset}: " if self.source else ""
        return where + str(self.args[0])


class StorageError(WebkeepError):
    """The disk or the archive on it failed: stop."""
