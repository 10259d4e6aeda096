"""Session identifiers that servers put into URLs: by which names and shapes they are known (jsessionid, PHPSESSID, sid,
ASP.NET's segments), and when a short value may as well be a number.
"""

from __future__ import annotations

import re

_NAMES = (
    r"jsessionid|phpsessid|sid|sessid|session_id|sessionid|aspsessionid[^=;&/]*|asp\.net_sessionid"
    r"|cfid|cftoken|zenid|oscsid"
)
# A parameter called just `s` is a session only where its value has the shape of one.
_ASSIGNMENT = rf"(?:(?:{_NAMES})=[^;&/]*|s=[0-9a-f]{{32}})"
_PARAMETER = re.compile(rf"(?:(?:{_NAMES})=.*|s=[0-9a-f]{{32}})", re.IGNORECASE | re.DOTALL).fullmatch
_NUMBER_NAMES = frozenset({"sid", "cfid"})
_MIN_SESSION_CHARS = 16
"""A shorter value of such a name may as well be a number."""
_PATH_SUFFIX = re.compile(rf";{_ASSIGNMENT}(?=[;&/]|\Z)", re.IGNORECASE)
_ASP_NET_SEGMENT = re.compile(r"/\((?:[A-Za-z]\([^()/]*\))+\)(?=/|\Z)")


def is_session_parameter(assignment: str) -> bool:
    """Whether a query's `name=value` carries a session."""
    return _PARAMETER(assignment) is not None


def is_sure_session_parameter(assignment: str) -> bool:
    """Whether a query's `name=value` can be nothing but a session: a short `sid` may as well number a story."""
    if not is_session_parameter(assignment):
        return False
    name, _, value = assignment.partition("=")
    return name.lower() not in _NUMBER_NAMES or len(value) >= _MIN_SESSION_CHARS


def drop_path_session_ids(path: str) -> str:
    """The path without `;jsessionid=…` and the like, and without ASP.NET's `(S(…))` segments."""
    if ";" in path:
        path = _PATH_SUFFIX.sub("", path)
    if "(" in path:
        path = _ASP_NET_SEGMENT.sub("", path) or "/"
    return path
