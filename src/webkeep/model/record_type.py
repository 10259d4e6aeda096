"""The types of WARC records (warcinfo, request, response, resource, revisit, metadata, …), and which of them are
answers, content or have payloads.
"""

from __future__ import annotations

import enum


class RecordType(enum.StrEnum):
    """What a WARC record is (ISO 28500, section 6).

    Records and rows have their type as a string, for there are files with types that no standard names: what is none of
    these is read, copied and shown as it is, and nothing is decided by it. To find a member takes 100 ns: a module that
    compares every record of a file has it under a name of its own.
    """

    WARCINFO = "warcinfo"
    REQUEST = "request"
    RESPONSE = "response"
    RESOURCE = "resource"
    """Content that no HTTP message brought."""
    REVISIT = "revisit"
    """Another record's payload, seen again."""
    METADATA = "metadata"
    CONVERSION = "conversion"
    CONTINUATION = "continuation"


RESPONSE_TYPES = frozenset({RecordType.RESPONSE, RecordType.REVISIT})
"""What a server answered."""
CONTENT_TYPES = RESPONSE_TYPES | {RecordType.RESOURCE}
"""What can be shown of a URL."""
PAYLOAD_TYPES = frozenset({RecordType.RESPONSE, RecordType.RESOURCE})
"""Records with a payload of their own."""
